/* SPDX-License-Identifier: Apache-2.0 */
/* The table `verdict`, of one row. */
#include "analysis/listing/listing.h"
#include "analysis/verdict/bound_unended.h"
#include "analysis/verdict/bound_units_text.h"
#include "analysis/verdict/judge.h"
#include "analysis/verdict/verdict_text.h"
#include "analysis/waits/wait_advice.h"
#include "model/entities/caller_frame.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "table/tables.h"

static void put_words(tm__builder *builder, tm__judgement *it,
                      void (*write)(tm__words *, tm__judgement *))
{
    tm__words words = {.length = 0};

    write(&words, it);
    if (words.length)
        tm__put_text(builder, words.bytes);
    else
        tm__put_null(builder);
}

static void write_advice(tm__words *words, tm__judgement *it)
{
    if (it->verdict == TM_VERDICT_BOUND && it->most_unended)
        tm__write_advice_of_unended(words, it);
    else if (it->verdict == TM_VERDICT_BOUND && it->unit_parts)
        tm__write_advice_of_units(words, it);
    else if (it->verdict == TM_VERDICT_BOUND && it->bound.reads.count)
        tm__write_words(words,
                        "Let no reader in while a writer waits: a fair lock, or one "
                        "that prefers writers "
                        "(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP).");
    else if (it->verdict == TM_VERDICT_BOUND && it->bound.object == TM__NONE)
        tm__write_words(words, "Let no more threads compute than there are processors, "
                               "give the program more, or end other programs that use "
                               "them.");
    else if (it->verdict == TM_VERDICT_BOUND)
        tm__write_words(words, "Hold the lock for less time, acquire it less often, or "
                               "divide what it protects.");
    else
        tm__write_wait_advice(words, &it->members);
}

static void write_examined(tm__words *words, tm__judgement *it)
{
    tm__write_examined(words, it);
}

static void write_remedy(tm__words *words, tm__judgement *it)
{
    tm__write_remedy(words, it);
}

/* The member that waits longest: most often the cause is there. */
static uint32_t first_of(const tm__judgement *it)
{
    uint32_t first = TM__NONE;

    for (uint32_t i = 0; i < it->count; i++)
        if (first == TM__NONE ||
            it->graph.nodes[it->order[i]].since_ns < it->graph.nodes[first].since_ns)
            first = it->order[i];
    return first;
}

static void put_first(tm__builder *builder, tm__judgement *it)
{
    const tm_model *model = it->model;
    int is_unended = it->verdict == TM_VERDICT_BOUND && it->most_unended;
    uint32_t first = is_unended ? it->most_unended->thread : first_of(it);
    const tm__wait_node *node = first == TM__NONE ? NULL : &it->graph.nodes[first];
    uint32_t object = node ? node->object : TM__NONE;
    uint32_t stack = node ? node->stack : TM__NONE;

    if (it->verdict == TM_VERDICT_BOUND && !is_unended) {
        object = it->bound.object;
        stack = it->bound.stack;
    }
    if (node) {
        tm__put_uint64(builder, model->entities.threads[first].id);
        tm__put_string(builder, tm__thread_name(&model->entities, first));
    } else {
        tm__put_null(builder);
        tm__put_null(builder);
    }
    if (it->verdict == TM_VERDICT_BOUND && it->unit_parts) {
        tm__put_null(builder);
        tm__put_string(builder, tm_table_string(it->unit_parts, "class", 0));
        tm__put_string(builder, tm_table_string(it->unit_parts, "method", 0));
        tm__put_null(builder);
        tm__put_null(builder);
        return;
    }
    tm__put_string(builder, tm__label(&it->labels, model, object));
    tm__put_string(builder,
                   object == TM__NONE
                       ? NULL
                       : tm__class_name(&model->entities,
                                        model->entities.objects[object].class_index));
    tm__put_frame(builder, model, tm__stack_caller(model, stack));
}

static void put_row(tm__builder *builder, tm__judgement *it)
{
    tm__put_string(builder, tm_verdict_name(it->verdict));
    put_words(builder, it, tm__write_title);
    if (it->since_ns == INT64_MIN)
        tm__put_null(builder);
    else
        tm__put_int64(builder, it->since_ns - tm__model_origin_ns(it->model));
    tm__put_bool(builder, it->suspected);
    tm__put_int32(builder, (int32_t)it->count);
    put_first(builder, it);
    put_words(builder, it, tm__write_text);
    put_words(builder, it, write_advice);
    put_words(builder, it, write_examined);
    put_words(builder, it, write_remedy);
}

int tm_verdict_list(tm_table **out, const tm_model *model)
{
    return tm_verdict_list_part(out, model, NULL);
}

int tm_verdict_list_part(tm_table **out, const tm_model *model,
                         const tm_selection *selection)
{
    return tm__judgement_list(out, model, selection, &tm__verdict_table, put_row);
}
