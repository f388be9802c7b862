/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that something else ends, and more locks at once than the recorder follows. */
#include "oddities.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_other = PTHREAD_MUTEX_INITIALIZER;
static sem_t the_semaphore, the_turn;
static int the_error;

enum { MANY = 200 };

/* Their addresses also differ in the recorder's hash. */
static struct {
    _Alignas(32768) pthread_mutex_t many[MANY];
    pthread_mutex_t other;
} the_locks;

static void *owns_other(void *unused)
{
    pthread_mutex_lock(&the_locks.other);
    sem_post(&the_turn);
    sem_wait(&the_semaphore);
    pthread_mutex_unlock(&the_locks.other);
    return unused;
}

/* Takes more locks at once than are recorded for a thread, while others queue for
 * another lock, and for one of these if it is asked for. */
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

/* Waits for a semaphore that are ended by a signal, a cancellation and a post. */
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

/* Two threads lock a mutex with a timeout: one of them expires. */
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

static pthread_mutex_t the_mutex_until = PTHREAD_MUTEX_INITIALIZER;

static void *locks_until(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&the_mutex_until);
    pthread_mutex_unlock(&the_mutex_until);
    return unused;
}

/* A lock with a timeout on a clock, by a thread that has released it since. */
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

const mode OF_WAITS[] = {
    {"locks_many", locks_many},
    {"queues_for_many", queues_for_many},
    {"is_interrupted", is_interrupted},
    {"holds_between_signals", holds_between_signals},
    {"limits", limits},
    {"locks_by_a_clock", locks_by_a_clock},
    {NULL, NULL},
};
