/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock order as answers: the cycles that can deadlock, and all edges. Cycles of the
 * same objects come first; then those of classes only that no cycle of objects has
 * reported already.
 */
#include <threadmodel/lockorder.h>

#include <inttypes.h>
#include <stdio.h>

#include "analysis/grouping/callers.h"
#include "analysis/listing/caveats.h"
#include "analysis/locks/lineage.h"
#include "analysis/locks/lock_cycles.h"
#include "analysis/locks/lock_graph.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/entity_names.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "table/builder.h"
#include "table/tables.h"

typedef struct listing {
    const tm_model *model;
    tm__memory memory;
    tm__builder builder;
    tm__labels labels;
    tm__callers places;
    tm__lock_graph graph;
    uint64_t unproven; ///< of a graph that is closed again
} listing;

static void put_stack(tm__builder *builder, uint32_t stack)
{
    if (stack == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, (int32_t)stack);
}

static void put_edge(listing *list, const tm__use *use)
{
    const tm__lock_graph *graph = &list->graph;
    const tm_model *model = list->model;
    const tm__nesting *nesting = &graph->nestings[use->nesting];
    const tm__held *held = &graph->helds[use->held];
    const tm__strings *strings = &model->entities.strings;
    tm__builder *builder = &list->builder;

    tm__put_string(builder, tm__strings_get(strings, tm__use_held_class(graph, use)));
    tm__put_string(builder, tm__strings_get(strings, tm__use_wanted_class(graph, use)));
    tm__put_string(builder,
                   tm__label(&list->labels, model, tm__use_held_object(graph, use)));
    tm__put_string(builder,
                   tm__label(&list->labels, model, tm__use_wanted_object(graph, use)));
    tm__put_uint64(builder, model->entities.threads[nesting->thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, nesting->thread));
    tm__put_caller(builder, &list->places,
                   tm__caller_of(&list->places, nesting->stack));
    tm__put_caller(builder, &list->places, tm__caller_of(&list->places, held->stack));
    tm__put_int64(builder, nesting->first_ns - tm__model_origin_ns(model));
    tm__put_int64(builder, nesting->count);
    put_stack(builder, nesting->stack);
    put_stack(builder, held->stack);
    tm__put_string(builder, tm_provenance_name(held->provenance));
}

/* Whether a cycle of classes follows one of objects that was reported already. */
static int is_reported(const listing *list, const tm__cycle *cycle,
                       const tm__edge *reported, uint32_t reported_count)
{
    for (uint32_t i = 0; i < cycle->length; i++) {
        const tm__use *use = &list->graph.uses[cycle->uses[i]];
        uint32_t held = tm__use_held_class(&list->graph, use);
        uint32_t wanted = tm__use_wanted_class(&list->graph, use);
        uint32_t at = 0;

        while (at < reported_count &&
               (reported[at].from != held || reported[at].to != wanted))
            at++;
        if (at == reported_count)
            return 0;
    }
    return 1;
}

/* Whether something but what was reported speaks for a cycle. */
static int is_suspected(const listing *list, const tm__cycle *cycle)
{
    const tm__lock_graph *graph = &list->graph;

    for (uint32_t i = 0; i < cycle->length; i++)
        if (graph->helds[graph->uses[cycle->uses[i]].held].provenance <=
            TM_PROVENANCE_INFERRED)
            return 1;
    return cycle->by_class || cycle->is_suspected;
}

/** Cycles put so far, and the pairs of class names that they go through. */
typedef struct progress {
    int32_t cycle;
    int cut;
    TM__ARRAY(tm__edge, reported); ///< from and to are strings
} progress;

static int note_reported(listing *list, progress *done, const tm__use *use)
{
    if (tm__reserve(&list->memory, &done->reported, &done->reported_capacity,
                    (size_t)done->reported_count + 1, sizeof(*done->reported)) < 0)
        return tm__failure();
    done->reported[done->reported_count++] =
        (tm__edge){.from = tm__use_held_class(&list->graph, use),
                   .to = tm__use_wanted_class(&list->graph, use)};
    return TM_OK;
}

static int put_cycles(listing *list, tm__lineage *lineage, progress *done, int by_class)
{
    tm__cycle *cycles = NULL;
    uint32_t count = 0, capacity = 0;
    int rc = tm__lock_graph_open(&list->graph, list->model, &list->memory, by_class);

    if (rc == TM_OK)
        rc = tm__lock_cycles(&list->graph, lineage, &cycles, &count, &capacity,
                             &done->cut);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++) {
        if (by_class &&
            is_reported(list, &cycles[i], done->reported, done->reported_count))
            continue;
        for (uint32_t e = 0; rc == TM_OK && e < cycles[i].length; e++) {
            const tm__use *use = &list->graph.uses[cycles[i].uses[e]];

            tm__put_int32(&list->builder, done->cycle);
            tm__put_int32(&list->builder, (int32_t)e);
            tm__put_string(&list->builder, by_class ? "class" : "object");
            tm__put_bool(&list->builder, is_suspected(list, &cycles[i]));
            put_edge(list, use);
            if (!by_class)
                rc = note_reported(list, done, use);
        }
        done->cycle++;
    }
    tm__free(&list->memory, cycles, capacity * sizeof(*cycles));
    list->unproven = list->graph.unproven;
    tm__lock_graph_close(&list->graph);
    return rc;
}

static int put_all_cycles(listing *list)
{
    progress done = {0};
    tm__lineage lineage;
    int rc = tm__lineage_open(&lineage, list->model, &list->memory);

    if (rc == TM_OK)
        rc = put_cycles(list, &lineage, &done, 0);
    if (rc == TM_OK)
        rc = put_cycles(list, &lineage, &done, 1);
    if (done.cut)
        tm__builder_caveat(
            &list->builder,
            "There may be more cycles of lock order than were searched for.");
    tm__free(&list->memory, done.reported,
             done.reported_capacity * sizeof(*done.reported));
    tm__lineage_close(&lineage);
    return rc;
}

static int64_t most_first(const void *payload, uint32_t number)
{
    const tm__lock_graph *graph = payload;

    return -(int64_t)graph->nestings[graph->uses[number].nesting].count;
}

static int put_sorted_edges(listing *list)
{
    const tm__lock_graph *graph = &list->graph;
    tm__sortable *order =
        tm__sorted_new(&list->memory, graph->uses_count, most_first, NULL, graph);

    if (!order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < graph->uses_count && !list->builder.failed; i++)
        put_edge(list, &graph->uses[order[i].number]);
    tm__sorted_free(&list->memory, order, graph->uses_count);
    return TM_OK;
}

/* The coarse nestings have no objects and are edges of classes. */
static int put_all_edges(listing *list)
{
    int rc = TM_OK;

    for (int by_class = 0; rc == TM_OK && by_class < 2; by_class++) {
        rc = tm__lock_graph_open(&list->graph, list->model, &list->memory, by_class);
        if (rc == TM_OK && by_class) {
            uint32_t kept = 0;

            for (uint32_t i = 0; i < list->graph.uses_count; i++)
                if (list->graph.nestings[list->graph.uses[i].nesting].is_coarse)
                    list->graph.uses[kept++] = list->graph.uses[i];
            list->graph.uses_count = kept;
        }
        if (rc == TM_OK)
            rc = put_sorted_edges(list);
        list->unproven = list->graph.unproven;
        tm__lock_graph_close(&list->graph);
    }
    return rc;
}

static void put_caveats(listing *list)
{
    char text[192];

    tm__model_put_caveats(list->model, &list->builder);
    if (list->unproven) {
        snprintf(text, sizeof(text),
                 "For %" PRIu64 " blocking intervals no stack shows whether the thread "
                 "held another lock: they add no edges.",
                 list->unproven);
        tm__builder_caveat(&list->builder, text);
    }
    if (list->model->ownership.nestings_left_out)
        tm__builder_caveat(&list->builder,
                           "Not all lock orders were kept, to limit memory.");
}

static int answer(tm_table **out, const tm_model *model, const tm__table_spec *spec,
                  int (*put)(listing *))
{
    listing list = {.model = model};
    int rc = tm__labels_open(&list.labels, model);

    if (rc < 0)
        return rc;
    tm__memory_init(&list.memory, &model->memory.hook);
    tm__builder_start(&list.builder, spec, 0, &model->memory.hook);
    rc = tm__callers_open(&list.places, model, &list.memory, NULL);
    if (rc == TM_OK)
        rc = put(&list);
    if (rc == TM_OK)
        rc = list.labels.failed;
    put_caveats(&list);
    tm__callers_close(&list.places);
    tm__labels_close(&list.labels);
    return tm__builder_close(&list.builder, out, rc);
}

int tm_lock_order_list(tm_table **out, const tm_model *model)
{
    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    return answer(out, model, &tm__lock_order_table, put_all_cycles);
}

int tm_lock_edge_list(tm_table **out, const tm_model *model)
{
    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    return answer(out, model, &tm__lock_edges_table, put_all_edges);
}
