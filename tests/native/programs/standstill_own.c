/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with locks and queues of their own, on futexes. */
#include "standstill.h"

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

/* The wake-up comes before its wait, which looks too late at the changed word. */
static void own_lost_wake(void)
{
    begin("taker", awaits_task);
    begin("giver", gives_task);
    say("hung main taker");
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

/* Workers for requests from the input. */
static void own_input(void)
{
    begin("reader", gives_own);
    begin("worker-0", works_own);
    begin("worker-1", works_own);
    say("healthy");
}

const situation ON_OWN[] = {
    {"own-orders", own_orders},
    {"own-lost-wake", own_lost_wake},
    {"own-turns", own_turns},
    {"own-input", own_input},
    {NULL, NULL},
};
