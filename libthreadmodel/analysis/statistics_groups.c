/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often and how long, by any combination of keys: what groups.c gathers, as
 * answers. Threads, of which each has its row, are in statistics.c.
 */
#include <threadmodel/statistics.h>

#include "analysis/groups.h"
#include "table/distribution.h"

enum {
    ALL_KEYS = TM_BY_CLASS | TM_BY_CALLER | TM_BY_OBJECT | TM_BY_THREAD | TM_BY_GROUP |
               TM_BY_STACK | TM_BY_METHOD | TM_BY_LINE,
    BY_METHOD = TM_BY_CALLER | TM_BY_METHOD,
    BY_LINE = TM_BY_CALLER | TM_BY_LINE,
    LABEL_BYTES = 1024
};

/* Columns of keys, of any of them; `without` are those that brought them already. */
static const struct key_column {
    tm__column_spec column;
    uint32_t key;
    uint32_t without;
} key_columns[] = {
    {{"class", TM_TYPE_STRING}, TM_BY_CLASS, 0},
    {{"method", TM_TYPE_STRING}, BY_METHOD, 0},
    {{"source", TM_TYPE_STRING}, BY_LINE, 0},
    {{"line", TM_TYPE_INT32}, BY_LINE, 0},
    {{"idle", TM_TYPE_BOOL}, BY_METHOD, 0},
    {{"object", TM_TYPE_STRING}, TM_BY_OBJECT, 0},
    {{"class", TM_TYPE_STRING}, TM_BY_OBJECT, TM_BY_CLASS},
    {{"thread_id", TM_TYPE_UINT64}, TM_BY_THREAD, 0},
    {{"thread", TM_TYPE_STRING}, TM_BY_THREAD, 0},
    {{"group", TM_TYPE_STRING}, TM_BY_GROUP, 0},
    {{"stack", TM_TYPE_INT32}, TM_BY_STACK, 0},
};

static const tm__column_spec value_columns[] = {
    {"objects", TM_TYPE_INT64},        {"threads", TM_TYPE_INT64},
    TM__DISTRIBUTION("blocked_"),      TM__DISTRIBUTION("waiting_"),
    TM__DISTRIBUTION("reentering_"),   TM__DISTRIBUTION("joining_"),
    TM__DISTRIBUTION("parked_"),       {"blocked_share", TM_TYPE_DOUBLE},
    {"waiting_share", TM_TYPE_DOUBLE}, {"reentering_share", TM_TYPE_DOUBLE},
    {"joining_share", TM_TYPE_DOUBLE}, {"parked_share", TM_TYPE_DOUBLE},
};

static const tm__column_spec bucket_columns[] = {
    {"low_ns", TM_TYPE_INT64},
    {"high_ns", TM_TYPE_INT64},
    {"count", TM_TYPE_INT64},
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

static void start_answer(tm__builder *builder, const tm__groups *groups,
                         const char *name, const tm__column_spec *values,
                         size_t value_count)
{
    tm__column_spec columns[KEY_COLUMNS + VALUE_COLUMNS];
    size_t count = 0;

    for (size_t i = 0; i < KEY_COLUMNS; i++)
        if (groups->keys & key_columns[i].key &&
            !(groups->keys & key_columns[i].without))
            columns[count++] = key_columns[i].column;
    for (size_t i = 0; i < value_count; i++)
        columns[count++] = values[i];
    tm__builder_start(builder, name, columns, count, &groups->model->memory.hook);
    tm__builder_expect(builder, groups->items_count);
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

static void put_place(tm__builder *builder, const tm__groups *groups, uint32_t place)
{
    if (groups->keys & BY_METHOD)
        tm__put_caller_method(builder, &groups->callers, place);
    if (groups->keys & BY_LINE)
        tm__put_caller_line(builder, &groups->callers, place);
    if (groups->keys & BY_METHOD)
        tm__put_bool(builder, tm__caller_is_idle(&groups->callers, place));
}

static void put_keys(tm__builder *builder, const tm__groups *groups,
                     const tm__group *group)
{
    const tm_model *model = groups->model;
    const tm__thread *thread = &model->threads[group->thread];
    const char *class_name = tm__strings_get(&model->strings, group->class_name);

    if (groups->keys & TM_BY_CLASS)
        tm__put_string(builder, class_name);
    if (tm__groups_by_place(groups))
        put_place(builder, groups, group->caller);
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
    if (groups->keys & TM_BY_STACK && group->stack != TM__NONE)
        tm__put_int32(builder, (int32_t)group->stack);
    else if (groups->keys & TM_BY_STACK)
        tm__put_null(builder);
}

/* The length of the part of the run that was asked about. */
static int64_t window_ns(const tm_model *model, const tm__scope *scope)
{
    int64_t origin_ns = tm__model_origin_ns(model);
    int64_t end_ns = origin_ns + tm_model_length_ns(model);
    int64_t from_ns = scope->from_ns > origin_ns ? scope->from_ns : origin_ns;
    int64_t to_ns = scope->to_ns < end_ns ? scope->to_ns : end_ns;

    return to_ns - from_ns;
}

static void put_shares(tm__builder *builder, const tm__groups *groups, uint32_t number)
{
    int64_t whole_ns = window_ns(groups->model, groups->scope);

    for (int state = 0; state < TM__GROUP_STATES; state++) {
        int64_t total_ns = tm__group_histogram(groups, number, state)->total;

        tm__put_double(builder, whole_ns > 0 ? (double)total_ns / (double)whole_ns : 0);
    }
}

static int put_rows(tm__builder *builder, tm__groups *groups, int state)
{
    tm__sortable *order;
    int rc = tm__groups_order(&order, groups);

    (void)state;
    for (uint32_t i = 0; rc == TM_OK && i < groups->items_count && !builder->failed;
         i++) {
        uint32_t number = order[i].number;
        const tm__group *group = &groups->items[number];

        put_keys(builder, groups, group);
        tm__put_int64(builder, group->object_count);
        tm__put_int64(builder, group->thread_count);
        for (int s = 0; s < TM__GROUP_STATES; s++)
            tm__put_distribution(builder, tm__group_histogram(groups, number, s));
        put_shares(builder, groups, number);
    }
    tm__free(&groups->memory, order, groups->items_count * sizeof(*order));
    return rc;
}

static int put_buckets(tm__builder *builder, tm__groups *groups, int state)
{
    tm__sortable *order;
    int rc = tm__groups_order(&order, groups);

    for (uint32_t i = 0; rc == TM_OK && i < groups->items_count; i++) {
        uint32_t number = order[i].number;
        const tm__histogram *it = tm__group_histogram(groups, number, state);

        for (uint32_t b = 0; b < it->bucket_count && !builder->failed; b++) {
            int64_t low, high;

            if (!it->buckets[b])
                continue;
            tm__histogram_bounds(it->first + b, &low, &high);
            put_keys(builder, groups, &groups->items[number]);
            tm__put_int64(builder, low);
            tm__put_int64(builder, high);
            tm__put_int64(builder, (int64_t)it->buckets[b]);
        }
    }
    tm__free(&groups->memory, order, groups->items_count * sizeof(*order));
    return rc;
}

/** A question: the columns after the keys, and who fills the rows. */
typedef struct question {
    const char *name;
    const tm__column_spec *values;
    size_t value_count;
    int (*put)(tm__builder *builder, tm__groups *groups, int state);
    int state; ///< TM__GROUP_BLOCKED, ...
} question;

static int ask(tm_table **out, const tm_model *model,
               const tm_statistics_options *options, uint32_t keys,
               const question *what)
{
    tm__libraries libraries = {options->libraries, options->library_count};
    tm__builder builder;
    tm__groups groups;
    tm__scope scope;
    int rc;

    if (keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: bits beyond %d", keys, ALL_KEYS);
    rc = tm__scope_open(&scope, model, options->selection);
    if (rc < 0)
        return rc;
    rc = tm__groups_gather(&groups, model, &scope, keys, &libraries);
    if (rc == TM_OK) {
        start_answer(&builder, &groups, what->name, what->values, what->value_count);
        rc = what->put(&builder, &groups, what->state);
        tm__model_put_limits(model, &builder);
        if (rc == TM_OK)
            rc = tm__builder_finish(&builder, out);
        else
            tm__builder_abandon(&builder);
    }
    tm__groups_free(&groups);
    tm__scope_close(&scope, model);
    return rc;
}

static const tm_statistics_options everything = {.size = sizeof(everything)};

int tm_statistics_monitors(tm_table **out, const tm_model *model,
                           const tm_statistics_options *options)
{
    question rows = {
        .values = value_columns, .value_count = VALUE_COLUMNS, .put = put_rows};
    uint32_t keys;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (!options)
        options = &everything;
    TM__CHECK(options->size >= sizeof(*options));
    keys = options->keys ? options->keys : (uint32_t)TM_BY_CLASS;
    rows.name = name_of_answer(keys);
    return ask(out, model, options, keys, &rows);
}

int tm_statistics_total(tm_table **out, const tm_model *model,
                        const tm_statistics_options *options)
{
    static const question row = {.name = "total",
                                 .values = value_columns,
                                 .value_count = VALUE_COLUMNS,
                                 .put = put_rows};

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (!options)
        options = &everything;
    TM__CHECK(options->size >= sizeof(*options));
    if (options->keys)
        return tm__fail(TM_EINVAL, "keys %u: a total has none", options->keys);
    return ask(out, model, options, 0, &row);
}

int tm_statistics_histogram(tm_table **out, const tm_model *model,
                            const tm_statistics_options *options, int state)
{
    question buckets = {.name = "histogram",
                        .values = bucket_columns,
                        .value_count = sizeof(bucket_columns) / sizeof(*bucket_columns),
                        .put = put_buckets};

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (!options)
        options = &everything;
    TM__CHECK(options->size >= sizeof(*options));
    buckets.state = tm__group_state(state);
    if (buckets.state < 0)
        return tm__fail(TM_EINVAL,
                        "state %d: blocked, waiting, reentering, joining and parked "
                        "have histograms",
                        state);
    return ask(out, model, options, options->keys, &buckets);
}
