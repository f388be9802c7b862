/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that cannot go on. The whole program cannot where no thread can by
 * itself: whatever the primitives are, no thread is left to end a wait. A part of it
 * cannot where each thread of a set waits for something that only the set, or threads
 * that have ended, ever provided: standstill_part.c finds it.
 */
#include "analysis/timeline/blocking.h"
#include "analysis/waits/standstill.h"
#include "analysis/waits/standstill_part.h"
#include "analysis/waits/wait_state.h"
#include "model/entities/reports.h"

/* The whole program has to stand still for so long. */
enum { LEAST_WHOLE_NS = 50000000, STARVED_AT_MOST = 64 };

/* ---- the whole program ---- */

static uint64_t process_of(const tm_model *model, const tm__thread *thread)
{
    return thread->pid ? thread->pid : model->run.pid;
}

/* A process ends when its first thread returns, and goes on when that ends itself. */
static int goes_on_without_main(const tm__wait_graph *graph)
{
    const tm_model *model = graph->model;
    const tm__thread *threads = model->entities.threads;
    uint32_t count = model->entities.threads_count;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t pid = process_of(model, &threads[i]);

        if (!threads[i].os_id || threads[i].os_id != pid ||
            threads[i].end_ns == INT64_MIN ||
            graph->at_ns - threads[i].end_ns < LEAST_WHOLE_NS)
            continue;
        for (uint32_t k = 0; k < count; k++)
            if (graph->nodes[k].kind != TM__NODE_ABSENT &&
                process_of(model, &threads[k]) == pid)
                return 1;
    }
    return 0;
}

/* A runtime whose last non-daemon thread has ended is ending itself: daemons that wait
 * then do not hang. */
static int only_daemons_are_left(const tm__wait_graph *graph)
{
    const tm_model *model = graph->model;

    if (goes_on_without_main(graph))
        return 0;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        int kind = graph->nodes[i].kind;

        if ((kind == TM__NODE_WAITS || kind == TM__NODE_IDLE) &&
            !(model->entities.threads[i].flags & TM_THREAD_VIRTUAL) &&
            !tm__may_wait_for_ever(model, &model->entities.threads[i]))
            return 0;
    }
    return 1;
}

static int has_carrier_edge(const tm__wait_graph *graph)
{
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        if (graph->nodes[i].kind == TM__NODE_WAITS &&
            graph->nodes[i].edge == TM_WAIT_EDGE_CARRIER)
            return 1;
    return 0;
}

/* A look at the thread found that it waited, for how long is not known. */
static int is_found_waiting(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__thread *it = &graph->model->entities.threads[thread];

    return !tm__model_is_of_dumps(graph->model) &&
           it->intervals[graph->nodes[thread].interval].flags & TM__INTERVAL_SNAPSHOT;
}

/* All threads may wait for a moment while one hands something to another: a recording
 * that ends then shows no standstill. A thread that has ended hands nothing on. */
static int has_lasted(const tm__wait_graph *graph)
{
    return tm__model_is_of_dumps(graph->model) || graph->alive_moved_ns == INT64_MIN ||
           graph->at_ns - graph->alive_moved_ns >= LEAST_WHOLE_NS;
}

/* A thread that a dump may lack may go on. */
static int may_lack_threads(const tm_model *model)
{
    return tm__model_is_of_dumps(model) &&
           !tm__model_reports(model, TM_EVENT_THREAD_END);
}

static int is_whole(const tm__wait_graph *graph)
{
    return !may_lack_threads(graph->model) && !graph->has_polls &&
           !graph->counts[TM__NODE_MOVES] && graph->counts[TM__NODE_WAITS] &&
           !only_daemons_are_left(graph) && has_lasted(graph);
}

/* ---- the answer ---- */

/* Virtual threads that wait for what one has that was woken, and has no carrier. */
static void add_those_behind(tm__wait_graph *graph)
{
    uint32_t count = graph->model->entities.threads_count, starved = 0;

    for (uint32_t i = 0; i < count && starved < STARVED_AT_MOST; i++) {
        if (graph->nodes[i].kind != TM__NODE_WAITS ||
            graph->nodes[i].edge != TM_WAIT_EDGE_CARRIER)
            continue;
        starved++;
        for (uint32_t k = 0; k < count; k++)
            if (graph->nodes[k].kind == TM__NODE_WAITS &&
                graph->nodes[i].object != TM__NONE &&
                graph->nodes[k].object == graph->nodes[i].object)
                graph->nodes[k].is_member = 1;
    }
}

static void sum_up(tm__standstill *found, const tm__wait_graph *graph)
{
    int64_t seen_ns = INT64_MIN;
    int has_owner = 0;

    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (!node->is_member)
            continue;
        found->members++;
        if (found->first == TM__NONE ||
            node->since_ns < graph->nodes[found->first].since_ns)
            found->first = i;
        /* A wait that was found in mid-life began before. A single look may be a
         * coincidence. */
        if (!is_found_waiting(graph, i)) {
            if (node->since_ns > found->since_ns)
                found->since_ns = node->since_ns;
        } else {
            if (node->since_ns > seen_ns)
                seen_ns = node->since_ns;
            found->suspected |= graph->at_ns - node->since_ns < LEAST_WHOLE_NS;
        }
        found->suspected |= node->is_lost;
        if (found->kind != TM__STANDSTILL_WHOLE)
            found->suspected |= node->provenance <= TM_PROVENANCE_INFERRED;
        has_owner |=
            node->edge == TM_WAIT_EDGE_OWNER || node->edge == TM_WAIT_EDGE_CLASS;
        if (node->edge == TM_WAIT_EDGE_CARRIER ||
            (found->kind == TM__STANDSTILL_PART && node->edge == TM_WAIT_EDGE_TASK))
            found->kind = TM__STANDSTILL_STARVED;
    }
    /* A task whose worker waits for what the waiter has is not queued behind it. */
    if (found->kind == TM__STANDSTILL_STARVED && has_owner && !has_carrier_edge(graph))
        found->kind = TM__STANDSTILL_PART;
    if (found->kind != TM__STANDSTILL_WHOLE)
        return;
    /* Another thread did something after the last of them was found waiting. */
    if (graph->moved_ns > found->since_ns && graph->moved_ns >= seen_ns)
        found->since_ns = graph->moved_ns;
    else if (seen_ns > found->since_ns)
        found->since_ns = INT64_MIN;
}

int tm__standstill_find(tm__standstill *found, tm__wait_graph *graph)
{
    const tm_model *model = graph->model;
    int is_of_dumps = tm__model_is_of_dumps(model), rc = TM_OK;

    *found = (tm__standstill){
        .first = TM__NONE, .since_ns = INT64_MIN, .kind = TM__STANDSTILL_NONE};
    if (!graph->counts[TM__NODE_WAITS])
        return TM_OK;
    if (is_whole(graph) && !has_carrier_edge(graph)) {
        found->kind = TM__STANDSTILL_WHOLE;
        for (uint32_t i = 0; i < model->entities.threads_count; i++)
            graph->nodes[i].is_member = graph->nodes[i].kind == TM__NODE_WAITS;
    } else {
        rc = tm__standstill_find_part(graph);
        add_those_behind(graph);
        found->kind = TM__STANDSTILL_PART;
    }
    if (rc < 0)
        return rc;
    sum_up(found, graph);
    if (!found->members) {
        found->kind = TM__STANDSTILL_NONE;
        return TM_OK;
    }
    if (is_of_dumps && model->replay.dumps_count < 2)
        found->suspected = 1;
    if (is_of_dumps && model->replay.dumps_count &&
        found->since_ns <= model->replay.dumps[0])
        found->since_ns = INT64_MIN;
    return TM_OK;
}
