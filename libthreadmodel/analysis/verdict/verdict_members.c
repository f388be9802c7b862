/* SPDX-License-Identifier: Apache-2.0 */
/* The table `verdict_members`: the threads that cannot go on, and the object that each
 * waits for. */
#include "analysis/listing/listing.h"
#include "analysis/verdict/judge.h"
#include "analysis/waits/wait_why.h"
#include "model/entities/caller_frame.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "table/tables.h"

static void put_by(tm__builder *builder, const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];
    uint32_t by = node->on, alternatives = 1;

    if (by == TM__NONE) {
        uint32_t last = tm__wait_last_server(&it->graph, thread, &alternatives);

        by = last == TM__NONE ? TM__NONE : it->graph.servers[last].thread;
    }
    tm__put_string(builder, tm_wait_edge_name(node->edge));
    if (by == TM__NONE) {
        tm__put_null(builder);
        tm__put_null(builder);
    } else {
        tm__put_uint64(builder, it->model->entities.threads[by].id);
        tm__put_string(builder, tm__thread_name(&it->model->entities, by));
    }
    tm__put_int32(builder, (int32_t)alternatives);
    tm__put_string(builder, tm_provenance_name(node->provenance));
}

static void put_member(tm__builder *builder, tm__judgement *it, uint32_t position)
{
    const tm_model *model = it->model;
    uint32_t thread = it->order[position];
    const tm__thread *at = &model->entities.threads[thread];
    const tm__wait_node *node = &it->graph.nodes[thread];
    uint32_t object = node->object;
    tm__words words = {.length = 0};

    tm__put_int32(builder, (int32_t)position);
    tm__put_uint64(builder, at->id);
    tm__put_string(builder, tm__thread_name(&model->entities, thread));
    tm__put_string(builder, tm_state_name(node->interval == TM__NONE
                                              ? at->state
                                              : at->intervals[node->interval].state));
    tm__put_int64(builder,
                  (node->interval == TM__NONE ? at->since_ns : node->since_ns) -
                      tm__model_origin_ns(model));
    tm__put_string(builder, tm__label(&it->labels, model, object));
    tm__put_string(builder,
                   object == TM__NONE
                       ? NULL
                       : tm__class_name(&model->entities,
                                        model->entities.objects[object].class_index));
    tm__put_frame(builder, model, tm__stack_caller(model, node->stack));
    put_by(builder, it, thread);
    tm__write_why(&words, &it->members, thread);
    tm__put_text(builder, words.bytes);
}

static void put_members(tm__builder *builder, tm__judgement *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        put_member(builder, it, i);
}

int tm_verdict_member_list(tm_table **out, const tm_model *model)
{
    return tm_verdict_member_list_part(out, model, NULL);
}

int tm_verdict_member_list_part(tm_table **out, const tm_model *model,
                                const tm_selection *selection)
{
    return tm__judgement_list(out, model, selection, &tm__verdict_members_table,
                              put_members);
}
