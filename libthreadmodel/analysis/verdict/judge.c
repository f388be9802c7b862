/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict: deadlocks first, then a standstill, else how the threads spent their
 * time. One pass over all intervals, and the graph of waits.
 */
#include "analysis/listing/caveats.h"
#include "analysis/listing/listing.h"
#include "analysis/verdict/bound.h"
#include "analysis/verdict/bound_unended.h"
#include "analysis/verdict/bound_units.h"
#include "analysis/verdict/judge.h"

#include "analysis/waits/graph_of_waits.h"
#include "analysis/waits/runtime_threads.h"
#include "analysis/waits/standstill.h"
#include "analysis/waits/wait_order.h"
#include "analysis/waits/wait_wants.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/reports.h"
#include "model/wakeups/worker_loops.h"

/* A program that did something for less than one part in so many of the run was idle,
 * however many threads it has. */
enum { IDLE_PARTS = 50 };

/* ---- deadlocks ---- */

/* A timed wait in the circle breaks it. */
static int is_timed(const tm__judgement *it, const tm__deadlock *deadlock)
{
    for (uint32_t i = 0; i < deadlock->member_count; i++)
        if (it->model->deadlocks.members[deadlock->member_first + i].deadline_ns !=
            INT64_MAX)
            return 1;
    return 0;
}

static int stands(const tm__judgement *it, const tm__deadlock *deadlock)
{
    return !deadlock->withdrawn && !is_timed(it, deadlock) &&
           deadlock->time_ns <= it->graph.at_ns &&
           (deadlock->resolved_ns == INT64_MIN ||
            deadlock->resolved_ns > it->graph.at_ns);
}

static int is_sure(const tm__deadlock *deadlock)
{
    return deadlock->confirmed || !deadlock->suspected;
}

/* Only the threads of the circles are members: a thread that waits for them is blocked,
 * too, and goes on when they do. */
static void mark_deadlocked(tm__judgement *it, int sure)
{
    const tm_model *model = it->model;

    for (uint32_t d = 0; d < model->deadlocks.cycles_count; d++) {
        const tm__deadlock *deadlock = &model->deadlocks.cycles[d];

        if (!stands(it, deadlock) || (sure && !is_sure(deadlock)))
            continue;
        if (!it->circles++ || deadlock->time_ns < it->since_ns)
            it->since_ns = deadlock->time_ns;
        for (uint32_t i = 0; i < deadlock->member_count; i++) {
            uint32_t thread =
                model->deadlocks.members[deadlock->member_first + i].thread;

            it->graph.nodes[thread].is_member = 1;
        }
    }
}

/* Whether a look found a member waiting that had waited before, nobody knows since
 * when: then the circle may be as old. */
static int is_older(const tm__judgement *it)
{
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        const tm__wait_node *node = &it->graph.nodes[i];

        if (node->is_member && node->interval != TM__NONE &&
            node->since_ns >= it->since_ns &&
            it->model->entities.threads[i].intervals[node->interval].flags &
                TM__INTERVAL_SNAPSHOT)
            return 1;
    }
    return 0;
}

static int find_deadlock(tm__judgement *it)
{
    int any = 0, sure = 0;

    for (uint32_t d = 0; d < it->model->deadlocks.cycles_count; d++) {
        const tm__deadlock *deadlock = &it->model->deadlocks.cycles[d];

        any |= stands(it, deadlock);
        sure |= stands(it, deadlock) && is_sure(deadlock);
    }
    if (!any)
        return 0;
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++)
        it->graph.nodes[i].is_member = 0;
    it->verdict = TM_VERDICT_DEADLOCKED;
    it->suspected = !sure;
    mark_deadlocked(it, sure);
    if (!tm__model_is_of_dumps(it->model) && is_older(it))
        it->since_ns = INT64_MIN;
    /* A dump shows that it is there, not since when. */
    if (tm__model_is_of_dumps(it->model) && it->model->replay.dumps_count &&
        it->since_ns <= it->model->replay.dumps[0])
        it->since_ns = INT64_MIN;
    return 1;
}

static void add_interval(tm__judgement *it, const tm__interval *interval,
                         int64_t length_ns)
{
    tm__time_spent *spent = &it->spent;
    int64_t *sum = &spent->ran_ns;

    switch (interval->state) {
    case TM_STATE_NEW:
    case TM_STATE_DEAD: return;
    case TM_STATE_SLEEPING: sum = &spent->slept_ns; break;
    case TM_STATE_RUNNABLE: sum = &spent->wanted_ns; break;
    case TM_STATE_NATIVE: sum = &spent->native_ns; break;
    case TM_STATE_IO: sum = &spent->io_ns; break;
    default:
        if (tm__is_queueing(it, interval))
            sum = &spent->queued_ns;
        else if (tm__is_stopped(interval->state))
            sum = &spent->waited_ns;
    }
    if (tm__is_waiting_for_work(it, interval))
        sum = &spent->idle_ns;
    *sum = tm__sum(*sum, length_ns);
    spent->lived_ns = tm__sum(spent->lived_ns, length_ns);
}

static void add_up(tm__judgement *it)
{
    const tm_model *model = it->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        if (tm__is_runtime_thread(model, t) || thread->flags & TM_THREAD_CARRIER)
            continue;
        for (uint32_t i = 0; i < thread->interval_count; i++) {
            int64_t length_ns = tm__judged_ns(it, thread, i);

            if (length_ns > 0)
                add_interval(it, &thread->intervals[i], length_ns);
        }
    }
}

/* A thread that waits for a lock, or owes something to others, is not idle. */
static int has_demand(const tm__judgement *it)
{
    if (it->owed)
        return 1;
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        const tm__wait_node *node = &it->graph.nodes[i];

        if (node->kind == TM__NODE_WAITS &&
            (node->want == TM__WANT_LOCK || node->want == TM__WANT_RECEIVER ||
             node->is_giving || node->edge == TM_WAIT_EDGE_OWNER))
            return 1;
    }
    return 0;
}

static int is_idle(const tm__judgement *it)
{
    const tm__time_spent *spent = &it->spent;

    if (has_demand(it))
        return 0;
    return (it->graph.counts[TM__NODE_IDLE] && !it->graph.counts[TM__NODE_MOVES]) ||
           tm__sum(tm__sum(spent->ran_ns, spent->wanted_ns),
                   tm__sum(spent->queued_ns, spent->io_ns)) <
               tm__judged_span_ns(it) / IDLE_PARTS;
}

/* ---- the verdict ---- */

static int verdict_of(const tm__judgement *it)
{
    switch (it->found.kind) {
    case TM__STANDSTILL_WHOLE: return TM_VERDICT_STUCK;
    case TM__STANDSTILL_PART: return TM_VERDICT_PARTLY_STUCK;
    case TM__STANDSTILL_STARVED: return TM_VERDICT_STARVED;
    default: break;
    }
    if (!it->spent.lived_ns || tm__model_is_of_dumps(it->model))
        return TM_VERDICT_CANNOT_TELL;
    if (it->bound.users || it->unit_parts || it->most_unended)
        return TM_VERDICT_BOUND;
    return is_idle(it) ? TM_VERDICT_IDLE : TM_VERDICT_HEALTHY;
}

/* Find the bound of the run: where it ended, or else a lock, a place or the processors.
 */
static int find_bound(tm__judgement *it)
{
    int is_judged = !it->found.kind && !tm__model_is_of_dumps(it->model), rc = TM_OK;

    it->bound.object = it->bound.stack = TM__NONE;
    if (is_judged)
        rc = tm__find_bound_of_unended(it);
    if (rc < 0 || it->most_unended)
        return rc;
    rc = tm__find_bound(it);
    if (rc == TM_OK && is_judged && it->bound.object == TM__NONE)
        rc = tm__find_bound_of_units(it);
    if (rc == TM_OK && it->bound.object == TM__NONE && !it->unit_parts)
        tm__find_bound_of_processors(it);
    return rc;
}

static int judge(tm__judgement *it)
{
    int rc = tm__standstill_find(&it->found, &it->graph);

    if (rc < 0)
        return rc;
    add_up(it);
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++)
        it->owed += tm__wait_is_owed(&it->graph, i) != 0;
    rc = find_bound(it);
    if (rc < 0)
        return rc;
    if (!find_deadlock(it)) {
        it->verdict = verdict_of(it);
        it->suspected = it->found.kind && it->found.suspected;
        it->since_ns =
            it->most_unended ? it->most_unended->since_ns : it->found.since_ns;
    }
    rc = tm__wait_order(&it->graph, &it->order, &it->count);
    it->members = (tm__wait_case){.model = it->model,
                                  .graph = &it->graph,
                                  .labels = &it->labels,
                                  .order = it->order,
                                  .count = it->count};
    return rc;
}

static void close_judgement(tm__judgement *it)
{
    tm_table_free(it->unit_parts);
    tm__unended_close(&it->unended);
    tm__free(&it->memory, it->order, (size_t)it->count * sizeof(*it->order));
    tm__wait_graph_close(&it->graph);
    tm__labels_close(&it->labels);
}

/* @return TM_OK, or an error, and then nothing is to be closed */
static int open_judgement(tm__judgement *it, const tm_model *model,
                          const tm_selection *selection)
{
    int rc;

    *it = (tm__judgement){.model = model, .since_ns = INT64_MIN};
    tm__memory_init(&it->memory, &model->memory.hook);
    it->is_part = tm__scope_open_window(&it->scope, model, selection, "verdicts");
    rc = it->is_part < 0 ? it->is_part : tm__labels_open(&it->labels, model);
    if (rc < 0)
        return rc;
    rc = tm__wait_graph_open(&it->graph, model, it->scope.to_ns, &it->memory);
    if (rc == TM_OK)
        rc = tm__worker_loops_find(model);
    if (rc == TM_OK)
        rc = judge(it);
    if (rc < 0)
        close_judgement(it);
    return rc;
}

int tm__judgement_list(tm_table **out, const tm_model *model,
                       const tm_selection *selection, const tm__table_spec *spec,
                       void (*put)(tm__builder *builder, tm__judgement *it))
{
    tm__judgement judgement;
    tm__builder builder;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = open_judgement(&judgement, model, selection);
    if (rc < 0)
        return rc;
    tm__builder_start(&builder, spec, 0, &model->memory.hook);
    if (judgement.is_part)
        tm__scope_put_part(&judgement.scope, model, &builder);
    tm__model_put_caveats(model, &builder);
    put(&builder, &judgement);
    rc = judgement.labels.failed;
    close_judgement(&judgement);
    return tm__builder_close(&builder, out, rc);
}
