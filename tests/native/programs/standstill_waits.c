/* SPDX-License-Identifier: Apache-2.0 */
/* Healthy programs whose threads wait, for one of them that computes or sleeps, or for
 * something outside. */
#include "standstill.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

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

/* Workers for requests from the input. */
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

/* The owner of a lock computes while another thread wants it. */
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
        /* No longer than this program: the recorder waits for both. */
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

const situation WAITS[] = {
    {"nap", nap},
    {"input", input},
    {"event-loop", event_loop},
    {"beat", beat},
    {"computes", computes},
    {"timed", timed},
    {"ends", ends},
    {"slow-owner", slow_owner},
    {"epolls", epolls},
    {"child", child},
    {NULL, NULL},
};
