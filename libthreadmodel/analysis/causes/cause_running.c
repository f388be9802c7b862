/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that runs: stopped by the collector, or in a method, which samples show.
 *
 *     runs      [ ·······s1·····s2··········]   s1, s2: samples
 *     method    [ of s1  ][of s2           ]
 */
#include "analysis/causes/causes.h"

#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/interval.h"

static int64_t start_of(const void *payload, uint32_t number)
{
    return ((const tm__context *)payload)[number].start_ns;
}

static int by_time(const void *payload, uint32_t left, uint32_t right)
{
    int64_t l = start_of(payload, left), r = start_of(payload, right);

    return (l > r) - (l < r);
}

static int64_t thread_of(const void *payload, uint32_t number)
{
    const tm__context *it = &((const tm__context *)payload)[number];

    return it->kind == TM_EVENT_CPU_SAMPLE && it->thread != TM__NONE ? it->thread
                                                                     : UINT32_MAX;
}

static int gather_samples(tm__causes *c)
{
    const tm_model *model = c->model;
    uint32_t threads = model->entities.threads_count;
    const tm__context *contexts = model->intervals.contexts;

    c->facts.samples_count = model->intervals.contexts_count;
    c->facts.samples =
        tm__sorted_new(c->memory, c->facts.samples_count, thread_of, by_time, contexts);
    c->facts.first_of = tm__zalloc(c->memory, ((size_t)threads + 1) * sizeof(uint32_t));
    if (!c->facts.samples || !c->facts.first_of)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < c->facts.samples_count; i++)
        if (thread_of(contexts, i) != UINT32_MAX)
            c->facts.first_of[contexts[i].thread + 1]++;
    for (uint32_t t = 0; t < threads; t++)
        c->facts.first_of[t + 1] += c->facts.first_of[t];
    return TM_OK;
}

static int gather_pauses(tm__causes *c)
{
    const tm__context *contexts = c->model->intervals.contexts;
    uint32_t count = c->model->intervals.contexts_count;
    tm__sortable *order = tm__sorted_new(c->memory, count, start_of, NULL, contexts);
    tm__cause_facts *facts = &c->facts;
    int rc = order ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < count; i++) {
        const tm__context *it = &contexts[order[i].number];
        tm__cause_window *last =
            facts->pauses_count ? &facts->pauses[facts->pauses_count - 1] : NULL;

        if (it->kind != TM_EVENT_GC_PAUSE || it->end_ns <= it->start_ns)
            continue;
        if (last && it->start_ns <= last->to_ns) {
            if (it->end_ns > last->to_ns)
                last->to_ns = it->end_ns;
            continue;
        }
        rc = tm__reserve(c->memory, &facts->pauses, &facts->pauses_capacity,
                         (size_t)facts->pauses_count + 1, sizeof(*facts->pauses));
        if (rc == TM_OK)
            facts->pauses[facts->pauses_count++] =
                (tm__cause_window){.from_ns = it->start_ns, .to_ns = it->end_ns};
    }
    tm__sorted_free(c->memory, order, count);
    return rc;
}

int tm__cause_facts_gather(tm__causes *c)
{
    int rc = gather_samples(c);

    return rc == TM_OK ? gather_pauses(c) : rc;
}

void tm__cause_facts_free(tm__causes *c)
{
    tm__sorted_free(c->memory, c->facts.samples, c->facts.samples_count);
    tm__free(c->memory, c->facts.first_of,
             ((size_t)c->model->entities.threads_count + 1) * sizeof(uint32_t));
    tm__free(c->memory, c->facts.pauses,
             c->facts.pauses_capacity * sizeof(*c->facts.pauses));
}

/* ---- a part ---- */

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
    return tm__cause_child(c, node, label, &own) == TM__NONE ? TM_ENOMEM : TM_OK;
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
