/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/locks/lineage.h"

#include <stdlib.h>

#include "analysis/locks/lock_graph.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

/* The edge that orders two events always comes first in `edges`, and is in `wakings` as
 * well. */
static int add_edge(tm__lineage *lineage, tm__lineage_edge edge, int is_waking)
{
    if (tm__reserve(lineage->memory, &lineage->wakings, &lineage->wakings_capacity,
                    (size_t)lineage->wakings_count + 1, sizeof(edge)) < 0)
        return tm__failure();
    lineage->wakings[lineage->wakings_count++] = edge;
    if (is_waking)
        return TM_OK;
    if (tm__reserve(lineage->memory, &lineage->edges, &lineage->edges_capacity,
                    (size_t)lineage->edges_count + 1, sizeof(edge)) < 0)
        return tm__failure();
    lineage->edges[lineage->edges_count++] = edge;
    return TM_OK;
}

/* A lock that goes from one thread to the next orders nothing: it might have gone the
 * other way. */
static int is_waking(const tm__interaction *row)
{
    return row->kind == TM_INTERACTION_NOTIFY ||
           row->kind == TM_INTERACTION_NOTIFY_ALL ||
           row->kind == TM_INTERACTION_UNPARK || row->kind == TM_INTERACTION_POST;
}

static int add_starts(tm__lineage *lineage)
{
    const tm_model *model = lineage->model;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *row = &model->intervals.interactions[i];

        if ((row->kind == TM_INTERACTION_START || is_waking(row)) &&
            row->effect == TM__EFFECT_WOKE && row->from_ns != INT64_MIN &&
            row->from_thread != TM__NONE && row->to_thread != TM__NONE &&
            add_edge(lineage,
                     (tm__lineage_edge){row->from_ns, row->to_ns, row->from_thread,
                                        row->to_thread},
                     is_waking(row)) < 0)
            return tm__failure();
    }
    return TM_OK;
}

/* A join that is over after the joined thread's end, which may have come before it: it
 * woke nobody then, and still orders what the two did. */
static int add_joins(tm__lineage *lineage)
{
    const tm_model *model = lineage->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *it = &model->entities.threads[t];

        for (uint32_t i = 0; i + 1 < it->interval_count; i++) {
            const tm__interval *join = &it->intervals[i];
            int64_t over_ns = join[1].start_ns, end_ns;

            if (join->state != TM_STATE_JOINING || join->peer == TM__NONE ||
                join[1].flags & TM__INTERVAL_CONTINUES)
                continue;
            end_ns = model->entities.threads[join->peer].end_ns;
            if (end_ns != INT64_MIN && end_ns <= over_ns &&
                add_edge(lineage, (tm__lineage_edge){end_ns, over_ns, join->peer, t},
                         0) < 0)
                return tm__failure();
        }
    }
    return TM_OK;
}

static int by_time(const void *left, const void *right)
{
    const tm__lineage_edge *l = left, *r = right;

    if (l->from_ns != r->from_ns)
        return l->from_ns < r->from_ns ? -1 : 1;
    if (l->to_ns != r->to_ns)
        return l->to_ns < r->to_ns ? -1 : 1;
    if (l->from != r->from)
        return l->from < r->from ? -1 : 1;
    return l->to < r->to ? -1 : l->to > r->to;
}

int tm__lineage_open(tm__lineage *lineage, const tm_model *model, tm__memory *memory)
{
    *lineage = (tm__lineage){.model = model, .memory = memory};
    lineage->reached_ns = tm__resize(memory, NULL, 0,
                                     ((size_t)model->entities.threads_count + 1) *
                                         sizeof(*lineage->reached_ns));
    if (!lineage->reached_ns || add_starts(lineage) < 0 || add_joins(lineage) < 0)
        return tm__failure();
    if (lineage->edges_count)
        qsort(lineage->edges, lineage->edges_count, sizeof(*lineage->edges), by_time);
    if (lineage->wakings_count)
        qsort(lineage->wakings, lineage->wakings_count, sizeof(*lineage->wakings),
              by_time);
    return TM_OK;
}

/* @return the first of them that does not come before `time_ns` */
static uint32_t first_from(const tm__lineage_edge *edges, uint32_t count,
                           int64_t time_ns)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (edges[middle].from_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int tm__lineage_orders(tm__lineage *lineage, const tm__nesting *left,
                       const tm__nesting *right, int by_wakings)
{
    const tm_model *model = lineage->model;
    const tm__lineage_edge *edges = by_wakings ? lineage->wakings : lineage->edges;
    uint32_t count = by_wakings ? lineage->wakings_count : lineage->edges_count;
    int64_t *reached_ns = lineage->reached_ns;

    if (left->last_ns >= right->first_ns || !count)
        return 0;
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        reached_ns[i] = INT64_MAX;
    reached_ns[left->thread] = left->last_ns;
    for (uint32_t i = first_from(edges, count, left->last_ns); i < count; i++) {
        const tm__lineage_edge *edge = &edges[i];

        if (edge->from_ns > right->first_ns)
            break;
        if (reached_ns[edge->from] <= edge->from_ns &&
            edge->to_ns < reached_ns[edge->to])
            reached_ns[edge->to] = edge->to_ns;
    }
    return reached_ns[right->thread] <= right->first_ns;
}

void tm__lineage_close(tm__lineage *lineage)
{
    if (lineage->reached_ns)
        tm__free(lineage->memory, lineage->reached_ns,
                 ((size_t)lineage->model->entities.threads_count + 1) *
                     sizeof(*lineage->reached_ns));
    tm__free(lineage->memory, lineage->edges,
             lineage->edges_capacity * sizeof(*lineage->edges));
    tm__free(lineage->memory, lineage->wakings,
             lineage->wakings_capacity * sizeof(*lineage->wakings));
}
