/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits whose waiter knows the thread that ended them, a line each: its kind, who
 * waited, between which times, and who ended it. Every thread runs as it likes but for
 * what makes that certain.
 */
#include "program.h"

/* So few turns that no ring is too small, also where the recorder gets no processor. */
enum { WAITERS = 4, SIGNALLERS = 4, TURNS = 80, WAITS_MOST = 1 << 13 };

typedef struct known {
    const char *kind;
    int waiter;
    int signaller;
    int64_t begin_ns, end_ns;
} known;

static known waits[WAITS_MOST];
static atomic_int wait_count;
static atomic_int the_end; ///< of this kind of wait
static _Thread_local int self;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void note(const char *kind, int64_t begin_ns, int signaller)
{
    int at = atomic_fetch_add(&wait_count, 1);

    if (at < WAITS_MOST)
        waits[at] = (known){kind, self, signaller, begin_ns, now_ns()};
}

/* Half of the waits have a timeout, by the clock of the condition. */
static void wait_by_clock(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    struct timespec until;

    if (self % 2 == 0) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 60;
    pthread_cond_timedwait(condition, mutex, &until);
}

static void open_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
}

/* A little work, so that threads meet in many ways. */
static void work(unsigned *random)
{
    *random = *random * 1103515245 + 12345;
    for (int64_t end = now_ns() + (*random >> 16) % 40000; now_ns() < end;)
        ;
    if ((*random >> 8) % 4 == 0)
        sched_yield();
}

/*
 * A mailbox of one reader, for which every writer signals. One that finds it
 * waiting ends its wait.
 */
static struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int messages, is_waiting, signaller;
} mailboxes[WAITERS];

static void open_mailboxes(void)
{
    for (int i = 0; i < WAITERS; i++) {
        pthread_mutex_init(&mailboxes[i].mutex, NULL);
        open_condition(&mailboxes[i].condition);
    }
}

static void *read_mailbox(void *number)
{
    struct mailbox *it = number;

    self = (int)(it - mailboxes);
    pthread_mutex_lock(&it->mutex);
    for (;;) {
        while (it->messages == 0 && !atomic_load(&the_end)) {
            int64_t begin_ns = now_ns();

            it->is_waiting = 1;
            it->signaller = 0;
            wait_by_clock(&it->condition, &it->mutex);
            it->is_waiting = 0;
            if (it->signaller)
                note("mailbox", begin_ns, it->signaller);
        }
        if (it->messages == 0)
            break;
        it->messages = 0;
    }
    pthread_mutex_unlock(&it->mutex);
    return NULL;
}

static void write_mailbox(struct mailbox *it)
{
    pthread_mutex_lock(&it->mutex);
    it->messages++;
    if (it->is_waiting && !it->signaller)
        it->signaller = self;
    pthread_cond_signal(&it->condition);
    pthread_mutex_unlock(&it->mutex);
}

static void *write_mailboxes(void *number)
{
    unsigned random = (unsigned)(intptr_t)number;

    self = (int)(intptr_t)number;
    for (int i = 0; i < TURNS; i++) {
        work(&random);
        write_mailbox(&mailboxes[(random >> 20) % WAITERS]);
    }
    return NULL;
}

static void end_mailboxes(void)
{
    for (int i = 0; i < WAITERS; i++)
        write_mailbox(&mailboxes[i]);
}

/* All wait for one condition; a broadcast ends the waits of those that were there. */
static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t the_condition;
static pthread_cond_t all_wait = PTHREAD_COND_INITIALIZER;
static int broadcasters[SIGNALLERS * TURNS + 1], broadcasts;

static void *wait_for_broadcasts(void *number)
{
    self = (int)(intptr_t)number;
    pthread_mutex_lock(&the_mutex);
    while (!atomic_load(&the_end)) {
        int64_t begin_ns = now_ns();
        int seen = broadcasts;

        while (broadcasts == seen && !atomic_load(&the_end))
            wait_by_clock(&the_condition, &the_mutex);
        if (broadcasts != seen)
            note("broadcast", begin_ns, broadcasters[seen]);
    }
    pthread_mutex_unlock(&the_mutex);
    return NULL;
}

static void *broadcast(void *number)
{
    unsigned random = (unsigned)(intptr_t)number;

    self = (int)(intptr_t)number;
    for (int i = 0; i < TURNS; i++) {
        work(&random);
        pthread_mutex_lock(&the_mutex);
        broadcasters[broadcasts++] = self;
        pthread_cond_broadcast(&the_condition);
        pthread_mutex_unlock(&the_mutex);
    }
    return NULL;
}

static void end_all(void)
{
    pthread_mutex_lock(&the_mutex);
    pthread_cond_broadcast(&the_condition);
    pthread_mutex_unlock(&the_mutex);
}

/* All wait for one condition. A signal comes when all do, so it ends one's wait. */
static int waiting, turn;

static void *wait_for_a_turn(void *number)
{
    self = (int)(intptr_t)number;
    pthread_mutex_lock(&the_mutex);
    while (!atomic_load(&the_end)) {
        int64_t begin_ns = now_ns();

        if (++waiting == WAITERS)
            pthread_cond_signal(&all_wait);
        while (turn == 0 && !atomic_load(&the_end))
            wait_by_clock(&the_condition, &the_mutex);
        waiting--;
        if (turn)
            note("signal", begin_ns, turn);
        turn = 0;
    }
    pthread_mutex_unlock(&the_mutex);
    return NULL;
}

static void *give_turns(void *number)
{
    unsigned random = (unsigned)(intptr_t)number;

    self = (int)(intptr_t)number;
    for (int i = 0; i < TURNS; i++) {
        work(&random);
        pthread_mutex_lock(&the_mutex);
        while (waiting < WAITERS || turn)
            pthread_cond_wait(&all_wait, &the_mutex);
        turn = self;
        pthread_cond_signal(&the_condition);
        pthread_mutex_unlock(&the_mutex);
    }
    return NULL;
}

/* A semaphore of one waiter; a thread that finds a request posts it. */
static struct request {
    sem_t semaphore;
    atomic_int state; ///< 0: nothing is asked, -1: asked, else who answered
} requests[WAITERS];

static void *ask(void *number)
{
    struct request *it = number;

    self = (int)(it - requests);
    while (!atomic_load(&the_end)) {
        int64_t begin_ns = now_ns();

        atomic_store(&it->state, -1);
        while (sem_wait(&it->semaphore) != 0)
            ;
        if (atomic_load(&it->state) > 0)
            note("semaphore", begin_ns, atomic_load(&it->state));
    }
    return NULL;
}

static void *answer(void *number)
{
    unsigned random = (unsigned)(intptr_t)number;

    self = (int)(intptr_t)number;
    for (int i = 0; i < TURNS; i++) {
        struct request *it;
        int asked = -1;

        work(&random);
        it = &requests[(random >> 20) % WAITERS];
        if (atomic_compare_exchange_strong(&it->state, &asked, self))
            sem_post(&it->semaphore);
    }
    return NULL;
}

static void end_requests(void)
{
    for (int i = 0; i < WAITERS; i++)
        sem_post(&requests[i].semaphore);
}

/* A mutex: the owner before has released it. */
static int last_owner;

static void *take_and_give(void *number)
{
    unsigned random = (unsigned)(intptr_t)number;

    self = (int)(intptr_t)number;
    for (int i = 0; i < TURNS; i++) {
        int64_t begin_ns;

        work(&random);
        begin_ns = now_ns();
        pthread_mutex_lock(&the_mutex);
        if (last_owner != self && last_owner)
            note("mutex", begin_ns, last_owner);
        last_owner = self;
        work(&random);
        pthread_mutex_unlock(&the_mutex);
    }
    return NULL;
}

typedef void *routine(void *);

static void name(pthread_t thread, const char *what, int number)
{
    char text[16];

    snprintf(text, sizeof(text), "%s %d", what, number);
    pthread_setname_np(thread, text);
}

/* Waiters are 0 to 3 and signallers 1 to 4, each named so. */
static void run(routine *wait_routine, void *(*payload)(int), routine *signal_routine,
                void (*end)(void))
{
    pthread_t waiters[WAITERS], signallers[SIGNALLERS];

    atomic_store(&the_end, 0);
    for (int i = 0; wait_routine && i < WAITERS; i++) {
        pthread_create(&waiters[i], NULL, wait_routine, payload(i));
        name(waiters[i], "waiter", i);
    }
    for (int i = 0; i < SIGNALLERS; i++) {
        pthread_create(&signallers[i], NULL, signal_routine, (void *)(intptr_t)(i + 1));
        name(signallers[i], "signaller", i + 1);
    }
    for (int i = 0; i < SIGNALLERS; i++)
        pthread_join(signallers[i], NULL);
    atomic_store(&the_end, 1);
    if (end)
        end();
    for (int i = 0; wait_routine && i < WAITERS; i++)
        pthread_join(waiters[i], NULL);
}

static void *number_of(int i)
{
    return (void *)(intptr_t)i;
}

static void *mailbox_of(int i)
{
    return &mailboxes[i];
}

static void *request_of(int i)
{
    return &requests[i];
}

int main(void)
{
    open_mailboxes();
    open_condition(&the_condition);
    run(read_mailbox, mailbox_of, write_mailboxes, end_mailboxes);
    run(wait_for_broadcasts, number_of, broadcast, end_all);
    run(wait_for_a_turn, number_of, give_turns, end_all);
    run(ask, request_of, answer, end_requests);
    run(NULL, NULL, take_and_give, NULL);
    for (int i = 0; i < atomic_load(&wait_count) && i < WAITS_MOST; i++)
        printf("%s %s %d %lld %lld signaller %d\n", waits[i].kind,
               strcmp(waits[i].kind, "mutex") == 0 ? "signaller" : "waiter",
               waits[i].waiter, (long long)waits[i].begin_ns,
               (long long)waits[i].end_ns, waits[i].signaller);
    return 0;
}
