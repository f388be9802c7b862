/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/causes/cause_facts.h"

#include "model/entities/thread.h"
#include "model/intervals/context.h"

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
