/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of lock order that can deadlock. Lengths from two up, each by a search of
 * that depth from its smallest node, so that every cycle is met once and the small
 * ones first. A way is followed no further than it can still lead back in time, and a
 * budget of steps bounds what a dense graph costs.
 *
 *     A ──▶ B ──▶ C        an edge may have been seen many times; a cycle counts when
 *     ▲           │        for each of its edges one time can be chosen so that no
 *     └───────────┘        two are by one thread, under one gate lock, or in order
 */
#include <string.h>

#include "analysis/locks/lock_cycles.h"
#include "analysis/locks/lineage.h"
#include "analysis/locks/lock_graph.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"

enum { STEPS_MAX = 2000000, USES_TRIED = 16, TOO_FAR = UINT8_MAX };

/** Edges by the node that they lead to, and how far nodes are from a start. */
typedef struct way_back {
    uint32_t *first; ///< by node: in from[]
    uint32_t *from;  ///< by edge
    uint32_t *queue; ///< of nodes
    uint8_t
        *distance; ///< by node: edges to the start; TOO_FAR: more than are looked at
} way_back;

typedef struct search {
    const tm__lock_graph *graph;
    tm__lineage *lineage;
    tm__cycle **cycles;
    uint32_t *count;
    uint32_t *capacity;
    uint32_t found;
    uint32_t path[TM__CYCLE_EDGES]; ///< edges[]
    uint32_t chosen[TM__CYCLE_EDGES];
    uint32_t length;
    uint32_t steps;
    way_back back;
} search;

/* A lock that is held in both: who holds it keeps the other out, unless both share it.
 */
static int share_gate(const tm__lock_graph *graph, const tm__nesting *left,
                      const tm__nesting *right)
{
    const tm__held *l = &graph->helds[left->held_first];
    const tm__held *r = &graph->helds[right->held_first];
    uint32_t i = 0, j = 0;

    if (left->is_coarse != right->is_coarse)
        return 0;
    while (i < left->held_count && j < right->held_count) {
        if (l[i].object == r[j].object) {
            if (!l[i].is_shared || !r[j].is_shared)
                return 1;
            i++;
            j++;
        } else if (l[i].object < r[j].object) {
            i++;
        } else {
            j++;
        }
    }
    return 0;
}

static int can_coincide(search *s, uint32_t left, uint32_t right)
{
    const tm__lock_graph *graph = s->graph;
    const tm__nesting *l = &graph->nestings[graph->uses[left].nesting];
    const tm__nesting *r = &graph->nestings[graph->uses[right].nesting];

    return l->thread != r->thread && !share_gate(graph, l, r) &&
           !tm__lineage_orders(s->lineage, l, r, 0) &&
           !tm__lineage_orders(s->lineage, r, l, 0);
}

/* Whether the owner of the lock in `holder` excludes the thread that wants it in
 * `wanter`: readers do not exclude one another. */
static int keeps_out(const tm__lock_graph *graph, uint32_t holder, uint32_t wanter)
{
    return !graph->helds[graph->uses[holder].held].is_shared ||
           !graph->nestings[graph->uses[wanter].nesting].is_shared;
}

/* Whether one edge was over when the thread of another was woken to begin it: that may
 * be a rule of the program, and may have been chance. */
static int is_ordered_here(search *s)
{
    const tm__lock_graph *graph = s->graph;

    for (uint32_t i = 0; i < s->length; i++)
        for (uint32_t j = 0; j < s->length; j++)
            if (tm__lineage_orders(
                    s->lineage, &graph->nestings[graph->uses[s->chosen[i]].nesting],
                    &graph->nestings[graph->uses[s->chosen[j]].nesting], 1))
                return 1;
    return 0;
}

/* A native lock that is known by its address alone. */
static int is_by_address(const tm__object *it)
{
    return it->flags & TM_OBJECT_MAYBE_MANY &&
           (it->kind == TM_OBJECT_KIND_MUTEX || it->kind == TM_OBJECT_KIND_RWLOCK ||
            it->kind == TM_OBJECT_KIND_SPIN_LOCK);
}

/* From when to when an edge was seen. */
static void span_of(const tm__lock_graph *graph, const tm__edge *edge,
                    int64_t *first_ns, int64_t *last_ns)
{
    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    for (uint32_t i = edge->use_first; i < edge->use_first + edge->use_count; i++) {
        const tm__nesting *it = &graph->nestings[graph->uses[i].nesting];

        *first_ns = it->first_ns < *first_ns ? it->first_ns : *first_ns;
        *last_ns = it->last_ns > *last_ns ? it->last_ns : *last_ns;
    }
}

/* Whether the lock at which two edges meet may have been two, one after the other in
 * the same memory: the two edges were never seen in turn. */
static int may_be_apart(const search *s, uint32_t left, uint32_t right)
{
    const tm__lock_graph *graph = s->graph;
    const tm__edge *l = &graph->edges[s->path[left]];
    const tm__edge *r = &graph->edges[s->path[right]];
    uint32_t object = tm__use_held_object(graph, &graph->uses[r->use_first]);
    int64_t l_first_ns, l_last_ns, r_first_ns, r_last_ns;

    if (object == TM__NONE || !is_by_address(&graph->model->entities.objects[object]))
        return 0;
    span_of(graph, l, &l_first_ns, &l_last_ns);
    span_of(graph, r, &r_first_ns, &r_last_ns);
    return l_last_ns < r_first_ns || r_last_ns < l_first_ns;
}

static int may_be_others(const search *s)
{
    for (uint32_t i = 0; i < s->length; i++)
        if (may_be_apart(s, i, (i + 1) % s->length))
            return 1;
    return 0;
}

/* A cycle with a lock whose place of acquisition is unknown cannot be checked, unless
 * it is certain that the lock was held: lost events may have contained its release. */
static int has_place(const tm__lock_graph *graph, uint32_t use)
{
    const tm__held *held = &graph->helds[graph->uses[use].held];

    return held->stack != TM__NONE || (held->provenance > TM_PROVENANCE_INFERRED &&
                                       tm__owners_are_reported(graph->model));
}

/* Choose a use of the edge at `depth` and of those after it. */
static int choose(search *s, uint32_t depth)
{
    const tm__edge *edge;

    if (depth == s->length || depth == TM__CYCLE_EDGES)
        return 1;
    edge = &s->graph->edges[s->path[depth]];
    for (uint32_t i = 0; i < edge->use_count && i < USES_TRIED; i++) {
        uint32_t use = edge->use_first + i, other = 0;

        if (++s->steps > STEPS_MAX)
            return 0;
        if (!has_place(s->graph, use))
            continue;
        while (other < depth && can_coincide(s, s->chosen[other], use))
            other++;
        if (depth > 0 && !keeps_out(s->graph, use, s->chosen[depth - 1]))
            continue;
        s->chosen[depth] = use;
        if (depth + 1 == s->length && !keeps_out(s->graph, s->chosen[0], use))
            continue;
        if (other == depth && choose(s, depth + 1))
            return 1;
    }
    return 0;
}

static int keep(search *s)
{
    tm__cycle cycle = {.length = s->length, .by_class = s->graph->by_class};

    if (s->found == TM__CYCLES_MAX || !choose(s, 0))
        return TM_OK;
    memcpy(cycle.uses, s->chosen, sizeof(cycle.uses));
    cycle.is_suspected = is_ordered_here(s) || may_be_others(s);
    if (tm__reserve(s->graph->memory, s->cycles, s->capacity, (size_t)*s->count + 1,
                    sizeof(cycle)) < 0)
        return tm__failure();
    (*s->cycles)[(*s->count)++] = cycle;
    s->found++;
    return TM_OK;
}

static int on_path(const search *s, uint32_t depth, uint32_t node)
{
    for (uint32_t i = 0; i < depth; i++)
        if (s->graph->edges[s->path[i]].from == node)
            return 1;
    return 0;
}

static int extend(search *s, uint32_t depth, uint32_t start, uint32_t node)
{
    const tm__lock_graph *graph = s->graph;

    if (depth == TM__CYCLE_EDGES)
        return TM_OK;
    for (uint32_t e = graph->edge_first[node]; e < graph->edge_first[node + 1]; e++) {
        uint32_t to = graph->edges[e].to;
        int rc = TM_OK;

        if (++s->steps > STEPS_MAX || s->found == TM__CYCLES_MAX)
            return TM_OK;
        if (to < start || (to == start) != (depth + 1 == s->length) ||
            s->back.distance[to] > s->length - depth - 1 ||
            (to != start && on_path(s, depth, to)))
            continue;
        s->path[depth] = e;
        rc = to == start ? keep(s) : extend(s, depth + 1, start, to);
        if (rc < 0)
            return rc;
    }
    return TM_OK;
}

static void close_way_back(search *s)
{
    size_t nodes = (size_t)s->graph->node_count + 1, edges = s->graph->edges_count;
    tm__memory *memory = s->graph->memory;

    tm__free(memory, s->back.first, nodes * sizeof(*s->back.first));
    tm__free(memory, s->back.from, edges * sizeof(*s->back.from));
    tm__free(memory, s->back.queue, nodes * sizeof(*s->back.queue));
    tm__free(memory, s->back.distance, nodes * sizeof(*s->back.distance));
}

static int open_way_back(search *s)
{
    const tm__lock_graph *graph = s->graph;
    size_t nodes = (size_t)graph->node_count + 1, edges = graph->edges_count;
    way_back *it = &s->back;

    it->first = tm__zalloc(graph->memory, nodes * sizeof(*it->first));
    it->from = tm__zalloc(graph->memory, edges * sizeof(*it->from));
    it->queue = tm__zalloc(graph->memory, nodes * sizeof(*it->queue));
    it->distance = tm__zalloc(graph->memory, nodes * sizeof(*it->distance));
    if (!it->first || !it->from || !it->queue || !it->distance)
        return TM_ENOMEM;
    for (size_t e = 0; e < edges; e++)
        it->first[graph->edges[e].to + 1]++;
    for (size_t n = 1; n < nodes; n++)
        it->first[n] += it->first[n - 1];
    for (size_t e = 0; e < edges; e++)
        it->from[it->first[graph->edges[e].to]++] = graph->edges[e].from;
    /* Each is now where the next begins. */
    memmove(it->first + 1, it->first, (nodes - 1) * sizeof(*it->first));
    it->first[0] = 0;
    return TM_OK;
}

/* How far nodes are from the start, over nodes that come after it. */
static void measure(search *s, uint32_t start)
{
    way_back *it = &s->back;
    uint32_t count = 1;

    memset(it->distance, TOO_FAR, s->graph->node_count);
    it->distance[start] = 0;
    it->queue[0] = start;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = it->queue[i];

        if (it->distance[node] + 1u == s->length)
            return;
        for (uint32_t e = it->first[node]; e < it->first[node + 1]; e++) {
            uint32_t from = it->from[e];

            s->steps++;
            if (from <= start || it->distance[from] != TOO_FAR)
                continue;
            it->distance[from] = (uint8_t)(it->distance[node] + 1);
            it->queue[count++] = from;
        }
    }
}

static int find_all(search *s)
{
    for (s->length = 2; s->length <= TM__CYCLE_EDGES; s->length++)
        for (uint32_t node = 0; node < s->graph->node_count; node++) {
            if (s->steps > STEPS_MAX || s->found == TM__CYCLES_MAX)
                return TM_OK;
            measure(s, node);
            if (extend(s, 0, node, node) < 0)
                return tm__failure();
        }
    return TM_OK;
}

int tm__lock_cycles(const tm__lock_graph *graph, tm__lineage *lineage,
                    tm__cycle **cycles, uint32_t *count, uint32_t *capacity, int *cut)
{
    search s = {.graph = graph,
                .lineage = lineage,
                .cycles = cycles,
                .count = count,
                .capacity = capacity};
    int rc = TM_OK;

    if (!graph->edges_count)
        return TM_OK;
    rc = open_way_back(&s);
    if (rc == TM_OK)
        rc = find_all(&s);
    close_way_back(&s);
    *cut |= s.steps > STEPS_MAX || s.found == TM__CYCLES_MAX;
    return rc;
}
