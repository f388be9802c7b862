/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that runs: stopped by the collector, or in a method, which samples show.
 *
 *     runs      [ ·······s1·····s2··········]   s1, s2: samples
 *     method    [ of s1  ][of s2           ]
 */
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_running.h"
#include "base/error.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/interval.h"

static int put(tm__causes *c, uint32_t node, tm__cause_part *part, int64_t until_ns,
               uint32_t cause, uint32_t method)
{
    tm__cause_label label = {cause, TM__NONE, method};
    tm__cause_part own = *part;

    if (until_ns <= part->from_ns)
        return TM_OK;
    own.to_ns = until_ns;
    part->from_ns = until_ns;
    part->begins = 0;
    return tm__cause_child(c, node, label, &own) == TM__NONE ? tm__failure() : TM_OK;
}

static const tm__context *sample(const tm__causes *c, uint32_t number)
{
    return &c->model->intervals.contexts[c->facts.samples[number].number];
}

/* Deal a part in which the thread runs out to the samples of its interval. */
static int put_sampled(tm__causes *c, uint32_t node, tm__cause_part *part,
                       int64_t until_ns)
{
    const tm__thread *thread = &c->model->entities.threads[part->thread];
    int64_t end_ns = tm__interval_end_ns(c->model, thread, part->interval);
    uint32_t first = c->facts.first_of[part->thread];
    uint32_t end = c->facts.first_of[part->thread + 1], low = first, high = end;
    uint32_t method = TM__NONE;
    int rc = TM_OK;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sample(c, middle)->start_ns < part->from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; rc == TM_OK && low < end && sample(c, low)->start_ns < until_ns; low++)
        rc = put(c, node, part, sample(c, low)->start_ns, TM__CAUSE_PROCESSOR,
                 tm__cause_method(c, sample(c, low)->stack));
    if (low < end && sample(c, low)->start_ns < end_ns)
        method = tm__cause_method(c, sample(c, low)->stack);
    else if (low > first &&
             sample(c, low - 1)->start_ns >= thread->intervals[part->interval].start_ns)
        method = tm__cause_method(c, sample(c, low - 1)->stack);
    return rc == TM_OK ? put(c, node, part, until_ns, TM__CAUSE_PROCESSOR, method) : rc;
}

int tm__cause_running(tm__causes *c, uint32_t node, const tm__cause_part *part,
                      int is_running)
{
    const tm__cause_facts *facts = &c->facts;
    tm__cause_part rest = *part;
    uint32_t low = 0, high = facts->pauses_count;
    int rc = TM_OK;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (facts->pauses[middle].to_ns <= part->from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; rc == TM_OK && rest.from_ns < part->to_ns; low++) {
        int64_t from_ns = part->to_ns, to_ns = part->to_ns;

        if (low < facts->pauses_count && facts->pauses[low].from_ns < from_ns)
            from_ns = facts->pauses[low].from_ns;
        if (low < facts->pauses_count && facts->pauses[low].to_ns < to_ns)
            to_ns = facts->pauses[low].to_ns;
        rc = is_running
                 ? put_sampled(c, node, &rest, from_ns)
                 : put(c, node, &rest, from_ns, TM__CAUSE_NO_PROCESSOR, TM__NONE);
        if (rc == TM_OK)
            rc = put(c, node, &rest, to_ns, TM__CAUSE_COLLECTOR, TM__NONE);
    }
    return rc;
}
