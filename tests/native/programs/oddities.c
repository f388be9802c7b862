/* SPDX-License-Identifier: Apache-2.0 */
/* What programs may do with their locks and threads, though few do. The argument says
 * which; "fine" is printed when all went as it would without a recorder. */
#include "program.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_checking;
static sem_t the_semaphore, the_turn;

static void *locks_checking(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&the_checking);
    pthread_mutex_unlock(&the_checking);
    return unused;
}

/* A mutex that checks is locked again by its owner, which goes on to have it. */
static int checks(void)
{
    pthread_mutexattr_t attributes;
    int rc;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    pause_ms(50);
    rc = pthread_mutex_lock(&the_checking);
    pause_ms(50);
    start("waiter", locks_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    return rc != EDEADLK;
}

static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static int the_error;

static void *waits_with_anothers(void *unused)
{
    the_error = pthread_cond_wait(&the_condition, &the_checking);
    return locks_checking(unused);
}

/* A wait with a mutex that is another's fails, and does not get it. */
static int waits(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    pause_ms(50);
    start("waiter", waits_with_anothers);
    pthread_mutex_unlock(&the_checking);
    join();
    return the_error != EPERM;
}

static void *unlocks(void *unused)
{
    for (int i = 0; i < 200; i++) {
        sem_wait(&the_semaphore);
        pthread_mutex_unlock(&the_mutex);
        sem_post(&the_turn);
    }
    return unused;
}

static void *locks_other(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&the_other);
    pthread_mutex_unlock(&the_other);
    return unused;
}

/* A mutex that one thread locks and another unlocks, often; then one of its own. */
static int hands_over(void)
{
    pthread_t other;

    sem_init(&the_semaphore, 0, 0);
    sem_init(&the_turn, 0, 0);
    pthread_create(&other, NULL, unlocks, NULL);
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&the_mutex);
        sem_post(&the_semaphore);
        sem_wait(&the_turn);
    }
    pthread_join(other, NULL);
    pthread_mutex_lock(&the_other);
    start("waiter", locks_other);
    pthread_mutex_unlock(&the_other);
    join();
    return 0;
}

enum { MANY = 200 };

/* Apart from one another also by the recorder's hash of addresses. */
static struct {
    _Alignas(32768) pthread_mutex_t many[MANY];
    pthread_mutex_t other;
} the_locks;

static void *locks_one(void *mutex)
{
    about_to_block();
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void block_one(const char *name, pthread_mutex_t *mutex)
{
    atomic_store(&the_blocker, 0);
    pthread_create(&the_thread, NULL, locks_one, mutex);
    pthread_setname_np(the_thread, name);
    wait_until_blocked();
}

static void *owns_other(void *unused)
{
    pthread_mutex_lock(&the_locks.other);
    sem_post(&the_turn);
    sem_wait(&the_semaphore);
    pthread_mutex_unlock(&the_locks.other);
    return unused;
}

/* Takes more locks at once than are known of a thread, while others queue for another
 * lock, and for one of these if it is asked for. */
static int lock_many(int wanted)
{
    pthread_t owner, waiter;

    sem_init(&the_semaphore, 0, 0);
    sem_init(&the_turn, 0, 0);
    pthread_create(&owner, NULL, owns_other, NULL);
    pthread_setname_np(owner, "owner");
    sem_wait(&the_turn);
    block_one("waiter", &the_locks.other);
    waiter = the_thread;
    for (int i = 0; i < MANY; i++)
        pthread_mutex_lock(&the_locks.many[i]);
    if (wanted >= 0)
        block_one("queued", &the_locks.many[wanted]);
    pause_ms(50);
    for (int i = MANY - 1; i >= 0; i--)
        pthread_mutex_unlock(&the_locks.many[i]);
    if (wanted >= 0) {
        join();
        pause_ms(300); /* the recorder has seen the loss by then */
    }
    pthread_mutex_lock(&the_locks.many[0]);
    block_one("later", &the_locks.many[0]);
    pthread_mutex_unlock(&the_locks.many[0]);
    join();
    sem_post(&the_semaphore);
    pthread_join(owner, NULL);
    pthread_join(waiter, NULL);
    return 0;
}

static int locks_many(void)
{
    return lock_many(-1);
}

static int queues_for_many(void)
{
    return lock_many(99);
}

static void do_nothing(int number)
{
    (void)number;
}

static void *wants_permit(void *unused)
{
    about_to_block();
    the_error = sem_wait(&the_semaphore) == 0 ? 0 : errno;
    return unused;
}

/* Waits for a semaphore that a signal and a cancellation end, and a post. */
static int is_interrupted(void)
{
    struct sigaction action = {.sa_handler = do_nothing};
    void *result;

    sem_init(&the_semaphore, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    start("interrupted", wants_permit);
    pthread_kill(the_thread, SIGUSR1);
    join();
    if (the_error != EINTR)
        return 1;
    start("cancelled", wants_permit);
    pthread_cancel(the_thread);
    pthread_join(the_thread, &result);
    if (result != PTHREAD_CANCELED)
        return 2;
    start("posted", wants_permit);
    sem_post(&the_semaphore);
    join();
    return the_error;
}

static atomic_int the_signals, is_over;

static void lock_other(int number)
{
    (void)number;
    pthread_mutex_lock(&the_other);
    pthread_mutex_unlock(&the_other);
    atomic_fetch_add(&the_signals, 1);
}

static void *signal_on(void *target)
{
    while (!atomic_load(&is_over)) {
        pthread_kill(*(pthread_t *)target, SIGUSR1);
        for (volatile int i = 0; i < 300; i++)
            ;
    }
    return NULL;
}

/* Signals whose handler locks come while the thread locks, often in the middle of a
 * record of that: then it keeps the lock for long. */
static int holds_between_signals(void)
{
    struct sigaction action = {.sa_handler = lock_other};
    pthread_t self = pthread_self(), other;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL);
    /* The recorder reads files for the first stack, and does not look at locks then. */
    pause_ms(2000);
    pthread_create(&other, NULL, signal_on, &self);
    for (int held = 0; held < 40;) {
        int before = atomic_load(&the_signals);

        pthread_mutex_lock(&the_mutex);
        if (atomic_load(&the_signals) != before) {
            pthread_sigmask(SIG_BLOCK, &signals, NULL);
            pause_ms(60);
            pthread_mutex_unlock(&the_mutex);
            pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
            held++;
        } else {
            pthread_mutex_unlock(&the_mutex);
        }
    }
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    return 0;
}

static struct timespec in_ms(clockid_t clock, int ms)
{
    struct timespec time;

    clock_gettime(clock, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += ms % 1000 * 1000000L;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void *gives_up(void *unused)
{
    struct timespec until = in_ms(CLOCK_REALTIME, 100);

    the_error = pthread_mutex_timedlock(&the_mutex, &until);
    return unused;
}

static void *gets_it(void *unused)
{
    struct timespec until = in_ms(CLOCK_MONOTONIC, 60000);

    about_to_block();
    the_error = pthread_mutex_clocklock(&the_mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&the_mutex);
    return unused;
}

/* Two threads want a mutex until some time: which comes, and which does not. */
static int limits(void)
{
    pthread_mutex_lock(&the_mutex);
    pthread_create(&the_thread, NULL, gives_up, NULL);
    pthread_setname_np(the_thread, "gives_up");
    /* To join it with the mutex would be a deadlock for as long. */
    pause_ms(300);
    join();
    if (the_error != ETIMEDOUT)
        return 1;
    start("gets_it", gets_it);
    pthread_mutex_unlock(&the_mutex);
    join();
    return the_error;
}

static pthread_mutex_t the_early = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor(101))) static void lock_early(void)
{
    pthread_mutex_lock(&the_early);
}

/* A lock that a constructor of the program took, before main. */
static int locks_early(void)
{
    block_one("waiter", &the_early);
    pthread_mutex_unlock(&the_early);
    join();
    return 0;
}

static void *dies_with_lock(void *unused)
{
    pthread_mutex_lock(&the_checking);
    return unused;
}

/* A robust mutex whose owner died twice: it is repaired, and once it is not. */
static int dies(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&the_checking, &attributes);
    pthread_create(&the_thread, NULL, dies_with_lock, NULL);
    join();
    if (pthread_mutex_lock(&the_checking) != EOWNERDEAD ||
        pthread_mutex_consistent(&the_checking) != 0)
        return 1;
    block_one("waiter", &the_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    pthread_create(&the_thread, NULL, dies_with_lock, NULL);
    join();
    if (pthread_mutex_lock(&the_checking) != EOWNERDEAD ||
        pthread_mutex_unlock(&the_checking) != 0)
        return 2;
    return pthread_mutex_lock(&the_checking) != ENOTRECOVERABLE ||
           pthread_mutex_lock(&the_checking) != ENOTRECOVERABLE;
}

/* Who has a mutex inherits the priority of those that wait for it. */
static int inherits(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    if (pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) != 0)
        return 1;
    pthread_mutex_init(&the_checking, &attributes);
    pthread_mutex_lock(&the_checking);
    block_one("waiter", &the_checking);
    pthread_mutex_unlock(&the_checking);
    join();
    return 0;
}

static pthread_rwlock_t the_rwlock = PTHREAD_RWLOCK_INITIALIZER;

static pthread_mutex_t the_mutex_until = PTHREAD_MUTEX_INITIALIZER;

static void *locks_until(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&the_mutex_until);
    pthread_mutex_unlock(&the_mutex_until);
    return unused;
}

/* A lock with a limit on a clock, by a thread that does not have it any more. */
static void *has_had_it(void *unused)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 60;
    if (pthread_mutex_clocklock(&the_mutex_until, CLOCK_MONOTONIC, &until) == 0)
        pthread_mutex_unlock(&the_mutex_until);
    pause_ms(400);
    return unused;
}

static int locks_by_a_clock(void)
{
    pthread_t other;

    if (pthread_create(&other, NULL, has_had_it, NULL) != 0)
        return 1;
    pause_ms(100);
    pthread_mutex_lock(&the_mutex_until);
    start("waiter", locks_until);
    pthread_mutex_unlock(&the_mutex_until);
    join();
    return pthread_join(other, NULL);
}

static void *reads(void *unused)
{
    about_to_block();
    pthread_rwlock_rdlock(&the_rwlock);
    pthread_rwlock_unlock(&the_rwlock);
    return unused;
}

/* A writer wants to read as well, which fails, and to write once more. */
static int reads_while_it_writes(void)
{
    int rc;

    pthread_rwlock_wrlock(&the_rwlock);
    rc = pthread_rwlock_rdlock(&the_rwlock) != EDEADLK ||
         pthread_rwlock_wrlock(&the_rwlock) != EDEADLK;
    start("waiter", reads);
    pthread_rwlock_unlock(&the_rwlock);
    join();
    return rc;
}

static void *goes_on(void *unused)
{
    pause_ms(400);
    pthread_mutex_lock(&the_other);
    start("waiter", locks_other);
    pthread_mutex_unlock(&the_other);
    join();
    puts("fine");
    fflush(stdout);
    exit(0);
    return unused;
}

/* The first thread ends, and the others go on. */
static int leaves(void)
{
    pthread_t other;

    pthread_create(&other, NULL, goes_on, NULL);
    pthread_setname_np(other, "second");
    pthread_exit(NULL);
}

typedef struct job {
    pthread_t thread;
    char name[100];
} job;

static atomic_int the_jobs;

static void *frees(void *payload)
{
    pthread_detach(pthread_self());
    memset(payload, 0xff, sizeof(job));
    free(payload);
    atomic_fetch_add(&the_jobs, 1);
    return NULL;
}

/* A thread that frees what its creator has its handle in. */
static int detaches(void)
{
    enum { JOBS = 2000 };

    for (int i = 0; i < JOBS; i++) {
        job *it = malloc(sizeof(*it));

        if (!it || pthread_create(&it->thread, NULL, frees, it) != 0)
            return 1;
    }
    while (atomic_load(&the_jobs) < JOBS)
        pause_ms(1);
    return 0;
}

static void *returns(void *unused)
{
    pause_ms(1);
    return unused;
}

/* Threads of which each has the handle of the one before. */
static int joins(void)
{
    for (int i = 0; i < 300; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, returns, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}

static void *takes_all(void *unused)
{
    about_to_block();
    while (sem_wait(&the_semaphore) == 0)
        sem_post(&the_semaphore);
    return unused;
}

/* A semaphore that is never empty does not keep a thread from being cancelled. */
static int cancels(void)
{
    pthread_t thread;
    void *result;

    sem_init(&the_semaphore, 0, 1);
    pthread_create(&thread, NULL, takes_all, NULL);
    while (!atomic_load(&the_blocker))
        pause_ms(1);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result != PTHREAD_CANCELED;
}

static atomic_int has_enough;

static void *sleeps(void *unused)
{
    while (!atomic_load(&has_enough)) {
        struct timespec moment = {0, 1};

        nanosleep(&moment, NULL);
    }
    return unused;
}

/* Threads that look at where they are while the process forks. */
static int forks(void)
{
    pthread_t threads[4];
    int rc = 0;

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, sleeps, NULL);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        int status = 0;

        if (child == 0) {
            pause_ms(0);
            _exit(0);
        }
        rc |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&has_enough, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return rc;
}

static void *allocates(void *unused)
{
    while (!atomic_load(&has_enough)) {
        void *volatile it = malloc(5000);

        free(it);
        pause_ms(1);
    }
    return unused;
}

/* Threads that have arenas of their own in an allocator, which locks them all to fork.
 */
static int forks_and_allocates(void)
{
    pthread_t threads[8];
    int rc = 0;

    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, allocates, NULL);
    pause_ms(50);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        int status = 0;

        if (child == 0)
            _exit(0);
        rc |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&has_enough, 1);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return rc;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ODDITIES[] = {
        {"checks", checks},
        {"hands_over", hands_over},
        {"leaves", leaves},
        {"detaches", detaches},
        {"joins", joins},
        {"cancels", cancels},
        {"forks", forks},
        {"waits", waits},
        {"locks_early", locks_early},
        {"dies", dies},
        {"inherits", inherits},
        {"reads_while_it_writes", reads_while_it_writes},
        {"locks_by_a_clock", locks_by_a_clock},
        {"forks_and_allocates", forks_and_allocates},
        {"is_interrupted", is_interrupted},
        {"holds_between_signals", holds_between_signals},
        {"limits", limits},
        {"locks_many", locks_many},
        {"queues_for_many", queues_for_many},
    };

    for (size_t i = 0; argc > 1 && i < sizeof(ODDITIES) / sizeof(*ODDITIES); i++)
        if (strcmp(argv[1], ODDITIES[i].name) == 0) {
            int rc = ODDITIES[i].run();

            if (rc == 0)
                puts("fine");
            return rc;
        }
    return 2;
}
