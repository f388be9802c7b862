/* SPDX-License-Identifier: Apache-2.0 */
/* The delays in the method, or with the endpoint, that is asked about. */
#include "analysis/whatif/asked_delays.h"

#include "base/error.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { OF_ALL, WITHIN, KINDS, STEPS_A_DOUBLING = 4, ENOUGH = 8 };

/* In place of a class: sleeps of any length. */
#define ANY_LENGTH TM__NONE

/* Two sleeps of one class differ in length by no more than a quarter. */
static uint32_t length_class(int64_t ns)
{
    uint32_t doublings = 0;

    while (ns >= 2 * STEPS_A_DOUBLING) {
        ns /= 2;
        doublings++;
    }
    return doublings * STEPS_A_DOUBLING + (uint32_t)(ns > 0 ? ns : 0);
}

static uint32_t class_of(const tm_model *model, uint32_t thread, uint32_t interval)
{
    const tm__thread *it = &model->entities.threads[thread];

    return length_class(tm__interval_end_ns(model, it, interval) -
                        it->intervals[interval].start_ns);
}

static int count_one(tm__asked_delays *delays, uint32_t thread, uint32_t length,
                     int is_within)
{
    for (uint32_t kind = OF_ALL; kind < KINDS; kind++) {
        uint32_t *count =
            tm__triple_map_at(&delays->counts, delays->memory, thread, length, kind);

        if (!count)
            return TM_ENOMEM;
        *count += kind == OF_ALL || is_within;
    }
    return TM_OK;
}

int tm__asked_delays_gather(tm__asked_delays *delays, const tm_model *model,
                            tm__memory *memory, const uint8_t *stacks)
{
    delays->memory = memory;
    delays->stacks = stacks;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *thread = &model->entities.threads[i];

        for (uint32_t k = 0; k < thread->interval_count; k++) {
            const tm__interval *it = &thread->intervals[k];
            uint32_t length;

            if (it->state != TM_STATE_SLEEPING || it->stack == TM__NONE)
                continue;
            length = class_of(model, i, k);
            if (count_one(delays, i, length, stacks[it->stack]) < 0 ||
                count_one(delays, i, ANY_LENGTH, stacks[it->stack]) < 0 ||
                count_one(delays, TM__NONE, length, stacks[it->stack]) < 0)
                return tm__failure();
        }
    }
    return TM_OK;
}

void tm__asked_delays_free(tm__asked_delays *delays)
{
    tm__triple_map_free(&delays->counts, delays->memory);
}

/* @return the share in the method; -1: too few sleeps are known to tell */
static double share_of(const tm__asked_delays *delays, uint32_t thread, uint32_t length,
                       uint32_t least)
{
    const uint32_t *count =
        tm__triple_map_find(&delays->counts, thread, length, OF_ALL);
    const uint32_t *within =
        tm__triple_map_find(&delays->counts, thread, length, WITHIN);

    return count && within && *count >= least ? (double)*within / *count : -1;
}

static int is_idle(const tm__asked_delays *delays, const tm__interval *it)
{
    return tm__interval_is_idle(it) ||
           (delays->idle && it->stack != TM__NONE && delays->idle[it->stack]);
}

static int is_asked_io(const tm__asked_delays *delays, const tm__interval *it)
{
    if (is_idle(delays, it))
        return 0;
    if (delays->objects)
        return it->object != TM__NONE && delays->objects[it->object] != TM__NONE;
    return delays->stacks && it->stack != TM__NONE && delays->stacks[it->stack];
}

static double share_of_sleep(const tm__asked_delays *delays, const tm_model *model,
                             uint32_t thread, uint32_t interval)
{
    uint32_t stack = model->entities.threads[thread].intervals[interval].stack;
    uint32_t length = class_of(model, thread, interval);
    double share;

    if (stack != TM__NONE)
        return delays->stacks[stack];
    share = share_of(delays, thread, length, ENOUGH);
    if (share < 0) {
        share = share_of(delays, thread, ANY_LENGTH, ENOUGH);
        if (share > 0 && share < 1)
            share = -1;
    }
    if (share < 0)
        share = share_of(delays, TM__NONE, length, 1);
    return share < 0 ? 0 : share;
}

double tm__asked_delay_share(const tm__asked_delays *delays, const tm_model *model,
                             uint32_t thread, uint32_t interval)
{
    const tm__interval *it = &model->entities.threads[thread].intervals[interval];

    if (it->state == TM_STATE_IO)
        return is_asked_io(delays, it);
    if (it->state == TM_STATE_SLEEPING && delays->stacks)
        return share_of_sleep(delays, model, thread, interval);
    return 0;
}
