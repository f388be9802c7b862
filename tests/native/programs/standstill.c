/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that cannot go on, and others that only wait: the first argument names one,
 * and a second one, "beside", has another thread go on meanwhile.
 * It prints "hung" with the names of the threads that cannot go on, or "healthy", once
 * it is in that state. SIGUSR1 ends the wait of `resumed`, SIGTERM the program.
 */
#include "own_mutex.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static sem_t permits, requests, answers;
static atomic_int own_one, own_other, own_tasks;
static pthread_t threads[8];
static atomic_int count, is_done;
static int tasks;

static void begin(const char *name, void *(*routine)(void *))
{
    pthread_create(&threads[count], NULL, routine, NULL);
    pthread_setname_np(threads[count++], name);
}

static void join_all(void)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void say(const char *truth)
{
    pause_ms(150);
    puts(truth);
    fflush(stdout);
    join_all();
}

/* ---- that cannot go on ---- */

/* What the truth rests on comes first, however busy the machine is. */
static void after(atomic_int *it, int least)
{
    while (atomic_load(it) < least)
        pause_ms(1);
}

static void *awaits(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&one);
    pthread_cond_wait(&ready, &one);
    pthread_mutex_unlock(&one);
    return unused;
}

static void *signals(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&one);
    atomic_store(&is_done, 1);
    return unused;
}

/* The signal comes before its wait. */
static void lost_signal(void)
{
    begin("taker", awaits);
    begin("giver", signals);
    say("hung main taker");
}

static void *takes_both(void *unused)
{
    sem_wait(&permits);
    pthread_barrier_wait(&all);
    sem_wait(&permits);
    return unused;
}

/* Each has one of two permits, and wants the other. */
static void permits_of_two(void)
{
    sem_init(&permits, 0, 2);
    pthread_barrier_init(&all, NULL, 2);
    begin("clerk-0", takes_both);
    begin("clerk-1", takes_both);
    say("hung main clerk-0 clerk-1");
}

static void *comes(void *unused)
{
    pthread_barrier_wait(&all);
    return unused;
}

/* Two come to a barrier of three. */
static void barrier(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("early-0", comes);
    begin("early-1", comes);
    say("hung main early-0 early-1");
}

/* The first thread has ended, and the process goes on without it. */
static void main_ends(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("early-0", comes);
    begin("early-1", comes);
    pause_ms(150);
    puts("hung early-0 early-1");
    fflush(stdout);
    pthread_exit(NULL);
}

static void *locks_and_ends(void *unused)
{
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    return unused;
}

static void *locks(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&one);
    return unused;
}

/* The owner has ended. */
static void dead_owner(void)
{
    begin("first", locks_and_ends);
    begin("heir-0", locks);
    begin("heir-1", locks);
    say("hung main heir-0 heir-1");
}

static void *locks_twice(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&one);
    return unused;
}

static void twice(void)
{
    begin("twice", locks_twice);
    say("hung twice");
}

static void *one_first(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&other);
    return unused;
}

static void *other_first(void *unused)
{
    pthread_mutex_lock(&other);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&one);
    return unused;
}

static void *own_one_first(void *unused)
{
    own_lock(&own_one);
    pthread_barrier_wait(&all);
    own_lock(&own_other);
    return unused;
}

static void *own_other_first(void *unused)
{
    own_lock(&own_other);
    pthread_barrier_wait(&all);
    own_lock(&own_one);
    return unused;
}

/* The same with locks whose owners no event shows. */
static void own_orders(void)
{
    pthread_barrier_init(&all, NULL, 2);
    begin("left", own_one_first);
    begin("right", own_other_first);
    say("hung main left right");
}

static void *awaits_task(void *unused)
{
    after(&is_done, 1);
    futex(&own_tasks, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    return unused;
}

static void *gives_task(void *unused)
{
    atomic_fetch_add(&own_tasks, 1);
    futex(&own_tasks, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    atomic_store(&is_done, 1);
    return unused;
}

/* The wake-up comes before its wait, which looks too late at what has changed. */
static void own_lost_wake(void)
{
    begin("taker", awaits_task);
    begin("giver", gives_task);
    say("hung main taker");
}

static void orders(void)
{
    pthread_barrier_init(&all, NULL, 2);
    begin("left", one_first);
    begin("right", other_first);
    say("hung left right");
}

static void *reads_and_writes(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pause_ms(20);
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* A reader wants to write. */
static void upgrade(void)
{
    begin("reader", reads_and_writes);
    say("hung reader");
}

static void *asks(void *unused)
{
    sem_post(&requests);
    sem_wait(&answers);
    return unused;
}

static void *answers_none(void *unused)
{
    for (;;)
        sem_wait(&requests);
    return unused;
}

/* A server that forgets to answer. */
static void no_answer(void)
{
    sem_init(&requests, 0, 0);
    sem_init(&answers, 0, 0);
    begin("server", answers_none);
    begin("client", asks);
    say("hung main server client");
}

static void *waits_with_lock(void *unused)
{
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    pthread_cond_wait(&ready, &one);
    return unused;
}

static void *signals_with_lock(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&other);
    pthread_cond_signal(&ready);
    return unused;
}

/* It waits with a second mutex, which whoever signals needs. */
static void nested(void)
{
    begin("waiter", waits_with_lock);
    begin("signaller", signals_with_lock);
    say("hung main waiter signaller");
}

static void *does_tasks(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;) {
        while (!tasks)
            pthread_cond_wait(&ready, &one);
        tasks--;
        /* A task waits for one that is to be done after it. */
        tasks++;
        pthread_cond_signal(&ready);
        pthread_cond_wait(&done, &one);
    }
    return unused;
}

/* A worker waits for what is in its own queue. */
static void own_queue(void)
{
    begin("worker", does_tasks);
    pthread_mutex_lock(&one);
    tasks = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&one);
    say("hung main worker");
}

static void *joins_with_lock(void *unused)
{
    pthread_mutex_lock(&one);
    after(&count, 2);
    atomic_store(&is_done, 1);
    pthread_join(threads[1], NULL);
    return unused;
}

/* It waits for the end of a thread that needs its mutex. */
static void joins(void)
{
    begin("joiner", joins_with_lock);
    begin("worker", locks);
    say("hung joiner worker");
}

static void *takes(void *unused)
{
    sem_wait(&permits);
    pause_ms(600000);
    return unused;
}

static void posts(int number)
{
    (void)number;
    sem_post(&permits);
}

/* A signal's handler gives the permit. */
static void resumed(void)
{
    sem_init(&permits, 0, 0);
    signal(SIGUSR1, posts);
    begin("taker", takes);
    say("hung main taker");
}

static void *reads_in_step(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_barrier_wait(&all);
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* Two readers both want to write. */
static void upgrades(void)
{
    pthread_barrier_init(&all, NULL, 2);
    begin("reader-0", reads_in_step);
    begin("reader-1", reads_in_step);
    say("hung reader-0 reader-1");
}

static void *owns_and_sleeps(void *unused)
{
    pthread_mutex_lock(&one);
    pthread_rwlock_wrlock(&table);
    atomic_store(&is_done, 1);
    pause_ms(600000);
    return unused;
}

static void *writes(void *unused)
{
    pthread_rwlock_wrlock(&table);
    return unused;
}

/* A fork has the locks as they are, and not the thread that owns them. */
static void forked(void)
{
    pid_t child;

    begin("holder", owns_and_sleeps);
    after(&is_done, 1);
    child = fork();
    if (child == 0) {
        begin("writer", writes);
        alarm(1);
        pthread_mutex_lock(&one);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    exit(0);
}

/* ---- that only wait ---- */

static void *naps(void *unused)
{
    pause_ms(600000);
    return unused;
}

static void *awaits_and_ends(void *unused)
{
    pthread_mutex_lock(&one);
    while (!tasks)
        pthread_cond_wait(&ready, &one);
    pthread_mutex_unlock(&one);
    return unused;
}

/* One thread sleeps, and may wake the others. */
static void nap(void)
{
    begin("napper", naps);
    begin("waiter", awaits_and_ends);
    say("healthy");
}

static void *reads(void *unused)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0)
        pthread_cond_signal(&ready);
    pause_ms(600000);
    return unused;
}

/* Workers of what comes in. */
static void input(void)
{
    begin("reader", reads);
    begin("worker-0", awaits_and_ends);
    begin("worker-1", awaits_and_ends);
    say("healthy");
}

static void *polls(void *unused)
{
    for (;;)
        poll(NULL, 0, 40);
    return unused;
}

static void event_loop(void)
{
    begin("loop", polls);
    begin("worker", awaits_and_ends);
    say("healthy");
}

static void *beats(void *unused)
{
    for (;;) {
        pause_ms(50);
        pthread_mutex_lock(&one);
        pthread_cond_signal(&ready);
        pthread_mutex_unlock(&one);
    }
    return unused;
}

static void *listens(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;)
        pthread_cond_wait(&ready, &one);
    return unused;
}

static void beat(void)
{
    begin("metronome", beats);
    begin("listener", listens);
    say("healthy");
}

static void *spins(void *unused)
{
    for (volatile unsigned i = 0;; i++)
        ;
    return unused;
}

static void *holds_and_spins(void *unused)
{
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    return spins(unused);
}

/* One computes with the lock that another wants. */
static void computes(void)
{
    begin("owner", holds_and_spins);
    begin("second", locks);
    say("healthy");
}

static void *waits_for_a_while(void *unused)
{
    for (;;) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_mutex_lock(&one);
        pthread_cond_timedwait(&ready, &one, &until);
        pthread_mutex_unlock(&one);
    }
    return unused;
}

static void timed(void)
{
    begin("timer", waits_for_a_while);
    say("healthy");
}

static void *takes_turns(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&one);
        pause_ms(2);
        pthread_mutex_unlock(&one);
        pause_ms(1);
    }
    return unused;
}

static void turns(void)
{
    begin("turn-0", takes_turns);
    begin("turn-1", takes_turns);
    begin("turn-2", takes_turns);
    say("healthy");
}

static void *writes_at_times(void *unused)
{
    for (;;) {
        pthread_rwlock_wrlock(&table);
        pause_ms(3);
        pthread_rwlock_unlock(&table);
        pause_ms(9);
    }
    return unused;
}

static void *reads_often(void *unused)
{
    for (;;) {
        pthread_rwlock_rdlock(&table);
        pause_ms(1);
        pthread_rwlock_unlock(&table);
        pause_ms(1);
    }
    return unused;
}

static void readers(void)
{
    begin("writer", writes_at_times);
    begin("reader-0", reads_often);
    begin("reader-1", reads_often);
    say("healthy");
}

static void *steps(void *unused)
{
    for (;;) {
        pause_ms(5);
        pthread_barrier_wait(&all);
    }
    return unused;
}

static void in_step(void)
{
    pthread_barrier_init(&all, NULL, 3);
    begin("step-0", steps);
    begin("step-1", steps);
    begin("step-2", steps);
    say("healthy");
}

static void *answers_each(void *unused)
{
    for (;;) {
        sem_wait(&requests);
        sem_post(&answers);
    }
    return unused;
}

static void *asks_at_times(void *unused)
{
    for (;;) {
        sem_post(&requests);
        sem_wait(&answers);
        pause_ms(20);
    }
    return unused;
}

static void served(void)
{
    sem_init(&requests, 0, 0);
    sem_init(&answers, 0, 0);
    begin("server", answers_each);
    begin("client", asks_at_times);
    say("healthy");
}

/* A worker waits for work as the program ends by itself. */
static void ends(void)
{
    begin("worker", awaits_and_ends);
    pause_ms(200);
    puts("healthy");
    fflush(stdout);
    exit(0);
}

static void *sleeps_with_lock(void *unused)
{
    pthread_mutex_lock(&one);
    atomic_store(&is_done, 1);
    pause_ms(600000);
    return unused;
}

/* The owner sleeps, and will go on. */
static void slow_owner(void)
{
    begin("owner", sleeps_with_lock);
    begin("second", locks);
    say("healthy");
}

static void *waits_for_events(void *unused)
{
    struct epoll_event event;
    int set = epoll_create1(0);

    event.events = EPOLLIN;
    epoll_ctl(set, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    while (epoll_wait(set, &event, 1, -1) > 0)
        pthread_cond_signal(&ready);
    return unused;
}

/* Workers of an event loop without a timeout. */
static void epolls(void)
{
    begin("loop", waits_for_events);
    begin("worker", awaits_and_ends);
    say("healthy");
}

static void *waits_for_child(void *unused)
{
    pid_t child = fork();

    if (child == 0) {
        /* No longer than this program: whoever records it waits for both. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("sleep", "sleep", "30", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    pthread_cond_signal(&ready);
    return unused;
}

/* Another process will end. */
static void child(void)
{
    begin("parent", waits_for_child);
    begin("patient", awaits_and_ends);
    say("healthy");
}

static void *looks_at_times(void *unused)
{
    for (;;) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        sem_timedwait(&permits, &until);
    }
    return unused;
}

/* A consumer that looks from time to time. */
static void looks(void)
{
    sem_init(&permits, 0, 0);
    begin("consumer", looks_at_times);
    say("healthy");
}

static void *uses_a_permit(void *unused)
{
    for (;;) {
        sem_wait(&permits);
        pause_ms(9);
        sem_post(&permits);
    }
    return unused;
}

/* Permits that are given back. */
static void pool(void)
{
    sem_init(&permits, 0, 1);
    begin("user-0", uses_a_permit);
    begin("user-1", uses_a_permit);
    begin("user-2", uses_a_permit);
    say("healthy");
}

static void *ends_soon(void *unused)
{
    pause_ms(5);
    return unused;
}

static void *starts_and_joins(void *unused)
{
    for (;;) {
        pthread_t thread;

        pthread_create(&thread, NULL, ends_soon, NULL);
        pthread_join(thread, NULL);
    }
    return unused;
}

/* Short threads, one after the other. */
static void short_threads(void)
{
    begin("starter", starts_and_joins);
    say("healthy");
}

static void *produces(void *unused)
{
    for (;;) {
        pause_ms(70);
        pthread_mutex_lock(&one);
        tasks++;
        pthread_cond_broadcast(&ready);
        pthread_mutex_unlock(&one);
    }
    return unused;
}

static void *consumes(void *unused)
{
    pthread_mutex_lock(&one);
    for (;;) {
        while (!tasks)
            pthread_cond_wait(&ready, &one);
        tasks--;
    }
    return unused;
}

/* A producer that is slow, and its consumers. */
static void queue(void)
{
    begin("producer", produces);
    begin("consumer-0", consumes);
    begin("consumer-1", consumes);
    say("healthy");
}

static void *takes_own(void *unused)
{
    for (;;) {
        own_lock(&own_one);
        pause_ms(5);
        own_unlock(&own_one);
    }
    return unused;
}

static void own_turns(void)
{
    begin("first", takes_own);
    begin("second", takes_own);
    say("healthy");
}

static void *gives_own(void *unused)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0)
        gives_task(unused);
    pause_ms(600000);
    return unused;
}

static void *works_own(void *unused)
{
    for (;;)
        futex(&own_tasks, FUTEX_WAIT_PRIVATE, atomic_load(&own_tasks), NULL, NULL, 0);
    return unused;
}

/* Workers of what comes in. */
static void own_input(void)
{
    begin("reader", gives_own);
    begin("worker-0", works_own);
    begin("worker-1", works_own);
    say("healthy");
}

static const struct {
    const char *name;
    void (*run)(void);
} PROGRAMS[] = {
    {"lost-signal", lost_signal},
    {"permits", permits_of_two},
    {"barrier", barrier},
    {"main-ends", main_ends},
    {"dead-owner", dead_owner},
    {"twice", twice},
    {"orders", orders},
    {"upgrade", upgrade},
    {"no-answer", no_answer},
    {"nested", nested},
    {"own-queue", own_queue},
    {"joins", joins},
    {"resumed", resumed},
    {"upgrades", upgrades},
    {"forked", forked},
    {"own-orders", own_orders},
    {"own-lost-wake", own_lost_wake},
    {"own-turns", own_turns},
    {"own-input", own_input},
    {"nap", nap},
    {"input", input},
    {"event-loop", event_loop},
    {"beat", beat},
    {"computes", computes},
    {"timed", timed},
    {"turns", turns},
    {"readers", readers},
    {"in-step", in_step},
    {"served", served},
    {"ends", ends},
    {"slow-owner", slow_owner},
    {"epolls", epolls},
    {"child", child},
    {"looks", looks},
    {"pool", pool},
    {"short-threads", short_threads},
    {"queue", queue},
};

static void *ticks(void *unused)
{
    for (;;)
        pause_ms(50);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t ticker;

    pthread_setname_np(pthread_self(), "main");
    if (argc == 3) {
        pthread_create(&ticker, NULL, ticks, NULL);
        pthread_setname_np(ticker, "ticker");
    }
    for (size_t i = 0; argc > 1 && i < sizeof(PROGRAMS) / sizeof(*PROGRAMS); i++)
        if (strcmp(PROGRAMS[i].name, argv[1]) == 0) {
            PROGRAMS[i].run();
            return 0;
        }
    return 2;
}
