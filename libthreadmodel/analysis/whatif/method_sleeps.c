/* SPDX-License-Identifier: Apache-2.0 */
/* Which sleeps are in the method asked about, also where they have no stack. */
#include "analysis/whatif/method_sleeps.h"

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

static int count_one(tm__method_sleeps *sleeps, uint32_t thread, uint32_t length,
                     int is_within)
{
    for (uint32_t kind = OF_ALL; kind < KINDS; kind++) {
        uint32_t *count =
            tm__triple_map_at(&sleeps->counts, sleeps->memory, thread, length, kind);

        if (!count)
            return TM_ENOMEM;
        *count += kind == OF_ALL || is_within;
    }
    return TM_OK;
}

int tm__method_sleeps_gather(tm__method_sleeps *sleeps, const tm_model *model,
                             tm__memory *memory, const uint8_t *stacks)
{
    *sleeps = (tm__method_sleeps){.memory = memory, .stacks = stacks};
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *thread = &model->entities.threads[i];

        for (uint32_t k = 0; k < thread->interval_count; k++) {
            const tm__interval *it = &thread->intervals[k];
            uint32_t length;

            if (it->state != TM_STATE_SLEEPING || it->stack == TM__NONE)
                continue;
            length = class_of(model, i, k);
            if (count_one(sleeps, i, length, stacks[it->stack]) < 0 ||
                count_one(sleeps, i, ANY_LENGTH, stacks[it->stack]) < 0 ||
                count_one(sleeps, TM__NONE, length, stacks[it->stack]) < 0)
                return TM_ENOMEM;
        }
    }
    return TM_OK;
}

void tm__method_sleeps_free(tm__method_sleeps *sleeps)
{
    tm__triple_map_free(&sleeps->counts, sleeps->memory);
}

/* @return the share in the method; -1: too few sleeps are known to tell */
static double share_of(const tm__method_sleeps *sleeps, uint32_t thread,
                       uint32_t length, uint32_t least)
{
    const uint32_t *count =
        tm__triple_map_find(&sleeps->counts, thread, length, OF_ALL);
    const uint32_t *within =
        tm__triple_map_find(&sleeps->counts, thread, length, WITHIN);

    return count && within && *count >= least ? (double)*within / *count : -1;
}

double tm__method_sleep_share(const tm__method_sleeps *sleeps, const tm_model *model,
                              uint32_t thread, uint32_t interval)
{
    uint32_t stack = model->entities.threads[thread].intervals[interval].stack;
    uint32_t length = class_of(model, thread, interval);
    double share;

    if (stack != TM__NONE)
        return sleeps->stacks[stack];
    share = share_of(sleeps, thread, length, ENOUGH);
    if (share < 0) {
        share = share_of(sleeps, thread, ANY_LENGTH, ENOUGH);
        if (share > 0 && share < 1)
            share = -1;
    }
    if (share < 0)
        share = share_of(sleeps, TM__NONE, length, 1);
    return share < 0 ? 0 : share;
}
