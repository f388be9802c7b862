/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often and how long: by thread, which is one pass of adding up, and by any
 * combination of keys, which is what groups.c gathers. This file turns both into
 * answers.
 */
#include <threadmodel/statistics.h>

#include "analysis/groups.h"
#include "analysis/holdup.h"
#include "table/builder.h"

enum {
    ALL_KEYS = TM_BY_CLASS | TM_BY_CALLER | TM_BY_OBJECT | TM_BY_THREAD | TM_BY_GROUP,
    LABEL_BYTES = 1024
};

#define COUNT_AND_TOTAL(state)                                                         \
    {state "_count", TM_TYPE_INT64},                                                   \
    {                                                                                  \
        state "_total_ns", TM_TYPE_INT64                                               \
    }

static const tm__column_spec thread_columns[] = {
    {"thread_id", TM_TYPE_UINT64},  {"name", TM_TYPE_STRING},
    {"group", TM_TYPE_STRING},      {"virtual", TM_TYPE_BOOL},
    {"daemon", TM_TYPE_BOOL},       {"state", TM_TYPE_STRING},
    {"start_ns", TM_TYPE_INT64},    {"end_ns", TM_TYPE_INT64},
    COUNT_AND_TOTAL("blocked"),     COUNT_AND_TOTAL("waiting"),
    COUNT_AND_TOTAL("reentering"),  COUNT_AND_TOTAL("joining"),
    COUNT_AND_TOTAL("sleeping"),    COUNT_AND_TOTAL("parked"),
    {"carrier_id", TM_TYPE_UINT64}, {"cpu_samples", TM_TYPE_UINT64},
};

/* The states of these columns, in their order. */
static const int thread_states[] = {TM_STATE_BLOCKED,    TM_STATE_WAITING,
                                    TM_STATE_REENTERING, TM_STATE_JOINING,
                                    TM_STATE_SLEEPING,   TM_STATE_PARKED};

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

static void put_thread(tm__builder *builder, const tm_model *model,
                       const tm__scope *scope, uint32_t thread)
{
    const tm__thread *it = &model->threads[thread];
    int state = it->interval_count ? it->intervals[it->interval_count - 1].state
                                   : TM_STATE_UNKNOWN;
    sum sums[TM_STATE_END] = {{0, 0}};
    tm__hold_up_walk walk;
    tm__hold_up_part part;

    tm__hold_up_start(&walk, model, scope, thread);
    while (tm__hold_up_next(&walk, &part)) {
        /* A sleep is for no object, so a choice of classes says nothing about it. */
        if (part.state != TM_STATE_SLEEPING &&
            !tm__scope_has_class_of(scope, model, part.object))
            continue;
        add(&sums[part.state], 1, part.end_ns - part.start_ns);
    }
    for (uint32_t i = tm__scope_folds(scope, model, it); i != TM__NONE;
         i = model->folds[i].next) {
        const tm__fold *fold = &model->folds[i];

        if (fold->state != TM_STATE_SLEEPING &&
            !tm__scope_has_class(scope, fold->class_index))
            continue;
        add(&sums[fold->state], (int64_t)fold->durations.count, fold->durations.total);
    }
    tm__put_uint64(builder, it->id);
    tm__put_string(builder, tm__thread_name(model, thread));
    tm__put_string(builder, tm__strings_get(&model->strings, it->group));
    tm__put_bool(builder, (it->flags & TM_THREAD_VIRTUAL) != 0);
    tm__put_bool(builder, (it->flags & TM_THREAD_DAEMON) != 0);
    tm__put_string(builder, tm_state_name(state));
    put_time(builder, model, it->start_ns);
    put_time(builder, model, it->end_ns);
    for (size_t i = 0; i < sizeof(thread_states) / sizeof(*thread_states); i++) {
        tm__put_int64(builder, sums[thread_states[i]].count);
        tm__put_int64(builder, sums[thread_states[i]].total_ns);
    }
    if (it->carrier == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->threads[it->carrier].id);
    tm__put_uint64(builder, it->samples);
}

int tm_statistics_threads(tm_table **out, const tm_model *model,
                          const tm_selection *selection)
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
    tm__builder_start(&builder, "threads", thread_columns,
                      sizeof(thread_columns) / sizeof(*thread_columns),
                      &model->memory.hook);
    if (!scope.threads)
        tm__builder_expect(&builder, model->threads_count);
    for (uint32_t i = 0; i < model->threads_count && !builder.failed; i++)
        if (!scope.threads || scope.threads[i])
            put_thread(&builder, model, &scope, i);
    tm__model_put_limits(model, &builder);
    tm__scope_close(&scope, model);
    return tm__builder_finish(&builder, out);
}

#define DISTRIBUTION(state)                                                            \
    {state "_count", TM_TYPE_INT64}, {state "_total_ns", TM_TYPE_INT64},               \
        {state "_min_ns", TM_TYPE_INT64}, {state "_max_ns", TM_TYPE_INT64},            \
        {state "_mean_ns", TM_TYPE_INT64}, {state "_p50_ns", TM_TYPE_INT64},           \
        {state "_p90_ns", TM_TYPE_INT64},                                              \
    {                                                                                  \
        state "_p99_ns", TM_TYPE_INT64                                                 \
    }

/* Columns of a key; `without` are the keys that brought them already. */
static const struct key_column {
    tm__column_spec column;
    uint32_t key;
    uint32_t without;
} key_columns[] = {
    {{"class", TM_TYPE_STRING}, TM_BY_CLASS, 0},
    {{"method", TM_TYPE_STRING}, TM_BY_CALLER, 0},
    {{"source", TM_TYPE_STRING}, TM_BY_CALLER, 0},
    {{"line", TM_TYPE_INT32}, TM_BY_CALLER, 0},
    {{"object", TM_TYPE_STRING}, TM_BY_OBJECT, 0},
    {{"class", TM_TYPE_STRING}, TM_BY_OBJECT, TM_BY_CLASS},
    {{"thread_id", TM_TYPE_UINT64}, TM_BY_THREAD, 0},
    {{"thread", TM_TYPE_STRING}, TM_BY_THREAD, 0},
    {{"group", TM_TYPE_STRING}, TM_BY_GROUP, 0},
};

static const tm__column_spec value_columns[] = {
    {"objects", TM_TYPE_INT64}, {"threads", TM_TYPE_INT64}, DISTRIBUTION("blocked"),
    DISTRIBUTION("waiting"),    DISTRIBUTION("reentering"), DISTRIBUTION("joining"),
    DISTRIBUTION("parked"),
};

enum {
    KEY_COLUMNS = sizeof(key_columns) / sizeof(*key_columns),
    VALUE_COLUMNS = sizeof(value_columns) / sizeof(*value_columns)
};

static const char *name_of_answer(uint32_t keys)
{
    switch (keys) {
    case TM_BY_CLASS: return "monitors";
    case TM_BY_CLASS | TM_BY_CALLER: return "callers";
    case TM_BY_OBJECT:
    case TM_BY_OBJECT | TM_BY_CLASS: return "objects";
    default: return "groups";
    }
}

static void start_answer(tm__builder *builder, const tm__groups *groups)
{
    tm__column_spec columns[KEY_COLUMNS + VALUE_COLUMNS];
    size_t count = 0;

    for (size_t i = 0; i < KEY_COLUMNS; i++)
        if (groups->keys & key_columns[i].key &&
            !(groups->keys & key_columns[i].without))
            columns[count++] = key_columns[i].column;
    for (size_t i = 0; i < VALUE_COLUMNS; i++)
        columns[count++] = value_columns[i];
    tm__builder_start(builder, name_of_answer(groups->keys), columns, count,
                      &groups->model->memory.hook);
    tm__builder_expect(builder, groups->items_count);
}

static void put_caller(tm__builder *builder, const tm__groups *groups, uint32_t caller)
{
    const tm__strings *strings = &groups->model->strings;

    if (caller == TM__NONE) {
        tm__put_null(builder);
        tm__put_null(builder);
        tm__put_null(builder);
        return;
    }
    tm__put_string(builder, tm__strings_get(strings, groups->callers[caller].method));
    tm__put_string(builder, tm__strings_get(strings, groups->callers[caller].source));
    if (groups->callers[caller].line)
        tm__put_int32(builder, (int32_t)groups->callers[caller].line);
    else
        tm__put_null(builder);
}

static void put_object(tm__builder *builder, const tm_model *model, uint32_t object)
{
    char label[LABEL_BYTES];

    if (object == TM__NONE) {
        tm__put_null(builder);
        return;
    }
    tm__object_label(model, object, label, sizeof(label));
    tm__put_text(builder, label);
}

static void put_keys(tm__builder *builder, const tm__groups *groups,
                     const tm__group *group)
{
    const tm_model *model = groups->model;
    const tm__thread *thread = &model->threads[group->thread];
    const char *class_name = tm__strings_get(&model->strings, group->class_name);

    if (groups->keys & TM_BY_CLASS)
        tm__put_string(builder, class_name);
    if (groups->keys & TM_BY_CALLER)
        put_caller(builder, groups, group->caller);
    if (groups->keys & TM_BY_OBJECT)
        put_object(builder, model, group->object);
    if ((groups->keys & (TM_BY_OBJECT | TM_BY_CLASS)) == TM_BY_OBJECT)
        tm__put_string(builder, class_name);
    if (groups->keys & TM_BY_THREAD) {
        tm__put_uint64(builder, thread->id);
        tm__put_string(builder, tm__thread_name(model, group->thread));
    }
    if (groups->keys & TM_BY_GROUP)
        tm__put_string(builder, tm__strings_get(&model->strings, thread->group));
}

static void put_distribution(tm__builder *builder, const tm__histogram *histogram)
{
    static const double fractions[] = {0.5, 0.9, 0.99};
    uint64_t mean;

    tm__put_int64(builder, (int64_t)histogram->count);
    tm__put_int64(builder, histogram->total);
    if (histogram->count == 0) {
        for (int i = 0; i < 6; i++)
            tm__put_null(builder);
        return;
    }
    mean = ((uint64_t)histogram->total + histogram->count / 2) / histogram->count;
    tm__put_int64(builder, histogram->min);
    tm__put_int64(builder, histogram->max);
    tm__put_int64(builder, (int64_t)mean);
    for (size_t i = 0; i < sizeof(fractions) / sizeof(*fractions); i++)
        tm__put_int64(builder, tm__histogram_quantile(histogram, fractions[i]));
}

static int answer(tm_table **out, tm__groups *groups)
{
    tm__builder builder;
    tm__sortable *order;
    int status = tm__groups_order(&order, groups);

    if (status < 0)
        return status;
    start_answer(&builder, groups);
    for (uint32_t i = 0; i < groups->items_count && !builder.failed; i++) {
        uint32_t number = order[i].number;
        const tm__group *group = &groups->items[number];

        put_keys(&builder, groups, group);
        tm__put_int64(&builder, group->object_count);
        tm__put_int64(&builder, group->thread_count);
        for (int state = 0; state < TM__GROUP_STATES; state++)
            put_distribution(&builder, tm__group_histogram(groups, number, state));
    }
    tm__model_put_limits(groups->model, &builder);
    tm__free(&groups->memory, order, groups->items_count * sizeof(*order));
    return tm__builder_finish(&builder, out);
}

int tm_statistics_monitors(tm_table **out, const tm_model *model,
                           const tm_statistics_options *options)
{
    static const tm_statistics_options by_class = {.size = sizeof(by_class),
                                                   .keys = TM_BY_CLASS};
    tm__libraries libraries;
    tm__groups groups;
    tm__scope scope;
    uint32_t keys;
    int status;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (!options)
        options = &by_class;
    TM__CHECK(options->size >= sizeof(*options));
    keys = options->keys ? options->keys : (uint32_t)TM_BY_CLASS;
    if (keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: bits beyond %d", keys, ALL_KEYS);
    status = tm__scope_open(&scope, model, options->selection);
    if (status < 0)
        return status;
    libraries = (tm__libraries){options->libraries, options->library_count};
    status = tm__groups_gather(&groups, model, &scope, keys, &libraries);
    if (status == TM_OK)
        status = answer(out, &groups);
    tm__groups_free(&groups);
    tm__scope_close(&scope, model);
    return status;
}
