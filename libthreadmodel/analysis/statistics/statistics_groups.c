/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often and how long, by any combination of keys: answers from what groups.c
 * gathers. Threads, with a row each, are in statistics.c.
 */
#include <threadmodel/statistics.h>

#include "analysis/listing/caveats.h"
#include "analysis/statistics/groups.h"
#include "analysis/statistics/groups_order.h"
#include "analysis/statistics/groups_parts.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/entities/entity_names.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "table/distribution.h"
#include "table/tables.h"

enum {
    ALL_KEYS =
        TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_OBJECT |
        TM_STATISTICS_BY_THREAD | TM_STATISTICS_BY_GROUP | TM_STATISTICS_BY_STACK |
        TM_STATISTICS_BY_METHOD | TM_STATISTICS_BY_LINE | TM_STATISTICS_BY_LATENCY,
    BY_METHOD = TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_METHOD,
    BY_LINE = TM_STATISTICS_BY_CALLER | TM_STATISTICS_BY_LINE
};

/* States in which a lock or permit is queued for: columns of BY_LATENCY. */
static const int of_latency[] = {TM__GROUP_BLOCKED, TM__GROUP_WAITING,
                                 TM__GROUP_REENTERING, TM__GROUP_PARKED};
enum { LATENCIES = sizeof(of_latency) / sizeof(*of_latency) };

static const tm__table_spec *spec_of(uint32_t keys)
{
    switch (keys & ~(uint32_t)TM_STATISTICS_BY_LATENCY) {
    case TM_STATISTICS_BY_CLASS: return &tm__locks_table;
    case TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER: return &tm__callers_table;
    case TM_STATISTICS_BY_OBJECT:
    case TM_STATISTICS_BY_OBJECT | TM_STATISTICS_BY_CLASS: return &tm__objects_table;
    default: return &tm__groups_table;
    }
}

/** An answer that is being written. */
typedef struct answer {
    tm__builder builder;
    tm__groups groups;
    tm__labels labels;
    int state; ///< TM__GROUP_BLOCKED, ..., when asked about one
} answer;

static void put_place(answer *a, const tm__group *group)
{
    const tm__groups *groups = &a->groups;
    uint32_t place = group->caller;

    if (groups->keys & BY_METHOD)
        tm__put_caller_method(&a->builder, &groups->callers, place);
    if (groups->keys & BY_LINE)
        tm__put_caller_line(&a->builder, &groups->callers, place);
    if (groups->keys & BY_METHOD)
        tm__put_bool(&a->builder,
                     group->is_idle || tm__caller_is_idle(&groups->callers, place));
}

static void put_keys(answer *a, const tm__group *group)
{
    const tm_model *model = a->groups.model;
    const tm__thread *thread = &model->entities.threads[group->thread];
    const char *class_name =
        tm__strings_get(&model->entities.strings, group->class_name);
    uint32_t keys = a->groups.keys;
    tm__builder *builder = &a->builder;

    if (keys & TM_STATISTICS_BY_CLASS)
        tm__put_string(builder, class_name);
    if (tm__groups_by_place(&a->groups))
        put_place(a, group);
    if (keys & TM_STATISTICS_BY_OBJECT)
        tm__put_string(builder, tm__label(&a->labels, model, group->object));
    if ((keys & (TM_STATISTICS_BY_OBJECT | TM_STATISTICS_BY_CLASS)) ==
        TM_STATISTICS_BY_OBJECT)
        tm__put_string(builder, class_name);
    if (keys & TM_STATISTICS_BY_THREAD) {
        tm__put_uint64(builder, thread->id);
        tm__put_string(builder, tm__thread_name(&model->entities, group->thread));
    }
    if (keys & TM_STATISTICS_BY_GROUP)
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, thread->group));
    if (keys & TM_STATISTICS_BY_STACK && group->stack != TM__NONE)
        tm__put_int32(builder, (int32_t)group->stack);
    else if (keys & TM_STATISTICS_BY_STACK)
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

/* Distributions, then shares, of states that the run has; of others all rows are the
 * same, and a row of sixty columns is quickly written when it has ten. */
static void find_states(answer *a, int has[TM__GROUP_STATES])
{
    size_t column = 0;

    if (!a->builder.failed)
        column = tm_table_column_count(a->builder.table) -
                 (size_t)TM__GROUP_STATES * (TM__DISTRIBUTION_COLUMNS + 1) -
                 (a->groups.latencies_ns ? LATENCIES : 0);
    for (int s = 0; s < TM__GROUP_STATES; s++) {
        has[s] = tm__groups_have(&a->groups, s);
        if (has[s])
            continue;
        tm__distribution_blank(&a->builder,
                               column + (size_t)s * TM__DISTRIBUTION_COLUMNS);
        tm__builder_blank(
            &a->builder,
            column + TM__GROUP_STATES * TM__DISTRIBUTION_COLUMNS + (size_t)s, 0);
    }
}

static void put_values(answer *a, uint32_t number, const int has[TM__GROUP_STATES],
                       int64_t whole_ns)
{
    tm__distribution states[TM__GROUP_STATES];

    for (int s = 0; s < TM__GROUP_STATES; s++)
        if (has[s])
            states[s] =
                tm__distribution_of_dense(tm__group_count(&a->groups, number, s));
    tm__put_int64(&a->builder, tm__group_object_count(&a->groups, number));
    tm__put_int64(&a->builder, a->groups.items[number].thread_count);
    for (int s = 0; s < TM__GROUP_STATES; s++)
        if (has[s])
            tm__put_distribution(&a->builder, &states[s]);
        else
            tm__pass_blank(&a->builder, TM__DISTRIBUTION_COLUMNS);
    for (int s = 0; s < TM__GROUP_STATES; s++)
        if (has[s])
            tm__put_double(&a->builder,
                           whole_ns > 0 ? (double)states[s].total_ns / (double)whole_ns
                                        : 0);
        else
            tm__pass_blank(&a->builder, 1);
}

static void put_latencies(answer *a, uint32_t number)
{
    const int64_t *sums = &a->groups.latencies_ns[(size_t)number * TM__GROUP_STATES];

    for (size_t i = 0; i < LATENCIES; i++)
        tm__put_int64(&a->builder, sums[of_latency[i]]);
}

static void put_rows(answer *a, const tm__sortable *order)
{
    int64_t whole_ns = window_ns(a->groups.model, a->groups.scope);
    int has[TM__GROUP_STATES];

    find_states(a, has);
    tm__builder_expect(&a->builder, a->groups.items_count);
    for (uint32_t i = 0; i < a->groups.items_count && !a->builder.failed; i++) {
        uint32_t number = order[i].number;

        tm__groups_ask_for(&a->groups, order, i);
        put_keys(a, &a->groups.items[number]);
        put_values(a, number, has, whole_ns);
        if (a->groups.latencies_ns)
            put_latencies(a, number);
    }
}

static void put_buckets(answer *a, const tm__sortable *order)
{
    for (uint32_t i = 0; i < a->groups.items_count && !a->builder.failed; i++) {
        uint32_t number = order[i].number;
        const tm__dense_histogram *it = tm__group_count(&a->groups, number, a->state);

        for (uint32_t b = tm__dense_histogram_next(it, 0);
             b < TM__DENSE_HISTOGRAM_END && !a->builder.failed;
             b = tm__dense_histogram_next(it, b + 1)) {
            int64_t low, high;

            tm__histogram_bounds(b, &low, &high);
            put_keys(a, &a->groups.items[number]);
            tm__put_int64(&a->builder, low);
            tm__put_int64(&a->builder, high);
            tm__put_int64(&a->builder, (int64_t)it->buckets[b]);
        }
    }
}

/** A question: the table, and who fills its rows. */
typedef struct question {
    const tm__table_spec *spec;
    void (*put)(answer *a, const tm__sortable *order);
    int state; ///< TM__GROUP_BLOCKED, ...
} question;

static int write_answer(tm_table **out, answer *a, const question *what)
{
    tm__sortable *order = tm__groups_order(&a->groups);

    if (!order)
        return tm__failure();
    a->state = what->state;
    tm__builder_start(&a->builder, what->spec, a->groups.keys,
                      &a->groups.model->memory.hook);
    what->put(a, order);
    tm__sorted_free(&a->groups.memory, order, a->groups.items_count);
    tm__model_put_caveats(a->groups.model, &a->builder);
    return tm__builder_close(&a->builder, out, a->labels.failed);
}

static int ask(tm_table **out, const tm_model *model,
               const tm_statistics_options *options, uint32_t keys,
               const question *what)
{
    tm__libraries libraries = {options->libraries, options->library_count};
    tm__scope scope;
    answer a;
    int rc;

    if (keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: unknown bits above %d", keys, ALL_KEYS);
    rc = tm__scope_open(&scope, model, options->selection);
    if (rc < 0)
        return rc;
    rc = tm__labels_open(&a.labels, model);
    if (rc == TM_OK) {
        rc = tm__groups_gather(&a.groups, model, &scope, keys, &libraries);
        if (rc == TM_OK)
            rc = write_answer(out, &a, what);
        tm__groups_free(&a.groups);
        tm__labels_close(&a.labels);
    }
    tm__scope_close(&scope, model);
    return rc;
}

int tm_statistics_list(tm_table **out, const tm_model *model,
                       const tm_statistics_options *given)
{
    tm_statistics_options options;
    question rows = {.put = put_rows};
    uint32_t keys;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_statistics_options, keys);
    if (rc < 0)
        return rc;
    keys = options.keys ? options.keys : (uint32_t)TM_STATISTICS_BY_CLASS;
    rows.spec = spec_of(keys);
    return ask(out, model, &options, keys, &rows);
}

int tm_statistics_sum(tm_table **out, const tm_model *model,
                      const tm_statistics_options *given)
{
    tm_statistics_options options;
    static const question row = {.spec = &tm__total_table, .put = put_rows};
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_statistics_options, keys);
    if (rc < 0)
        return rc;
    if (options.keys)
        return tm__fail(TM_EINVAL, "keys %u: a total takes no keys", options.keys);
    return ask(out, model, &options, 0, &row);
}

int tm_histogram_list(tm_table **out, const tm_model *model,
                      const tm_statistics_options *given, int state)
{
    tm_statistics_options options;
    question buckets = {.spec = &tm__histogram_table, .put = put_buckets};
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_statistics_options, keys);
    if (rc < 0)
        return rc;
    buckets.state = tm__group_state(state);
    if (buckets.state < 0)
        return tm__fail(TM_EINVAL,
                        "state %d: blocked, waiting, reentering, joining, parked and "
                        "io have histograms",
                        state);
    return ask(out, model, &options, options.keys & ~(uint32_t)TM_STATISTICS_BY_LATENCY,
               &buckets);
}
