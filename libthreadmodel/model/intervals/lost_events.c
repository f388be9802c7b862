/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When events were lost, as stretches of time that do not overlap: some a second in a
 * run that lost many, most runs have none. Beyond a few thousand they grow together.
 */
#include "base/error.h"
#include "base/search.h"
#include "model/state/model.h"
#include "model/intervals/lost_events.h"

enum { LOSSES_MAX = 4096 };

int tm__loss_note(tm_model *model, int64_t from_ns, int64_t to_ns)
{
    tm__loss loss = {from_ns < to_ns ? from_ns : to_ns, to_ns};
    tm__loss *last;

    if (tm__reserve(&model->memory, &model->intervals.gaps,
                    &model->intervals.gaps_capacity,
                    (size_t)model->intervals.gaps_count + 1,
                    sizeof(*model->intervals.gaps)) < 0)
        return tm__failure();
    while (model->intervals.gaps_count) {
        last = &model->intervals.gaps[model->intervals.gaps_count - 1];
        if (loss.from_ns > last->to_ns && model->intervals.gaps_count < LOSSES_MAX)
            break;
        if (last->from_ns < loss.from_ns)
            loss.from_ns = last->from_ns;
        if (last->to_ns > loss.to_ns)
            loss.to_ns = last->to_ns;
        model->intervals.gaps_count--;
    }
    model->intervals.gaps[model->intervals.gaps_count++] = loss;
    return TM_OK;
}

/* The first stretch that ends at a time or later. */
static uint32_t find_gap(const tm__intervals *intervals, int64_t from_ns)
{
    return TM__FIRST_FROM(intervals->gaps, tm__loss, to_ns, 0, intervals->gaps_count,
                          from_ns);
}

int tm__lost_between(const tm__intervals *intervals, int64_t from_ns, int64_t to_ns)
{
    uint32_t gap = find_gap(intervals, from_ns);

    return gap < intervals->gaps_count && intervals->gaps[gap].from_ns <= to_ns;
}

int64_t tm__lost_first_ns(const tm__intervals *intervals, int64_t since_ns)
{
    uint32_t gap = find_gap(intervals, since_ns);

    return gap < intervals->gaps_count ? intervals->gaps[gap].from_ns : INT64_MIN;
}
