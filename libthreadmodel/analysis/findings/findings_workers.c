/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about executors whose workers are never idle though they do not run. A
 * worker is known by where it waits for work, and workers of one executor by their
 * names, which differ in numbers alone.
 */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/findings_workers.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum {
    ENOUGH_BLOCKS = 20,
    PART_OF_RUN = 10, ///< what is blocked, at least
    IDLE_PART = 8     ///< of the workers' time, at most
};

typedef struct executor {
    uint32_t worker; ///< threads[]: one of them
    uint32_t workers;
    uint32_t others; ///< threads of it that do something else all the time
    uint32_t blocks;
    int64_t from_ns; ///< from the first time that one of them was blocked
    int64_t to_ns;   ///< to the last
    int64_t blocked_ns;
    int64_t idle_ns; ///< meanwhile
} executor;

typedef struct executors {
    tm__findings *findings;
    uint32_t *of_thread;    ///< items[] + 1; 0: no worker
    uint32_t chosen;        ///< items[] + 1, whose workers are evidence
    tm__triple_map by_name; ///< (hash of the name without numbers): items[] + 1
    tm__tally places;       ///< (executor, place, state)
    TM__ARRAY(executor, items);
} executors;

static uint64_t name_hash(const char *name)
{
    uint64_t hash = 14695981039346656037u;

    for (; *name; name++)
        if (*name < '0' || *name > '9')
            hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static int is_worker(const tm__findings *findings, const tm__thread *thread)
{
    tm__blocked_part it;

    /* A thread that waits idly for a connection or a request is of no executor. One
     * that has no time to be idle in a part of the run is a worker all the same. */
    for (uint32_t i = 0; i < thread->interval_count; i++)
        if (tm__blocked_part_of_run(findings, thread, i, &it) && it.is_idle &&
            it.state != TM_STATE_IO)
            return 1;
    return 0;
}

/* Find the workers, their executors, and from when to when those had work. */
static int gather(executors *e)
{
    const tm_model *model = e->findings->model;
    tm__memory *memory = &e->findings->memory;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];
        const char *name = tm__thread_name(&model->entities, t);
        uint64_t hash;
        uint32_t *value;
        executor *it;
        tm__blocked_part at;

        if (!name || !*name || !is_worker(e->findings, thread))
            continue;
        hash = name_hash(name);
        value = tm__triple_map_at(&e->by_name, memory, (uint32_t)hash,
                                  (uint32_t)(hash >> 32), 0);
        if (!value)
            return tm__failure();
        if (*value == 0) {
            if (tm__reserve(memory, &e->items, &e->items_capacity,
                            (size_t)e->items_count + 1, sizeof(*e->items)) < 0)
                return tm__failure();
            e->items[e->items_count++] =
                (executor){.from_ns = INT64_MAX, .to_ns = INT64_MIN};
            *value = e->items_count;
        }
        e->of_thread[t] = *value;
        it = &e->items[*value - 1];
        for (uint32_t i = 0; i < thread->interval_count; i++) {
            if (!tm__blocked_part_at(e->findings, thread, i, &at) || at.is_idle)
                continue;
            it->blocks++;
            if (!tm__tally_add(&e->places, memory, *value - 1, at.place,
                               (uint32_t)at.state, at.to_ns - at.from_ns, t))
                return tm__failure();
        }
    }
    return TM_OK;
}

static const tm__tally_item *top_place(const executors *e, uint32_t number)
{
    const tm__tally_item *top = NULL;

    for (uint32_t i = 0; i < e->places.items_count; i++) {
        const tm__tally_item *item = &e->places.items[i];

        if (item->a == number && (!top || item->total_ns > top->total_ns))
            top = item;
    }
    return top;
}

/* From when to when an executor had work: what it does at one place for most of its
 * time tells, since a pool may be started early and its end be locked. */
static void find_spans(executors *e)
{
    for (uint32_t t = 0; t < e->findings->model->entities.threads_count; t++) {
        const tm__thread *thread = &e->findings->model->entities.threads[t];
        uint32_t number = e->of_thread[t];
        executor *it = number ? &e->items[number - 1] : NULL;
        const tm__tally_item *top = it ? top_place(e, number - 1) : NULL;
        tm__blocked_part at;

        for (uint32_t i = 0; top && i < thread->interval_count; i++) {
            if (!tm__blocked_part_at(e->findings, thread, i, &at) || at.place != top->b)
                continue;
            it->from_ns = at.from_ns < it->from_ns ? at.from_ns : it->from_ns;
            it->to_ns = at.to_ns > it->to_ns ? at.to_ns : it->to_ns;
        }
    }
}

/** The activity of a thread while its executor had work. */
typedef struct worked {
    int64_t blocked_ns;
    int64_t idle_ns;
    int64_t at_top_ns; ///< of blocked_ns, where its executor is blocked most
} worked;

static worked add_up(const executors *e, const executor *it, uint32_t thread,
                     uint32_t top_place)
{
    const tm__thread *of = &e->findings->model->entities.threads[thread];
    worked sums = {0};
    tm__blocked_part at;

    for (uint32_t i = 0; i < of->interval_count; i++) {
        int64_t ns;

        if (!tm__blocked_part_at(e->findings, of, i, &at))
            continue;
        at.from_ns = at.from_ns > it->from_ns ? at.from_ns : it->from_ns;
        at.to_ns = at.to_ns < it->to_ns ? at.to_ns : it->to_ns;
        if (at.to_ns <= at.from_ns)
            continue;
        ns = at.to_ns - at.from_ns;
        if (at.is_idle)
            sums.idle_ns = tm__sum(sums.idle_ns, ns);
        else
            sums.blocked_ns = tm__sum(sums.blocked_ns, ns);
        if (!at.is_idle && at.place == top_place)
            sums.at_top_ns = tm__sum(sums.at_top_ns, ns);
    }
    return sums;
}

/* A server's acceptors and selectors are threads of its executor, too. Each has one
 * task that does not end: it is neither idle nor there for others. */
static void sum_up(executors *e)
{
    for (uint32_t t = 0; t < e->findings->model->entities.threads_count; t++) {
        uint32_t number = e->of_thread[t];
        executor *it = number ? &e->items[number - 1] : NULL;
        const tm__tally_item *top = it ? top_place(e, number - 1) : NULL;
        worked sums;

        if (!top || it->to_ns <= it->from_ns)
            continue;
        sums = add_up(e, it, t, top->b);
        if (!sums.at_top_ns && sums.idle_ns <= (it->to_ns - it->from_ns) / IDLE_PART) {
            e->of_thread[t] = 0;
            it->others++;
            continue;
        }
        if (!it->workers++)
            it->worker = t;
        it->blocked_ns = tm__sum(it->blocked_ns, sums.blocked_ns);
        it->idle_ns = tm__sum(it->idle_ns, sums.idle_ns);
    }
}

/* Whether another card shows what threads wait for at a place, for certain or because
 * they cannot go on. */
static int is_explained(const tm__findings *findings, uint32_t place)
{
    for (uint32_t i = 0; i < findings->items_count; i++)
        if (findings->items[i].blocked_place == place &&
            (!findings->items[i].suspected || findings->items[i].stands))
            return 1;
    return 0;
}

/* Workers that queue for a lock, or wait for a pool, have the trouble of that. */
static int is_too_small(const executors *e, const executor *it,
                        const tm__tally_item *top)
{
    int64_t all_ns;

    if (!top || !it->workers)
        return 0;
    all_ns = tm__product(it->to_ns - it->from_ns, it->workers);
    return it->blocks >= ENOUGH_BLOCKS && top->b != TM__NONE &&
           top->c != TM_STATE_BLOCKED && top->c != TM_STATE_REENTERING &&
           !tm__caller_is_library(&e->findings->places, top->b) &&
           it->blocked_ns >= all_ns / 2 && top->total_ns >= it->blocked_ns / 2 &&
           it->idle_ns <= all_ns / IDLE_PART &&
           it->blocked_ns / it->workers >= e->findings->run_ns / PART_OF_RUN &&
           !is_explained(e->findings, top->b) &&
           !tm__is_covered(e->findings, e->findings->places.items[top->b].method);
}

static int is_worker_here(const void *context, uint32_t thread)
{
    const executors *e = context;

    return e->of_thread[thread] == e->chosen;
}

static void write_all(tm__finding *finding, const tm__findings *findings,
                      const executor *it, const tm__tally_item *top)
{
    int64_t span_ns = it->to_ns - it->from_ns;
    int64_t all_ns = tm__product(span_ns, it->workers);
    int is_one = it->workers == 1;
    tm__facts facts = TM__NO_FACTS;

    facts.count = it->workers;
    facts.thread = it->worker;
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_WORKER_TITLE : TM__TEXT_WORKERS_TITLE, &facts);
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_WORKER_WAITS : TM__TEXT_WORKERS_WAIT, &facts);
    facts.others = it->workers - 1;
    facts.share = tm__percent(it->idle_ns, all_ns);
    facts.span_ns = span_ns;
    facts.state = tm__state_words(top->c);
    facts.place = top->b;
    facts.other_share = tm__percent(top->total_ns, all_ns);
    facts.count = (uint64_t)top->count;
    facts.mean_ns = top->total_ns / top->count;
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_WORKER_HOLDS : TM__TEXT_WORKERS_HOLD, &facts);
    facts.count = it->others;
    if (it->others)
        tm__finding_add(finding, findings, TM__TEXT_WORKERS_OTHERS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_WORKERS_ADVICE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_WORKERS_CAVEAT, &facts);
}

static int emit_executor(executors *e, uint32_t number, const tm__tally_item *top)
{
    tm__findings *findings = e->findings;
    const executor *it = &e->items[number];
    tm__finding *finding =
        tm__finding_new(findings, "executor_too_small", "timeline", it->blocked_ns);

    if (!finding)
        return tm__failure();
    e->chosen = number + 1;
    tm__where_text(finding, "state", tm_state_name((int)top->c));
    tm__where_caller(finding, findings, "method", top->b, 1);
    if (tm__where_threads(finding, findings, is_worker_here, e) < 0)
        return tm__failure();
    finding->bound_ns = it->blocked_ns / it->workers;
    finding->is_saturated = 1;
    tm__ask_without_sleeps(finding, findings, (int)top->c, top->b);
    finding->place = top->b;
    finding->thread = top->worst_thread;
    finding->inner_method = findings->places.items[top->b].method;
    write_all(finding, findings, it, top);
    return TM_OK;
}

int tm__find_workers(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t);
    executors e = {.findings = findings};
    tm__top top = {.count = 0};
    int rc;

    e.of_thread = tm__zalloc(&findings->memory, bytes);
    rc = e.of_thread ? gather(&e) : tm__failure();
    if (rc == TM_OK) {
        find_spans(&e);
        sum_up(&e);
    }
    for (uint32_t i = 0; rc == TM_OK && i < e.items_count; i++)
        if (is_too_small(&e, &e.items[i], top_place(&e, i)))
            tm__top_add(&top, e.items[i].blocked_ns, i);
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit_executor(&e, top.numbers[i], top_place(&e, top.numbers[i]));
    tm__free(&findings->memory, e.of_thread, bytes);
    tm__free(&findings->memory, e.items, e.items_capacity * sizeof(*e.items));
    tm__triple_map_free(&e.by_name, &findings->memory);
    tm__tally_free(&e.places, &findings->memory);
    return rc;
}
