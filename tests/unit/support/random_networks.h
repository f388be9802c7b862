/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of stations, with their clients, drawn at random and played. */
#ifndef TEST_RANDOM_NETWORKS_H
#define TEST_RANDOM_NETWORKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

enum { CLIENTS = 12, STAGES = 4, KIND = 70, OBJECTS = 50, US = 1000 };
enum { NETWORKS = 40, RECORDED = 600, COMPUTED = 6000, EVENTS = 60000 };
enum { STACKS_EACH = 4, SLEEPS = 1, GETS, GIVES };
enum { NEAR_PERCENT = 15 };

enum stage_kind { DELAY, LOCK, POOL };

typedef struct step {
    enum stage_kind kind;
    int length_us, permits;
    int is_within; /* the next stage is done with it in hand */
} step;

typedef struct numbered {
    tm_event event;
    size_t number;
} numbered;

typedef struct sender {
    int64_t at_us, began_us;
    int stage;      /* -1: thinks */
    int has_waited; /* it got what it queued for */
    int is_queued;
    int64_t left_us[STAGES]; /* of the request */
} sender;

typedef struct station {
    int in_use;
    int queue[CLIENTS], queued;
    int owner; /* of a lock, the last */
} station;

typedef struct network {
    step stages[STAGES];
    int stages_count, clients, think_us;
    uint64_t random;
    numbered *events; /* NULL: it is computed for its rate alone */
    size_t count;
    sender of[CLIENTS];
    station at[STAGES];
    int64_t now_us;
    int done;
} network;

static inline uint32_t number(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % below);
}

static inline void add(network *it, int64_t us, int which, tm_event event)
{
    if (!it->events)
        return;
    assert_true(it->count < EVENTS);
    event.time_ns = us * US;
    event.thread = (uint64_t)which + 1;
    it->events[it->count] = (numbered){event, it->count};
    it->count++;
}

#define ADD(us, thread, what, ...)                                                     \
    add(it, us, thread, (tm_event){.kind = TM_EVENT_##what, __VA_ARGS__})

static inline uint64_t stack_of(int stage, int what)
{
    return (uint64_t)(stage * STACKS_EACH + what);
}

/* Sleep for a length that varies by half. */
static inline void sleep_at(network *it, int which, int stage)
{
    sender *own = &it->of[which];
    int length = it->stages[stage].length_us;

    length = length / 2 + (int)number(&it->random, (uint32_t)length + 1);
    ADD(it->now_us, which, SLEEP, .stack = stack_of(stage, SLEEPS));
    ADD(it->now_us + length, which, SLEPT, .stack = 0);
    own->at_us = it->now_us + length + 1;
}

static inline void queue(network *it, int which, int stage)
{
    station *at = &it->at[stage];

    at->queue[at->queued++] = which;
    it->of[which].is_queued = 1;
    if (it->stages[stage].kind == LOCK)
        ADD(it->now_us, which, CONTENDED_ENTER, .object = (uint64_t)(OBJECTS + stage),
            .peer = (uint64_t)at->owner + 1, .stack = stack_of(stage, GETS),
            .flags = TM_EVENT_PEER_REPORTED);
    else
        ADD(it->now_us, which, PARK, .object = (uint64_t)(OBJECTS + stage),
            .stack = stack_of(stage, GETS));
}

static inline void give(network *it, int which, int stage)
{
    station *at = &it->at[stage];
    int next;

    if (!at->queued) {
        at->in_use--;
        return;
    }
    next = at->queue[0];
    memmove(at->queue, at->queue + 1, (size_t)--at->queued * sizeof(*at->queue));
    at->owner = next;
    it->of[next].at_us = it->now_us + 2;
    it->of[next].is_queued = 0;
    if (it->stages[stage].kind == LOCK) {
        ADD(it->now_us + 2, next, CONTENDED_ENTERED,
            .object = (uint64_t)(OBJECTS + stage));
        return;
    }
    ADD(it->now_us, which, UNPARK_CALLED, .peer = (uint64_t)next + 1,
        .stack = stack_of(stage, GIVES));
    ADD(it->now_us + 2, next, UNPARKED, .object = (uint64_t)(OBJECTS + stage));
}

/* The first of the stages whose permits and locks a client has in hand: those taken
 * before are kept. */
static inline int first_in_hand(const network *it, int stage)
{
    while (stage > 0 && it->stages[stage - 1].is_within)
        stage--;
    return stage;
}

static inline void begin_stage(network *it, int which)
{
    sender *own = &it->of[which];
    station *at = &it->at[own->stage];
    int servers =
        it->stages[own->stage].kind == LOCK ? 1 : it->stages[own->stage].permits;

    if (it->stages[own->stage].kind != DELAY && !own->has_waited) {
        if (at->in_use == servers) {
            own->has_waited = 1;
            queue(it, which, own->stage);
            return;
        }
        at->in_use++;
        at->owner = which;
    }
    own->has_waited = 0;
    sleep_at(it, which, own->stage);
    own->stage++;
}

static inline void end_stage(network *it, int which)
{
    sender *own = &it->of[which];
    int stage = own->stage - 1;

    if (stage < 0 || it->stages[stage].is_within)
        return;
    for (int s = stage; s >= first_in_hand(it, stage); s--)
        if (it->stages[s].kind != DELAY)
            give(it, which, s);
}

static inline void go_on(network *it, int which)
{
    sender *own = &it->of[which];

    if (own->stage < 0) {
        ADD(it->now_us, which, UNIT_BEGIN, .object = KIND);
        own->stage = 0;
    } else if (!own->has_waited) {
        end_stage(it, which);
    }
    if (own->stage < it->stages_count) {
        begin_stage(it, which);
        return;
    }
    ADD(it->now_us + 1, which, UNIT_END, .object = 0);
    it->done++;
    own->stage = -1;
    own->at_us = it->now_us + 2;
    if (it->think_us)
        own->at_us += (int)number(&it->random, 2 * (uint32_t)it->think_us);
}

static inline double rate_of(network *it, int requests)
{
    memset(it->of, 0, sizeof(it->of));
    memset(it->at, 0, sizeof(it->at));
    it->done = 0;
    it->now_us = 0;
    for (int i = 0; i < it->clients; i++)
        it->of[i] = (sender){.at_us = 37 * i, .stage = -1};
    while (it->done < requests) {
        int first = -1;

        for (int i = 0; i < it->clients; i++)
            if (!it->of[i].is_queued &&
                (first < 0 || it->of[i].at_us < it->of[first].at_us))
                first = i;
        it->now_us = it->of[first].at_us;
        go_on(it, first);
    }
    return it->done / (it->now_us / 1e6);
}

static inline network random_network(uint64_t *random)
{
    network it = {.clients = 4 + (int)number(random, CLIENTS - 3)};

    it.stages_count = 2 + (int)number(random, STAGES - 1);
    if (number(random, 2))
        it.think_us = 500 + (int)number(random, 10000);
    for (int i = 0; i < it.stages_count; i++) {
        step *of = &it.stages[i];

        of->kind = (enum stage_kind)number(random, 3);
        of->length_us = 1000 + (int)number(random, of->kind == LOCK ? 3000 : 12000);
        of->permits = 1 + (int)number(random, 4);
        of->is_within =
            of->kind == LOCK && i + 1 < it.stages_count && !number(random, 4);
    }
    it.random = *random;
    return it;
}

#endif
