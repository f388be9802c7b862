/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activities beside the threads' states: facts that were reported when they were over,
 * kept in the order of arrival. A run has some thousands, apart from CPU samples; a
 * question reads all of them.
 */
#include "model/entities/fact.h"
#include "model/intervals/context.h"
#include "model/state/model.h"

int tm__context_reserve(tm_model *model)
{
    return tm__reserve(&model->memory, &model->intervals.contexts,
                       &model->intervals.contexts_capacity,
                       (size_t)model->intervals.contexts_count + 1,
                       sizeof(*model->intervals.contexts));
}

/* How long it lasted. A start before the earliest time that is taken would not fit. */
static int64_t length_of(const tm__fact *fact)
{
    int64_t limit_ns;

    if (fact->kind != TM_EVENT_GC_PAUSE && fact->kind != TM_EVENT_PINNED)
        return 0;
    if (fact->value <= 0)
        return 0;
    limit_ns = fact->time_ns + TM__TIME_LIMIT_NS;
    return fact->value < limit_ns ? fact->value : limit_ns;
}

static uint16_t cause_of(const tm__fact *fact)
{
    if (fact->kind != TM_EVENT_INFLATED || fact->value < 0 ||
        fact->value >= TM_INFLATION_END)
        return TM_INFLATION_UNKNOWN;
    return (uint16_t)fact->value;
}

void tm__context_add(tm__intervals *intervals, const tm__fact *fact)
{
    tm__context_sum *sum = &intervals->context_sums[fact->kind];
    int64_t length_ns = length_of(fact);

    intervals->contexts[intervals->contexts_count++] =
        (tm__context){.start_ns = fact->time_ns - length_ns,
                      .end_ns = fact->time_ns,
                      .thread = fact->thread,
                      .object = fact->object,
                      .stack = fact->stack,
                      .kind = fact->kind,
                      .cause = cause_of(fact)};
    sum->count++;
    /* Nonsense of a producer may add up to more than any number holds. */
    sum->total_ns =
        sum->total_ns <= INT64_MAX - length_ns ? sum->total_ns + length_ns : INT64_MAX;
    if (length_ns > sum->max_ns)
        sum->max_ns = length_ns;
}
