/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often and how long each thread was blocked: one pass of adding up. By class,
 * caller, object and so on it is in statistics_groups.c.
 */
#include <threadmodel/statistics.h>

#include "analysis/listing/caveats.h"
#include "analysis/listing/selection.h"
#include "analysis/timeline/blocking.h"
#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "model/replay/aggregate.h"
#include "model/state/model.h"
#include "table/builder.h"
#include "table/tables.h"

/* The states of these columns, in their order. */
static const int thread_states[] = {
    TM_STATE_BLOCKED,  TM_STATE_WAITING,  TM_STATE_REENTERING,
    TM_STATE_JOINING,  TM_STATE_SLEEPING, TM_STATE_PARKED,
    TM_STATE_RUNNABLE, TM_STATE_IO,       TM_STATE_NATIVE};

/* Such times are for no object, so a choice of classes says nothing about them. */
static int is_for_no_object(int state)
{
    return state == TM_STATE_SLEEPING || state == TM_STATE_RUNNABLE ||
           state == TM_STATE_NATIVE;
}

typedef struct sum {
    int64_t count;
    int64_t total_ns;
} sum;

/* A total that would not fit stays at the largest number. */
static void add(sum *to, int64_t count, int64_t total_ns)
{
    to->count += count;
    if (__builtin_add_overflow(to->total_ns, total_ns, &to->total_ns))
        to->total_ns = INT64_MAX;
}

static void put_time(tm__builder *builder, const tm_model *model, int64_t time_ns)
{
    if (time_ns == INT64_MIN)
        tm__put_null(builder);
    else
        tm__put_int64(builder, time_ns - tm__model_origin_ns(model));
}

/* The scheduler's counts, if there are any. */
static void put_count(tm__builder *builder, int64_t ns)
{
    if (ns < 0)
        tm__put_null(builder);
    else
        tm__put_int64(builder, ns);
}

static void put_thread(tm__builder *builder, const tm_model *model,
                       const tm__scope *scope, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    sum sums[TM_STATE_END] = {{0, 0}};
    tm__blocking_walk walk;
    tm__blocking_part part;

    tm__blocking_start(&walk, model, scope, thread);
    while (tm__blocking_next(&walk, &part)) {
        if (!is_for_no_object(part.state) &&
            !tm__scope_has_class_of(scope, model, part.object))
            continue;
        add(&sums[part.state], 1, part.end_ns - part.start_ns);
    }
    for (uint32_t i = tm__scope_aggregates(scope, model, it); i != TM__NONE;
         i = model->replay.aggregates[i].next) {
        const tm__aggregate *aggregate = &model->replay.aggregates[i];

        if (!is_for_no_object((int)aggregate->state) &&
            !tm__scope_has_class(scope, aggregate->class_index))
            continue;
        add(&sums[aggregate->state], (int64_t)aggregate->durations.count,
            aggregate->durations.total);
    }
    tm__put_uint64(builder, it->id);
    tm__put_string(builder, tm__thread_name(&model->entities, thread));
    tm__put_string(builder, tm__strings_get(&model->entities.strings, it->group));
    tm__put_bool(builder, (it->flags & TM_THREAD_VIRTUAL) != 0);
    tm__put_bool(builder, (it->flags & TM_THREAD_DAEMON) != 0);
    tm__put_string(builder, tm_state_name(it->state));
    put_time(builder, model, it->start_ns);
    put_time(builder, model, it->end_ns);
    for (size_t i = 0; i < sizeof(thread_states) / sizeof(*thread_states); i++) {
        tm__put_int64(builder, sums[thread_states[i]].count);
        tm__put_int64(builder, sums[thread_states[i]].total_ns);
    }
    if (it->carrier == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->entities.threads[it->carrier].id);
    tm__put_uint64(builder, it->samples);
    put_count(builder, tm__cpu_time_ns(&model->intervals, thread));
    put_count(builder, tm__cpu_wait_ns(&model->intervals, thread));
    if (it->pid)
        tm__put_uint64(builder, it->pid);
    else
        tm__put_null(builder);
}

int tm_thread_list(tm_table **out, const tm_model *model, const tm_selection *selection)
{
    tm__builder builder;
    tm__scope scope;
    int status;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    status = tm__scope_open(&scope, model, selection);
    if (status < 0)
        return status;
    tm__builder_start(&builder, &tm__threads_table, 0, &model->memory.hook);
    if (!scope.threads)
        tm__builder_expect(&builder, model->entities.threads_count);
    for (uint32_t i = 0; i < model->entities.threads_count && !builder.failed; i++)
        if (!scope.threads || scope.threads[i])
            put_thread(&builder, model, &scope, i);
    tm__model_put_caveats(model, &builder);
    tm__scope_close(&scope, model);
    return tm__builder_finish(&builder, out);
}
