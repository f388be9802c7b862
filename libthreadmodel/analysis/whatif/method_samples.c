/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU samples divide running time among methods. A stretch that has many goes by its
 * own; a shorter one by all of its thread's, since most of those between two samples
 * have none.
 *
 *     running    ══════════════╗ waits ╔═══╗ waits ╔══
 *     samples      m  m  ·  m            ·             in the method, or not
 */
#include "analysis/whatif/method_samples.h"

#include "analysis/whatif/hold_state.h"
#include "model/intervals/context.h"

enum { ENOUGH_SAMPLES = 10 };

static int is_sample(const tm_model *model, uint32_t number)
{
    const tm__context *it = &model->intervals.contexts[number];

    return it->kind == TM_EVENT_CPU_SAMPLE && it->thread != TM__NONE &&
           it->stack != TM__NONE;
}

int tm__method_samples_gather(tm__method_samples *it, const tm_model *model,
                              tm__memory *memory, const uint8_t *stacks)
{
    it->memory = memory;
    it->threads = model->entities.threads_count;
    for (uint32_t i = 0; i < model->intervals.contexts_count; i++)
        it->count += is_sample(model, i) != 0;
    it->first = tm__zalloc(memory, ((size_t)it->threads + 2) * sizeof(*it->first));
    it->items =
        tm__resize(memory, NULL, 0, ((size_t)it->count + 1) * sizeof(*it->items));
    if (!it->first || !it->items)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->intervals.contexts_count; i++)
        if (is_sample(model, i))
            it->first[model->intervals.contexts[i].thread + 2]++;
    for (uint32_t i = 2; i < it->threads + 2; i++)
        it->first[i] += it->first[i - 1];
    /* Each thread's first becomes the next one's. */
    for (uint32_t i = 0; i < model->intervals.contexts_count; i++)
        if (is_sample(model, i)) {
            const tm__context *from = &model->intervals.contexts[i];

            it->items[it->first[from->thread + 1]++] = (tm__method_sample){
                .time_ns = from->end_ns, .inside = stacks[from->stack] != 0};
        }
    for (uint32_t i = 1; i < it->count; i++)
        it->items[i].inside += it->items[i - 1].inside;
    return TM_OK;
}

/* The first sample of a thread that is not before a time. */
static uint32_t sample_at(const tm__method_samples *it, uint32_t thread,
                          int64_t time_ns)
{
    uint32_t low = it->first[thread], high = it->first[thread + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (it->items[middle].time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By how much the part of so many samples may be off: twice the standard error, at
 * most. */
static double error_of(uint32_t count)
{
    double root = 1;

    while (root * root < count)
        root *= 2;
    for (int i = 0; i < 4; i++)
        root = (root + count / root) / 2;
    return 1 / root;
}

uint16_t tm__method_part(const tm__method_samples *it, uint32_t thread, int64_t from_ns,
                         int64_t to_ns, int bound)
{
    uint32_t begin = sample_at(it, thread, from_ns);
    uint32_t end = sample_at(it, thread, to_ns);
    uint64_t inside;
    double part;

    if (end < begin || end - begin < ENOUGH_SAMPLES) {
        begin = it->first[thread];
        end = it->first[thread + 1];
    }
    if (begin == end)
        return 0;
    inside = it->items[end - 1].inside - (begin ? it->items[begin - 1].inside : 0);
    if (!inside)
        return 0;
    part = (double)inside / (end - begin);
    if (bound == TM__HOLDS_SHORT)
        part -= error_of(end - begin);
    else if (bound == TM__HOLDS_LONG)
        part += error_of(end - begin);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return (uint16_t)(part * TM__WHOLE + 0.5);
}

void tm__method_samples_free(tm__method_samples *it)
{
    tm__free(it->memory, it->first, ((size_t)it->threads + 2) * sizeof(*it->first));
    tm__free(it->memory, it->items, ((size_t)it->count + 1) * sizeof(*it->items));
    *it = (tm__method_samples){.memory = it->memory};
}
