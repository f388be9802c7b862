/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over a critical path. Hundreds of thousands of segments fall into some dozens
 * of sums; classes and methods are the same where their names are.
 */
#include "analysis/path/critical_path.h"
#include "analysis/path/path.h"
#include "analysis/path/path_why.h"
#include "analysis/path/slack.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/triple_map.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "table/builder.h"
#include "table/tables.h"

enum {
    ALL_KEYS =
        TM_PATH_BY_THREAD | TM_PATH_BY_METHOD | TM_PATH_BY_CLASS | TM_PATH_BY_STATE
};

/** Segments that are alike in the keys; TM__NONE: no key, or not known. */
typedef struct sum {
    uint32_t thread;
    uint32_t method;     ///< strings
    uint32_t class_name; ///< strings
    uint32_t state;
    int64_t segments;
    int64_t total_ns;
    int64_t unexplained_ns;
    int64_t latency_ns;
} sum;

typedef struct rollup {
    const tm_model *model;
    tm__memory memory;
    tm__path path;
    uint32_t keys;
    uint32_t *callers;     ///< frames[] a stack
    tm__triple_map places; ///< (method, class name): a number
    tm__triple_map found;  ///< (place, thread, state): sums[] + 1
    uint32_t place_count;
    TM__ARRAY(sum, sums);
    int64_t *slack_ns; ///< a thread; NULL: not asked
} rollup;

static sum *find_sum(rollup *r, const sum *key)
{
    uint32_t *place =
        tm__triple_map_at(&r->places, &r->memory, key->method, key->class_name, 0);
    uint32_t *value;

    if (!place)
        return NULL;
    if (!*place)
        *place = ++r->place_count;
    value = tm__triple_map_at(&r->found, &r->memory, *place, key->thread, key->state);
    if (!value)
        return NULL;
    if (!*value) {
        if (tm__reserve(&r->memory, &r->sums, &r->sums_capacity,
                        (size_t)r->sums_count + 1, sizeof(*r->sums)) < 0)
            return NULL;
        r->sums[r->sums_count++] = *key;
        *value = r->sums_count;
    }
    return &r->sums[*value - 1];
}

static sum key_of(const rollup *r, const tm__segment *segment)
{
    const tm_model *model = r->model;
    sum key = {TM__NONE, TM__NONE, TM__NONE, TM__NONE, 0, 0, 0, 0};
    uint32_t object, stack, caller, class_index;

    tm__segment_subject(model, segment, &object, &stack);
    caller = stack == TM__NONE ? TM__NONE : r->callers[stack];
    class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;
    if (r->keys & TM_PATH_BY_THREAD)
        key.thread = segment->thread;
    if (r->keys & TM_PATH_BY_METHOD && caller != TM__NONE &&
        model->entities.frames[caller].method != TM__NONE)
        key.method =
            model->entities.methods[model->entities.frames[caller].method].full_name;
    if (r->keys & TM_PATH_BY_CLASS && class_index != TM__NONE)
        key.class_name = model->entities.classes[class_index].name;
    if (r->keys & TM_PATH_BY_STATE)
        key.state = segment->state;
    return key;
}

static int gather(rollup *r)
{
    for (uint32_t i = 0; i < r->path.segments_count; i++) {
        const tm__segment *it = &r->path.segments[i];
        int64_t length_ns = tm__segment_asked_ns(&r->path, i);
        sum key = key_of(r, it), *found;

        if (!length_ns)
            continue;
        found = find_sum(r, &key);
        if (!found)
            return tm__failure();
        found->segments++;
        found->total_ns += length_ns;
        if (it->why)
            found->unexplained_ns += length_ns;
        if (it->is_latency)
            found->latency_ns += length_ns;
    }
    /* Threads off the path have slack. */
    for (uint32_t i = 0; r->slack_ns && i < r->model->entities.threads_count; i++) {
        sum key = {i, TM__NONE, TM__NONE, TM__NONE, 0, 0, 0, 0};

        if (!find_sum(r, &key))
            return TM_ENOMEM;
    }
    return TM_OK;
}

static int by_slack(const void *payload, uint32_t left, uint32_t right)
{
    const rollup *r = payload;
    uint32_t a = r->sums[left].thread, b = r->sums[right].thread;

    if (r->slack_ns && a != TM__NONE && b != TM__NONE &&
        r->slack_ns[a] != r->slack_ns[b])
        return r->slack_ns[a] < r->slack_ns[b] ? -1 : 1;
    return left < right ? -1 : 1;
}

static void put_sum(tm__builder *builder, const rollup *r, const sum *it)
{
    const tm_model *model = r->model;
    int64_t length_ns = r->path.end_ns - r->path.from_ns;

    if (r->keys & TM_PATH_BY_THREAD) {
        if (it->thread == TM__NONE)
            tm__put_null(builder);
        else
            tm__put_uint64(builder, model->entities.threads[it->thread].id);
        tm__put_string(builder, tm__thread_name(&model->entities, it->thread));
    }
    if (r->keys & TM_PATH_BY_METHOD)
        tm__put_string(builder, tm__strings_get(&model->entities.strings, it->method));
    if (r->keys & TM_PATH_BY_CLASS)
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, it->class_name));
    if (r->keys & TM_PATH_BY_STATE)
        tm__put_string(builder, tm_state_name((int)it->state));
    tm__put_int64(builder, it->segments);
    tm__put_int64(builder, it->total_ns);
    tm__put_double(builder,
                   length_ns > 0 ? (double)it->total_ns / (double)length_ns : 0);
    tm__put_int64(builder, it->unexplained_ns);
    tm__put_int64(builder, it->latency_ns);
    if (!r->slack_ns)
        return;
    if (it->thread == TM__NONE || r->slack_ns[it->thread] == TM__SLACK_ANY)
        tm__put_null(builder);
    else
        tm__put_int64(builder, r->slack_ns[it->thread]);
}

static int answer(tm_table **out, rollup *r)
{
    size_t bytes = ((size_t)r->sums_count + 1) * sizeof(tm__sortable);
    tm__sortable *order = tm__resize(&r->memory, NULL, 0, 2 * bytes);
    tm__builder builder;

    if (!order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < r->sums_count; i++)
        order[i] = (tm__sortable){-r->sums[i].total_ns, i};
    tm__sort(order, order + r->sums_count + 1, r->sums_count, by_slack, r);
    tm__builder_start(&builder, &tm__path_rollup_table, r->keys,
                      &r->model->memory.hook);
    tm__builder_expect(&builder, r->sums_count);
    for (uint32_t i = 0; i < r->sums_count && !builder.failed; i++)
        put_sum(&builder, r, &r->sums[order[i].number]);
    tm__path_put_caveats(&r->path, r->model, &builder);
    tm__free(&r->memory, order, 2 * bytes);
    return tm__builder_finish(&builder, out);
}

static int find_slack(rollup *r)
{
    size_t bytes =
        ((size_t)r->model->entities.threads_count + 1) * sizeof(*r->slack_ns);

    if (r->keys != TM_PATH_BY_THREAD || !r->path.segments_count)
        return TM_OK;
    r->slack_ns = tm__zalloc(&r->memory, bytes);
    if (!r->slack_ns)
        return TM_ENOMEM;
    return tm__slack_find(r->slack_ns, r->model, &r->memory, &r->path);
}

static void free_all(rollup *r)
{
    const tm_model *model = r->model;

    tm__free(&r->memory, r->callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*r->callers));
    tm__free(&r->memory, r->slack_ns,
             ((size_t)model->entities.threads_count + 1) * sizeof(*r->slack_ns));
    tm__free(&r->memory, r->sums, r->sums_capacity * sizeof(*r->sums));
    tm__triple_map_free(&r->places, &r->memory);
    tm__triple_map_free(&r->found, &r->memory);
    tm__path_free(&r->path);
}

int tm_path_sum(tm_table **out, const tm_model *model, const tm_path_options *given)
{
    tm_path_options options;
    rollup r = {.model = model};
    tm__libraries libraries;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_path_options, thread);
    if (rc < 0)
        return rc;
    if (options.keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: unknown bits above %d", options.keys,
                        ALL_KEYS);
    r.keys = options.keys ? options.keys : (uint32_t)TM_PATH_BY_THREAD;
    tm__memory_init(&r.memory, &model->memory.hook);
    rc = tm__path_walk(&r.path, model, &options);
    libraries = (tm__libraries){options.libraries, options.library_count};
    if (rc == TM_OK) {
        r.callers = tm__stack_callers(model, &r.memory, &libraries);
        rc = r.callers ? find_slack(&r) : TM_ENOMEM;
    }
    if (rc == TM_OK)
        rc = gather(&r);
    if (rc == TM_OK)
        rc = answer(out, &r);
    free_all(&r);
    return rc;
}
