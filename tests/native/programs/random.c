/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any program: what its threads do follows from the first argument. They lock, wait,
 * fork, signal, cancel, execute others, close descriptors and limit themselves; what
 * they count does not depend on who was first. It prints that, and ends in one of many
 * ways: by a status, a signal, a thread that ends the process, or as another program.
 */
#include "random.h"

enum { LOCKS = 4, THREADS_MOST = 8, OPERATIONS_MOST = 60, MARK = 77 };

static const char *const names[COUNTS] = {
    "locked",    "shared",        "timed-out", "posted",   "signalled",
    "cancelled", "joined",        "children",  "statuses", "written",
    "once",      "errno-changed", "failed",
};

static pthread_mutex_t the_locks[LOCKS];
static pthread_rwlock_t the_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t the_spinlock;
static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t the_barrier;
static sem_t the_semaphore;
static pthread_once_t the_once = PTHREAD_ONCE_INIT;
static long the_guarded[LOCKS];
static atomic_long the_counts[COUNTS];

void count(enum count what, long more)
{
    atomic_fetch_add(&the_counts[what], more);
}

void check(int is_true)
{
    count(FAILED, !is_true);
}

uint64_t below(uint64_t *random, uint64_t bound)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (*random >> 11) % bound;
}

static struct timespec in_us(clockid_t clock, long us)
{
    struct timespec when;

    clock_gettime(clock, &when);
    when.tv_nsec += us * 1000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static void lock_some(uint64_t *random)
{
    unsigned chosen = (unsigned)below(random, 1 << LOCKS);

    errno = MARK;
    for (int i = 0; i < LOCKS; i++)
        if (chosen >> i & 1) {
            struct timespec soon = in_us(CLOCK_REALTIME, 50000000);

            errno = MARK;
            check((below(random, 4)
                       ? pthread_mutex_lock(&the_locks[i])
                       : pthread_mutex_timedlock(&the_locks[i], &soon)) == 0);
            the_guarded[i]++;
            count(LOCKED, 1);
        }
    for (int i = LOCKS - 1; i >= 0; i--)
        if (chosen >> i & 1)
            check(pthread_mutex_unlock(&the_locks[i]) == 0);
    count(ERRNO_CHANGED, errno != MARK);
}

static void share(uint64_t *random)
{
    errno = MARK;
    check((below(random, 4) ? pthread_rwlock_rdlock(&the_rwlock)
                            : pthread_rwlock_wrlock(&the_rwlock)) == 0);
    count(SHARED, 1);
    check(pthread_rwlock_unlock(&the_rwlock) == 0);
    check(pthread_spin_lock(&the_spinlock) == 0);
    check(pthread_spin_unlock(&the_spinlock) == 0);
    count(ERRNO_CHANGED, errno != MARK);
}

/* Nobody signals the second condition. */
static void wait_in_vain(uint64_t *random)
{
    pthread_cond_t nobodys = PTHREAD_COND_INITIALIZER;
    struct timespec soon = in_us(CLOCK_REALTIME, (long)below(random, 2000));
    pthread_mutex_t *mutex = &the_locks[below(random, LOCKS)];

    pthread_mutex_lock(mutex);
    while (pthread_cond_timedwait(&nobodys, mutex, &soon) != ETIMEDOUT)
        ;
    count(TIMED_OUT, 1);
    pthread_cond_broadcast(&the_condition);
    pthread_mutex_unlock(mutex);
    pthread_cond_destroy(&nobodys);
}

static void post(uint64_t *random)
{
    (void)random;
    check(sem_post(&the_semaphore) == 0);
    while (sem_wait(&the_semaphore) != 0)
        check(errno == EINTR);
    count(POSTED, 1);
}

static void only_once(void)
{
    count(ONCE, 1);
}

static void initialise(uint64_t *random)
{
    (void)random;
    check(pthread_once(&the_once, only_once) == 0);
}

static void on_signal(int number)
{
    int error = errno;

    (void)number;
    count(SIGNALLED, 1);
    errno = error;
}

static void raise_some(uint64_t *random)
{
    sigset_t set, old;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (below(random, 2)) {
        check(pthread_sigmask(SIG_BLOCK, &set, &old) == 0);
        pthread_kill(pthread_self(), SIGUSR1);
        lock_some(random);
        check(pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
    } else {
        pthread_kill(pthread_self(), SIGUSR1);
    }
}

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *wait_for_ever(void *kind)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    sem_t semaphore;

    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;) {
        if (kind)
            pthread_cond_wait(&condition, &mutex);
        else
            sem_wait(&semaphore);
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancel(uint64_t *random)
{
    pthread_t thread;
    void *result = NULL;

    check(pthread_create(&thread, NULL, wait_for_ever,
                         below(random, 2) ? &the_once : NULL) == 0);
    if (below(random, 2))
        usleep((useconds_t)below(random, 500));
    check(pthread_cancel(thread) == 0);
    check(pthread_join(thread, &result) == 0);
    count(CANCELLED, result == PTHREAD_CANCELED);
}

static void *lock_for_a_while(void *seed)
{
    uint64_t random = (uint64_t)(uintptr_t)seed;

    for (uint64_t i = below(&random, 20); i > 0; i--)
        lock_some(&random);
    if (below(&random, 2))
        pthread_exit(seed);
    return seed;
}

static void start_another(uint64_t *random)
{
    uintptr_t seed = (uintptr_t)below(random, 1 << 30) + 1;
    void *result = NULL;
    pthread_t thread;

    check(pthread_create(&thread, NULL, lock_for_a_while, (void *)seed) == 0);
    check(pthread_join(thread, &result) == 0);
    count(JOINED, (uintptr_t)result == seed);
}

static void (*const operations[])(uint64_t *) = {
    lock_some,  lock_some,  lock_some, share,         share,         wait_in_vain,
    post,       initialise, cancel,    start_another, start_process, use_descriptors,
    raise_some, raise_some,
};

static void *work(void *seed)
{
    uint64_t random = (uint64_t)(uintptr_t)seed;

    for (uint64_t i = below(&random, OPERATIONS_MOST); i > 0; i--)
        operations[below(&random, sizeof(operations) / sizeof(*operations))](&random);
    pthread_barrier_wait(&the_barrier);
    return NULL;
}

static void report(void)
{
    for (int i = 0; i < COUNTS; i++)
        printf("%s %ld\n", names[i], atomic_load(&the_counts[i]));
    for (int i = 0; i < LOCKS; i++)
        printf("guarded %ld\n", the_guarded[i]);
    fflush(stdout);
}

static void at_exit(void)
{
    pthread_mutex_lock(&the_locks[0]);
    printf("at exit\n");
    pthread_mutex_unlock(&the_locks[0]);
}

static void initialise_all(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    for (int i = 0; i < LOCKS; i++) {
        static const int kinds[LOCKS] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
                                         PTHREAD_MUTEX_RECURSIVE,
                                         PTHREAD_MUTEX_ADAPTIVE_NP};

        pthread_mutexattr_settype(&attributes, kinds[i]);
        pthread_mutex_init(&the_locks[i], &attributes);
    }
    pthread_spin_init(&the_spinlock, PTHREAD_PROCESS_PRIVATE);
    sem_init(&the_semaphore, 0, 0);
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1 : 0;
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t threads[THREADS_MOST];
    uint64_t thread_count;

    if (!random) {
        printf("executed\n");
        return 11;
    }
    for (int i = 0; i < 8; i++)
        below(&random, 2);
    action.sa_flags = below(&random, 2) ? SA_RESTART : 0;
    sigaction(SIGUSR1, &action, NULL);
    initialise_all();
    limit_oneself(&random);
    if (below(&random, 2))
        atexit(at_exit);
    thread_count = 1 + below(&random, THREADS_MOST);
    pthread_barrier_init(&the_barrier, NULL, (unsigned)thread_count);
    for (uint64_t i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work,
                           (void *)(uintptr_t)(below(&random, 1 << 30) + 1)) != 0)
            abort();
    for (uint64_t i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    report();
    return end(&random, argv[0]);
}
