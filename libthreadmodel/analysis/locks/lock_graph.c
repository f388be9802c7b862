/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of lock order, made anew for each answer from what ingest noted: some
 * thousand nestings at most, so that plain sorted arrays do.
 */
#include "analysis/locks/lock_graph.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

static uint32_t name_of_class(const tm_model *model, uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

/* The class name of what a nesting says: an object, or a key of its class. */
static uint32_t class_name_of(const tm_model *model, uint32_t key, int is_coarse)
{
    if (!is_coarse)
        return name_of_class(model, model->entities.objects[key].class_index);
    return key == TM__NONE ? TM__NONE : name_of_class(model, TM__NONE - 1 - key);
}

uint32_t tm__use_held_object(const tm__lock_graph *graph, const tm__use *use)
{
    return graph->nestings[use->nesting].is_coarse ? TM__NONE
                                                   : graph->helds[use->held].object;
}

uint32_t tm__use_wanted_object(const tm__lock_graph *graph, const tm__use *use)
{
    const tm__nesting *nesting = &graph->nestings[use->nesting];

    return nesting->is_coarse ? TM__NONE : nesting->wanted;
}

uint32_t tm__use_held_class(const tm__lock_graph *graph, const tm__use *use)
{
    return class_name_of(graph->model, graph->helds[use->held].object,
                         (int)graph->nestings[use->nesting].is_coarse);
}

uint32_t tm__use_wanted_class(const tm__lock_graph *graph, const tm__use *use)
{
    const tm__nesting *nesting = &graph->nestings[use->nesting];

    return class_name_of(graph->model, nesting->wanted, (int)nesting->is_coarse);
}

/* Classes that say nothing about what a lock of theirs protects: those of locks without
 * a name of their own, of a native program as well. */
static int is_anonymous(const tm_model *model, uint32_t name)
{
    static const char *const names[] = {"java.lang.Object", "java.lang.Class", "mutex",
                                        "rwlock",           "spinlock",        "once"};
    const char *text = tm__strings_get(&model->entities.strings, name);
    size_t length;

    if (!text)
        return 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(text, names[i]) == 0)
            return 1;
    length = strlen(text);
    return length > 2 && strcmp(text + length - 2, "[]") == 0;
}

static int copy_nestings(tm__lock_graph *graph)
{
    const tm_model *model = graph->model;
    size_t threads = model->deadlocks.blocked_count;

    if (tm__reserve(graph->memory, &graph->nestings, &graph->nestings_capacity,
                    model->ownership.nestings_count + threads,
                    sizeof(*graph->nestings)) < 0 ||
        tm__reserve(graph->memory, &graph->helds, &graph->helds_capacity,
                    model->ownership.helds_count + threads * TM__HELD_AT_ONCE,
                    sizeof(*graph->helds)) < 0)
        return tm__failure();
    if (model->ownership.nestings_count)
        memcpy(graph->nestings, model->ownership.nestings,
               model->ownership.nestings_count * sizeof(*graph->nestings));
    if (model->ownership.helds_count)
        memcpy(graph->helds, model->ownership.helds,
               model->ownership.helds_count * sizeof(*graph->helds));
    graph->nestings_count = model->ownership.nestings_count;
    graph->helds_count = model->ownership.helds_count;
    return TM_OK;
}

/* Blocks that have not ended, deadlocks above all, were not noted yet. */
static int add_open_blocks(tm__lock_graph *graph)
{
    const tm_model *model = graph->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *thread = &model->entities.threads[i];
        tm__held held[TM__HELD_AT_ONCE];
        const tm__interval *block;
        uint32_t count, blocking, unproven = 0;

        if (thread->owned == TM__NONE || thread->wants == TM__NONE)
            continue;
        count = tm__held_by(model, NULL, i, held, &unproven);
        graph->unproven += unproven > 0;
        if (!count)
            continue;
        if (tm__reserve(graph->memory, &graph->nestings, &graph->nestings_capacity,
                        (size_t)graph->nestings_count + 1,
                        sizeof(*graph->nestings)) < 0 ||
            tm__reserve(graph->memory, &graph->helds, &graph->helds_capacity,
                        (size_t)graph->helds_count + count, sizeof(*graph->helds)) < 0)
            return tm__failure();
        blocking = thread->interval_count - 1;
        while (blocking && thread->intervals[blocking].flags & TM__INTERVAL_CONTINUES)
            blocking--;
        block = &thread->intervals[blocking];
        memcpy(&graph->helds[graph->helds_count], held, count * sizeof(*held));
        graph->nestings[graph->nestings_count++] =
            (tm__nesting){.first_ns = block->start_ns,
                          .last_ns = block->start_ns,
                          .wanted = thread->wants,
                          .thread = i,
                          .stack = block->stack,
                          .held_first = graph->helds_count,
                          .held_count = count,
                          .is_shared = (block->traits & TM__TRAIT_SHARED) != 0,
                          .count = 1};
        graph->helds_count += count;
    }
    return TM_OK;
}

static int node_of(tm__lock_graph *graph, uint32_t *node, uint32_t key)
{
    uint32_t *value = tm__triple_map_at(&graph->nodes, graph->memory, key, 0, 0);

    if (!value)
        return tm__failure();
    if (*value == 0)
        *value = ++graph->node_count;
    *node = *value - 1;
    return TM_OK;
}

static int add_use(tm__lock_graph *graph, tm__use use)
{
    uint32_t held, wanted;

    if (graph->by_class) {
        held = tm__use_held_class(graph, &use);
        wanted = tm__use_wanted_class(graph, &use);
        if (held == wanted || is_anonymous(graph->model, held) ||
            is_anonymous(graph->model, wanted))
            return TM_OK;
    } else {
        held = tm__use_held_object(graph, &use);
        wanted = tm__use_wanted_object(graph, &use);
        if (held == TM__NONE)
            return TM_OK;
    }
    if (node_of(graph, &use.from, held) < 0 || node_of(graph, &use.to, wanted) < 0 ||
        tm__reserve(graph->memory, &graph->uses, &graph->uses_capacity,
                    (size_t)graph->uses_count + 1, sizeof(use)) < 0)
        return tm__failure();
    graph->uses[graph->uses_count++] = use;
    return TM_OK;
}

/* The order of the uses of one edge: the one with a place, the surer, the more
 * frequent, the earlier first. */
static int compare_uses(const void *payload, uint32_t left, uint32_t right)
{
    const tm__lock_graph *graph = payload;
    const tm__use *l = &graph->uses[left], *r = &graph->uses[right];
    const tm__nesting *ln = &graph->nestings[l->nesting];
    const tm__nesting *rn = &graph->nestings[r->nesting];
    int order = (graph->helds[l->held].stack == TM__NONE) -
                (graph->helds[r->held].stack == TM__NONE);

    if (order == 0)
        order =
            graph->helds[r->held].provenance - (int)graph->helds[l->held].provenance;
    if (order == 0)
        order = (ln->count < rn->count) - (ln->count > rn->count);
    if (order == 0)
        order = (ln->first_ns > rn->first_ns) - (ln->first_ns < rn->first_ns);
    return order;
}

static void sort_uses(tm__lock_graph *graph, tm__sortable *order, tm__sortable *spare,
                      tm__use *sorted)
{
    for (uint32_t i = 0; i < graph->uses_count; i++)
        order[i] = (tm__sortable){
            (int64_t)((uint64_t)graph->uses[i].from << 32 | graph->uses[i].to), i};
    tm__sort(order, spare, graph->uses_count, compare_uses, graph);
    for (uint32_t i = 0; i < graph->uses_count; i++)
        sorted[i] = graph->uses[order[i].number];
    memcpy(graph->uses, sorted, graph->uses_count * sizeof(*sorted));
}

static int sort_edges(tm__lock_graph *graph)
{
    size_t count = graph->uses_count;
    tm__sortable *order = NULL, *spare = NULL;
    tm__use *sorted = NULL;
    int rc = TM_ENOMEM;

    if (!count)
        return TM_OK;
    order = tm__resize(graph->memory, NULL, 0, count * sizeof(*order));
    spare = tm__resize(graph->memory, NULL, 0, count * sizeof(*spare));
    sorted = tm__resize(graph->memory, NULL, 0, count * sizeof(*sorted));
    if (order && spare && sorted) {
        sort_uses(graph, order, spare, sorted);
        rc = tm__reserve(graph->memory, &graph->edges, &graph->edges_capacity, count,
                         sizeof(*graph->edges));
    }
    tm__free(graph->memory, sorted, count * sizeof(*sorted));
    tm__free(graph->memory, spare, count * sizeof(*spare));
    tm__free(graph->memory, order, count * sizeof(*order));
    return rc;
}

static int put_edges(tm__lock_graph *graph)
{
    size_t bytes = ((size_t)graph->node_count + 1) * sizeof(*graph->edge_first);
    uint32_t node = 0;

    graph->edge_first = tm__resize(graph->memory, NULL, 0, bytes);
    if (!graph->edge_first)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < graph->uses_count; i++) {
        const tm__use *use = &graph->uses[i];
        tm__edge *last =
            graph->edges_count ? &graph->edges[graph->edges_count - 1] : NULL;

        if (last && last->from == use->from && last->to == use->to) {
            last->use_count++;
            continue;
        }
        while (node <= use->from)
            graph->edge_first[node++] = graph->edges_count;
        graph->edges[graph->edges_count++] = (tm__edge){use->from, use->to, i, 1};
    }
    while (node <= graph->node_count)
        graph->edge_first[node++] = graph->edges_count;
    return TM_OK;
}

int tm__lock_graph_open(tm__lock_graph *graph, const tm_model *model,
                        tm__memory *memory, int by_class)
{
    *graph = (tm__lock_graph){.model = model,
                              .memory = memory,
                              .by_class = by_class,
                              .unproven = model->ownership.nestings_unproven};
    if (copy_nestings(graph) < 0 || add_open_blocks(graph) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < graph->nestings_count; i++)
        for (uint32_t h = 0; h < graph->nestings[i].held_count; h++)
            if (add_use(graph, (tm__use){.nesting = i,
                                         .held = graph->nestings[i].held_first + h}) <
                0)
                return tm__failure();
    if (sort_edges(graph) < 0)
        return tm__failure();
    return put_edges(graph);
}

void tm__lock_graph_close(tm__lock_graph *graph)
{
    tm__memory *memory = graph->memory;

    if (graph->edge_first)
        tm__free(memory, graph->edge_first,
                 ((size_t)graph->node_count + 1) * sizeof(*graph->edge_first));
    tm__free(memory, graph->edges, graph->edges_capacity * sizeof(*graph->edges));
    tm__free(memory, graph->uses, graph->uses_capacity * sizeof(*graph->uses));
    tm__free(memory, graph->helds, graph->helds_capacity * sizeof(*graph->helds));
    tm__free(memory, graph->nestings,
             graph->nestings_capacity * sizeof(*graph->nestings));
    tm__triple_map_free(&graph->nodes, memory);
}
