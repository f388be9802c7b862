/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of lock order that can deadlock. Lengths from two up, each by a search of
 * that depth from its smallest node, so that every cycle is met once and the small
 * ones first; a budget of steps bounds what a dense graph costs.
 *
 *     A ──▶ B ──▶ C        an edge may have been seen many times; a cycle counts when
 *     ▲           │        for each of its edges one time can be chosen so that no
 *     └───────────┘        two are by one thread, under one gate lock, or in order
 */
#include <string.h>

#include "analysis/lock_graph.h"
#include "base/sort.h"

enum { STEPS_MAX = 2000000, USES_TRIED = 16 };

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
} search;

/* A lock that is held in both: who holds it keeps the other out. */
static int share_gate(const tm__lock_graph *graph, const tm__nesting *left,
                      const tm__nesting *right)
{
    const tm__held *l = &graph->helds[left->held_first];
    const tm__held *r = &graph->helds[right->held_first];
    uint32_t i = 0, j = 0;

    if (left->is_coarse != right->is_coarse)
        return 0;
    while (i < left->held_count && j < right->held_count) {
        if (l[i].object == r[j].object)
            return 1;
        if (l[i].object < r[j].object)
            i++;
        else
            j++;
    }
    return 0;
}

static int can_meet(search *s, uint32_t left, uint32_t right)
{
    const tm__lock_graph *graph = s->graph;
    const tm__nesting *l = &graph->nestings[graph->uses[left].nesting];
    const tm__nesting *r = &graph->nestings[graph->uses[right].nesting];

    return l->thread != r->thread && !share_gate(graph, l, r) &&
           !tm__lineage_orders(s->lineage, l, r) &&
           !tm__lineage_orders(s->lineage, r, l);
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
        while (other < depth && can_meet(s, s->chosen[other], use))
            other++;
        s->chosen[depth] = use;
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
    if (tm__reserve(s->graph->memory, s->cycles, s->capacity, (size_t)*s->count + 1,
                    sizeof(cycle)) < 0)
        return TM_ENOMEM;
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

        if (++s->steps > STEPS_MAX)
            return TM_OK;
        if (to < start || (to == start) != (depth + 1 == s->length) ||
            (to != start && on_path(s, depth, to)))
            continue;
        s->path[depth] = e;
        rc = to == start ? keep(s) : extend(s, depth + 1, start, to);
        if (rc < 0)
            return rc;
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

    for (s.length = 2; s.length <= TM__CYCLE_EDGES; s.length++)
        for (uint32_t node = 0; node < graph->node_count; node++)
            if (extend(&s, 0, node, node) < 0)
                return TM_ENOMEM;
    *cut |= s.steps > STEPS_MAX || s.found == TM__CYCLES_MAX;
    return TM_OK;
}

/* ---- start and join ---- */

static int by_number(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return left < right ? -1 : left > right;
}

static int sort_rows(tm__lineage *lineage)
{
    size_t count = lineage->rows_count, bytes = count * sizeof(tm__sortable);
    tm__sortable *order = tm__resize(lineage->memory, NULL, 0, bytes + 1);
    tm__sortable *spare = tm__resize(lineage->memory, NULL, 0, bytes + 1);

    if (order && spare) {
        for (size_t i = 0; i < count; i++) {
            uint32_t number = lineage->rows[i];

            order[i] = (tm__sortable){tm__row(lineage->model, number)->from_ns, number};
        }
        tm__sort(order, spare, count, by_number, NULL);
        for (size_t i = 0; i < count; i++)
            lineage->rows[i] = order[i].number;
    }
    tm__free(lineage->memory, spare, bytes + 1);
    tm__free(lineage->memory, order, bytes + 1);
    return order && spare ? TM_OK : TM_ENOMEM;
}

int tm__lineage_open(tm__lineage *lineage, const tm_model *model, tm__memory *memory)
{
    *lineage = (tm__lineage){.model = model, .memory = memory};
    lineage->reached_ns =
        tm__resize(memory, NULL, 0,
                   ((size_t)model->threads_count + 1) * sizeof(*lineage->reached_ns));
    if (!lineage->reached_ns)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->interactions_count; i++) {
        const tm__interaction *row = &model->interactions[i];

        if ((row->kind != TM_INTERACTION_START && row->kind != TM_INTERACTION_JOIN) ||
            row->effect != TM__EFFECT_WOKE || row->from_ns == INT64_MIN ||
            row->from_thread == TM__NONE || row->to_thread == TM__NONE)
            continue;
        if (tm__reserve(memory, &lineage->rows, &lineage->rows_capacity,
                        (size_t)lineage->rows_count + 1, sizeof(*lineage->rows)) < 0)
            return TM_ENOMEM;
        lineage->rows[lineage->rows_count++] = model->interactions_first + i;
    }
    return sort_rows(lineage);
}

int tm__lineage_orders(tm__lineage *lineage, const tm__nesting *left,
                       const tm__nesting *right)
{
    const tm_model *model = lineage->model;
    int64_t *reached_ns = lineage->reached_ns;

    if (left->last_ns >= right->first_ns || !lineage->rows_count)
        return 0;
    for (uint32_t i = 0; i < model->threads_count; i++)
        reached_ns[i] = INT64_MAX;
    reached_ns[left->thread] = left->last_ns;
    for (uint32_t i = 0; i < lineage->rows_count; i++) {
        const tm__interaction *row = tm__row(model, lineage->rows[i]);

        if (row->from_ns > right->first_ns)
            break;
        if (reached_ns[row->from_thread] <= row->from_ns &&
            row->to_ns < reached_ns[row->to_thread])
            reached_ns[row->to_thread] = row->to_ns;
    }
    return reached_ns[right->thread] <= right->first_ns;
}

void tm__lineage_close(tm__lineage *lineage)
{
    if (lineage->reached_ns)
        tm__free(lineage->memory, lineage->reached_ns,
                 ((size_t)lineage->model->threads_count + 1) *
                     sizeof(*lineage->reached_ns));
    tm__free(lineage->memory, lineage->rows,
             lineage->rows_capacity * sizeof(*lineage->rows));
}
