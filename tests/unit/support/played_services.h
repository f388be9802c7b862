/* SPDX-License-Identifier: Apache-2.0 */
/* Services whose clients wait for their answers, played. */
#ifndef TEST_PLAYED_SERVICES_H
#define TEST_PLAYED_SERVICES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

enum { CLIENTS = 6, MOST_PERMITS = 4, OTHER = 90, LOCK = 50, FUTURES = 60, KIND = 70 };
enum { WORK = 1, QUERY, GET, GIVE, STACKS };
enum { US = 1000, RUN_US = 3000000, SHORT_US = 200000, EVENTS = 200000 };

typedef struct numbered {
    tm_event event;
    size_t number;
} numbered;

typedef struct service {
    void (*run)(struct service *it);
    int work_us, asleep_us, gap_us, permits, length_us;
    numbered *events; /* NULL: it is computed for its rate alone */
    size_t count;
    uint32_t requests;
    uint64_t random;
} service;

static inline void add(service *it, int64_t us, uint64_t thread, tm_event event)
{
    if (!it->events)
        return;
    assert_true(it->count < EVENTS);
    event.time_ns = us * US;
    event.thread = thread;
    it->events[it->count] = (numbered){event, it->count};
    it->count++;
}

#define ADD(us, thread, what, ...)                                                     \
    add(it, us, thread, (tm_event){.kind = TM_EVENT_##what, __VA_ARGS__})

static inline void sleep_in(service *it, int64_t us, uint64_t thread, int length,
                            uint64_t in)
{
    ADD(us, thread, SLEEP, .stack = in);
    ADD(us + length, thread, SLEPT, .stack = 0);
}

/* Work takes 20 % more or less. */
static inline int worked(service *it)
{
    it->random = it->random * 6364136223846793005u + 1442695040888963407u;
    return it->work_us * (800 + (int)(it->random >> 33) % 401) / 1000;
}

/* The client that is the first to do something next. */
static inline int first_of(const int64_t *at_us)
{
    int first = 0;

    for (int i = 1; i < CLIENTS; i++)
        if (at_us[i] < at_us[first])
            first = i;
    return first;
}

/* A request begins with work. */
static inline int64_t request(service *it, int64_t us, uint64_t thread)
{
    int work = worked(it);

    ADD(us, thread, UNIT_BEGIN, .object = KIND);
    sleep_in(it, us, thread, work, WORK);
    return us + work;
}

static inline void run_station(service *it)
{
    int64_t at[CLIENTS], free_us = 0, until[CLIENTS] = {0};
    uint64_t owner[CLIENTS] = {0}; /* of the lock, one after the other */
    uint32_t turn = 0;

    for (int i = 0; i < CLIENTS; i++)
        at[i] = request(it, i, (uint64_t)i + 1);
    for (;;) {
        int i = first_of(at);
        uint64_t thread = (uint64_t)i + 1;
        int64_t start = at[i] > free_us + 2 ? at[i] : free_us + 2;

        if (start + it->asleep_us > it->length_us)
            return;
        if (start > at[i]) {
            uint32_t now = turn;

            while (now > 0 && now + CLIENTS > turn + 1 &&
                   until[(now - 1) % CLIENTS] > at[i])
                now--;
            ADD(at[i], thread, CONTENDED_ENTER, .object = LOCK,
                .peer = owner[now % CLIENTS], .stack = WORK,
                .flags = TM_EVENT_PEER_REPORTED);
            ADD(start, thread, CONTENDED_ENTERED, .object = LOCK);
        }
        sleep_in(it, start, thread, it->asleep_us, QUERY);
        free_us = start + it->asleep_us;
        owner[++turn % CLIENTS] = thread;
        until[turn % CLIENTS] = free_us;
        ADD(free_us + 4, thread, UNIT_END, .object = 0);
        it->requests++;
        at[i] = request(it, free_us + 5, thread);
    }
}

/* The thread that gets a permit wakes the next in the queue at once, from within the
 * call in which it waited, and that one waits again. The stack of this is that of a
 * release. */
static inline void pass_on(service *it, int64_t us, uint64_t thread, uint64_t next)
{
    ADD(us, thread, UNPARK_CALLED, .peer = next, .stack = GIVE,
        .flags = TM_EVENT_SAMPLED);
    ADD(us + 1, next, UNPARKED, .object = LOCK);
    ADD(us + 2, next, PARK, .object = LOCK, .stack = GET);
}

static inline void run_pool(service *it)
{
    int64_t at[CLIENTS], free_us[MOST_PERMITS] = {0};
    uint64_t had[MOST_PERMITS] = {0};

    for (int i = 0; i < CLIENTS; i++)
        at[i] = request(it, i, (uint64_t)i + 1);
    for (;;) {
        int i = first_of(at), slot = 0, next;
        uint64_t thread = (uint64_t)i + 1;
        int64_t came = at[i], start;

        for (int k = 1; k < it->permits; k++)
            if (free_us[k] < free_us[slot])
                slot = k;
        start = came > free_us[slot] + 3 ? came : free_us[slot] + 3;
        if (start + it->asleep_us > it->length_us)
            return;
        at[i] = INT64_MAX;
        next = first_of(at);
        if (start > came) {
            ADD(came, thread, PARK, .object = LOCK, .stack = GET);
            ADD(free_us[slot] + 2, had[slot], UNPARK_CALLED, .peer = thread,
                .stack = GIVE);
            ADD(start, thread, UNPARKED, .object = LOCK);
            if (at[next] + 10 < start)
                pass_on(it, start + 1, thread, (uint64_t)next + 1);
        }
        sleep_in(it, start + 5, thread, it->asleep_us, QUERY);
        free_us[slot] = start + 5 + it->asleep_us;
        had[slot] = thread;
        ADD(free_us[slot] + 8, thread, UNIT_END, .object = 0);
        it->requests++;
        at[i] = request(it, free_us[slot] + 9, thread);
    }
}

static inline void run_writer(service *it)
{
    int cycle = it->asleep_us + it->gap_us;

    for (int64_t us = it->gap_us; us + cycle <= it->length_us; us += cycle) {
        sleep_in(it, us, OTHER, it->asleep_us, QUERY);
        sleep_in(it, us + it->asleep_us + 1, OTHER, it->gap_us - 2, WORK);
    }
    for (int i = 0; i < CLIENTS; i++) {
        uint64_t thread = (uint64_t)i + 1;
        int64_t us = (int64_t)i * 37;

        for (;;) {
            int64_t into = (us - it->gap_us) % cycle;
            int is_stopped = us >= it->gap_us && into > 0 && into < it->asleep_us;
            int64_t begun = us, work = worked(it);

            if (us + cycle + work > it->length_us)
                break;
            ADD(begun, thread, UNIT_BEGIN, .object = KIND);
            if (is_stopped) {
                ADD(us, thread, CONTENDED_ENTER, .object = LOCK, .peer = OTHER,
                    .stack = GET, .flags = TM_EVENT_PEER_REPORTED);
                us += it->asleep_us - into;
                ADD(us, thread, CONTENDED_ENTERED, .object = LOCK);
            }
            sleep_in(it, us, thread, (int)work, WORK);
            us += work + 1;
            ADD(us, thread, UNIT_END, .object = 0);
            it->requests++;
        }
    }
}

static inline void run_sender(service *it)
{
    int64_t put[CLIENTS] = {0}, begun[CLIENTS], us = 0;

    for (int i = 0; i < CLIENTS; i++)
        begun[i] = put[i] = 1 + (int64_t)i * 37;
    while (us + it->asleep_us + it->gap_us + 2 * it->work_us <= RUN_US) {
        int64_t sent;

        if (it->asleep_us)
            sleep_in(it, us, OTHER, it->asleep_us, QUERY);
        us += it->asleep_us;
        sleep_in(it, us + 1, OTHER, it->gap_us - 2, WORK);
        sent = us + it->gap_us;
        for (int i = 0; i < CLIENTS; i++) {
            uint64_t thread = (uint64_t)i + 1;
            int64_t work;

            if (put[i] > us)
                continue;
            work = worked(it);
            ADD(begun[i], thread, UNIT_BEGIN, .object = KIND);
            ADD(put[i], thread, PARK, .object = FUTURES + thread, .stack = GET);
            ADD(sent, OTHER, UNPARK_CALLED, .peer = thread, .stack = WORK);
            ADD(sent + 1, thread, UNPARKED, .object = FUTURES + thread);
            sleep_in(it, sent + 1, thread, (int)work, WORK);
            ADD(sent + 2 + work, thread, UNIT_END, .object = 0);
            it->requests++;
            begun[i] = put[i] = sent + 3 + work;
        }
        us = sent;
    }
}

#endif
