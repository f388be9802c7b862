/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about virtual threads that wait for a carrier. A virtual thread that sleeps
 * or parks gives its carrier back; where others that were started wait to begin, and
 * those that began do little but sleep, the carriers were kept:
 *
 *     A  ═══ssss═ssss═ssss═     asleep, and pinned
 *     B  ~~~~~~~~~~~~~~~~~═══   started, and no carrier is free
 *
 * Each pinned thread keeps one of the carriers; there are as many carriers as
 * processors. If more threads than that were asleep at once, they were not pinned; if
 * fewer, carriers were free. Then the others waited for a processor.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_virtual.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"

#include "base/saturate.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { ENOUGH_THREADS = 2, PART_OF_RUN = 20 };

typedef struct carriers {
    tm__findings *findings;
    tm__tally places; ///< (place, 0, 0): where virtual threads were blocked meanwhile
    int64_t from_ns;  ///< the first began to wait
    int64_t to_ns;    ///< the last had waited
    int64_t waited_ns;
    int64_t most_ns;  ///< of one thread
    int64_t alive_ns; ///< of those that had begun, meanwhile
    int64_t blocked_ns;
    uint32_t threads; ///< that waited
} carriers;

static int is_virtual(const tm__thread *thread)
{
    return (thread->flags & TM_THREAD_VIRTUAL) != 0;
}

/* For how long a thread waited to begin; 0: not long. */
static int64_t waited_ns(const carriers *c, uint32_t number)
{
    const tm__thread *thread = &c->findings->model->entities.threads[number];
    int64_t ns;

    if (!is_virtual(thread) || thread->interval_first || thread->interval_count < 2 ||
        thread->intervals[0].state != TM_STATE_NEW)
        return 0;
    ns = thread->intervals[1].start_ns - thread->intervals[0].start_ns;
    return ns < c->findings->run_ns / PART_OF_RUN ? 0 : ns;
}

static void gather_waits(carriers *c)
{
    const tm_model *model = c->findings->model;

    c->from_ns = INT64_MAX;
    c->to_ns = INT64_MIN;
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        int64_t from_ns, ns = waited_ns(c, t);

        if (ns <= 0)
            continue;
        from_ns = model->entities.threads[t].intervals[0].start_ns;
        c->threads++;
        c->waited_ns = tm__sum(c->waited_ns, ns);
        c->most_ns = ns > c->most_ns ? ns : c->most_ns;
        c->from_ns = from_ns < c->from_ns ? from_ns : c->from_ns;
        c->to_ns = from_ns + ns > c->to_ns ? from_ns + ns : c->to_ns;
    }
}

static int waited(const void *context, uint32_t thread)
{
    return waited_ns(context, thread) > 0;
}

static int gather_places(carriers *c)
{
    const tm_model *model = c->findings->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; is_virtual(thread) && i < thread->interval_count; i++) {
            const tm__interval *it = &thread->intervals[i];
            int64_t from_ns = it->start_ns,
                    to_ns = tm__interval_end_ns(model, thread, i);

            from_ns = from_ns > c->from_ns ? from_ns : c->from_ns;
            to_ns = to_ns < c->to_ns ? to_ns : c->to_ns;
            if (it->state == TM_STATE_NEW || it->state == TM_STATE_DEAD ||
                to_ns <= from_ns)
                continue;
            c->alive_ns = tm__sum(c->alive_ns, to_ns - from_ns);
            if (it->state == TM_STATE_RUNNING || it->state == TM_STATE_RUNNABLE)
                continue;
            c->blocked_ns = tm__sum(c->blocked_ns, to_ns - from_ns);
            if (!tm__tally_add(&c->places, &c->findings->memory,
                               tm__caller_of(&c->findings->places, it->stack), 0, 0,
                               to_ns - from_ns, t))
                return tm__failure();
        }
    }
    return TM_OK;
}

static const tm__tally_item *top_place(const carriers *c)
{
    const tm__tally_item *top = NULL;

    for (uint32_t i = 0; i < c->places.items_count; i++)
        if (!top || c->places.items[i].total_ns > top->total_ns)
            top = &c->places.items[i];
    return top;
}

static int emit(carriers *c, const tm__tally_item *top)
{
    tm__findings *findings = c->findings;
    tm__finding *finding =
        tm__finding_new(findings, "virtual_threads_pinned", "timeline", c->waited_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    tm__where_text(finding, "state", tm_state_name(TM_STATE_NEW));
    if (tm__where_threads(finding, findings, waited, c) < 0)
        return tm__failure();
    finding->bound_ns = c->most_ns;
    finding->place = top->a;
    finding->thread = top->worst_thread;
    finding->inner_method = findings->places.items[top->a].method;
    facts.count = c->threads;
    facts.place = top->a;
    facts.total_ns = c->waited_ns;
    facts.longest_ns = c->most_ns;
    facts.share = tm__percent(c->blocked_ns, c->alive_ns);
    tm__finding_add(finding, findings, TM__TEXT_PINNED_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_PINNED_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_PINNED_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_PINNED_ADVICE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_PINNED_CAVEAT, &facts);
    return TM_OK;
}

/* Whether as many had begun as there were carriers, and no more of them were blocked.
 */
static int keep_all_carriers(const carriers *c)
{
    double all_ns = (double)c->findings->model->run.processors *
                    ((double)c->to_ns - (double)c->from_ns);

    if (all_ns <= 0)
        return c->blocked_ns >= c->alive_ns / 2;
    return c->blocked_ns >= c->alive_ns / 2 && (double)c->alive_ns > 0.75 * all_ns &&
           (double)c->blocked_ns < 1.1 * all_ns;
}

int tm__find_pinned(tm__findings *findings)
{
    carriers c = {.findings = findings};
    const tm__tally_item *top;
    int rc = TM_OK;

    gather_waits(&c);
    if (c.threads < ENOUGH_THREADS)
        return TM_OK;
    rc = gather_places(&c);
    top = top_place(&c);
    if (rc == TM_OK && top && top->a != TM__NONE && keep_all_carriers(&c) &&
        !tm__is_covered(findings, findings->places.items[top->a].method))
        rc = emit(&c, top);
    tm__tally_free(&c.places, &findings->memory);
    return rc;
}
