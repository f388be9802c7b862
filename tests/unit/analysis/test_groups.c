/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of random runs, by every combination of keys, against sums made the
 * slow way: for each row of the answer all rows of the timeline are gone through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/group_runs.h"

enum { MAX_INTERVALS = EVENTS };

/** One blocking interval as the timeline shows it. */
struct blocking {
    uint64_t thread_id;
    const char *thread, *state, *object, *class_name, *method, *source;
    int32_t line;
    int64_t duration_ns;
};

static struct blocking blocking_intervals[MAX_INTERVALS];
static size_t interval_count;

static const char *const states[] = {"blocked", "waiting", "reentering", "joining",
                                     "parked"};

static int is_blocking(const char *state)
{
    static const char *const others[] = {"new", "running", "dead", "unknown"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (same(state, others[i]))
            return 0;
    return 1;
}

/* Rows that touch without running in between, of the same state or a deadlock, are
 * one blocking interval. */
static void read_timeline(const tm_table *timeline)
{
    const int64_t *start_ns = tm_table_int64(timeline, "start_ns");
    const int64_t *end_ns = tm_table_int64(timeline, "end_ns");
    const uint64_t *thread_id = tm_table_uint64(timeline, "thread_id");
    struct blocking *open = NULL;

    interval_count = 0;
    for (size_t i = 0; i < tm_table_row_count(timeline); i++) {
        const char *state = tm_table_string(timeline, "state", i);

        if (!is_blocking(state)) {
            open = NULL;
            continue;
        }
        if (open && open->thread_id == thread_id[i] &&
            (same(state, "deadlocked") || same(state, open->state))) {
            open->duration_ns += end_ns[i] - start_ns[i];
            continue;
        }
        assert_false(same(state, "deadlocked"));
        assert_true(interval_count < MAX_INTERVALS);
        open = &blocking_intervals[interval_count++];
        *open = (struct blocking){
            .thread_id = thread_id[i],
            .thread = tm_table_string(timeline, "thread", i),
            .state = state,
            .object = tm_table_string(timeline, "object", i),
            .class_name = tm_table_string(timeline, "class", i),
            .method = tm_table_string(timeline, "method", i),
            .source = tm_table_string(timeline, "source", i),
            .line = tm_table_int32(timeline, "line")[i],
            .duration_ns = end_ns[i] - start_ns[i],
        };
    }
}

static int is_in_row(const struct blocking *it, const tm_table *table, uint32_t keys,
                     size_t row)
{
    if (keys & (TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_OBJECT) &&
        !same(it->class_name, tm_table_string(table, "class", row)))
        return 0;
    if (keys & TM_STATISTICS_BY_CALLER &&
        (!same(it->method, tm_table_string(table, "method", row)) ||
         !same(it->source, tm_table_string(table, "source", row)) ||
         it->line != tm_table_int32(table, "line")[row]))
        return 0;
    if (keys & TM_STATISTICS_BY_OBJECT &&
        !same(it->object, tm_table_string(table, "object", row)))
        return 0;
    if (keys & TM_STATISTICS_BY_THREAD &&
        it->thread_id != tm_table_uint64(table, "thread_id")[row])
        return 0;
    return !(keys & TM_STATISTICS_BY_GROUP) ||
           same(groups[it->thread_id % 3], tm_table_string(table, "group", row));
}

static int by_value(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return l < r ? -1 : l > r;
}

static int64_t cell(const tm_table *table, const char *state, const char *what,
                    size_t row)
{
    char name[40];

    snprintf(name, sizeof(name), "%s_%s", state, what);
    assert_non_null(tm_table_int64(table, name));
    return tm_table_int64(table, name)[row];
}

static void check_near(int64_t found, const int64_t *sorted, size_t count, int percent)
{
    int64_t exact = sorted[(count * (size_t)percent + 99) / 100 - 1];

    assert_true(llabs(found - exact) * 100 <= exact * 3);
}

/* Check one state of one row. @return how many blocking intervals it has */
static size_t check_state(const tm_table *table, uint32_t keys, size_t row,
                          const char *state)
{
    static int64_t durations[MAX_INTERVALS];
    size_t count = 0;
    int64_t total_ns = 0;

    for (size_t i = 0; i < interval_count; i++) {
        if (!same(blocking_intervals[i].state, state) ||
            !is_in_row(&blocking_intervals[i], table, keys, row))
            continue;
        total_ns += blocking_intervals[i].duration_ns;
        durations[count++] = blocking_intervals[i].duration_ns;
    }
    assert_int_equal(cell(table, state, "count", row), count);
    assert_int_equal(cell(table, state, "total_ns", row), total_ns);
    if (count == 0)
        return 0;
    qsort(durations, count, sizeof(*durations), by_value);
    assert_int_equal(cell(table, state, "min_ns", row), durations[0]);
    assert_int_equal(cell(table, state, "max_ns", row), durations[count - 1]);
    assert_int_equal(cell(table, state, "mean_ns", row),
                     (total_ns * 2 + (int64_t)count) / (2 * (int64_t)count));
    check_near(cell(table, state, "p50_ns", row), durations, count, 50);
    check_near(cell(table, state, "p90_ns", row), durations, count, 90);
    check_near(cell(table, state, "p99_ns", row), durations, count, 99);
    return count;
}

static void check_distinct(const tm_table *table, uint32_t keys, size_t row)
{
    const char *objects[OBJECTS + THREADS + 1];
    uint64_t thread_bits = 0;
    int64_t object_count = 0;

    for (size_t i = 0; i < interval_count; i++) {
        const struct blocking *it = &blocking_intervals[i];
        int64_t known = 0;

        if (same(it->state, "sleeping") || !is_in_row(it, table, keys, row))
            continue;
        thread_bits |= UINT64_C(1) << it->thread_id;
        while (known < object_count && !same(objects[known], it->object))
            known++;
        if (it->object && known == object_count)
            objects[object_count++] = it->object;
    }
    assert_int_equal(tm_table_int64(table, "objects")[row], object_count);
    assert_int_equal(tm_table_int64(table, "threads")[row],
                     __builtin_popcountll(thread_bits));
}

static void check_answer(const tm_model *model, uint32_t keys,
                         const tm_selection *selection)
{
    tm_statistics_options options = {
        .size = sizeof(options), .keys = keys, .selection = selection};
    size_t counted = 0, expected = 0;
    tm_table *table;

    assert_int_equal(tm_statistics_list(&table, model, &options), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        size_t before = counted;

        for (size_t s = 0; s < sizeof(states) / sizeof(*states); s++)
            counted += check_state(table, keys, row, states[s]);
        assert_true(counted > before);
        check_distinct(table, keys, row);
        if (row > 0)
            assert_true(cell(table, "blocked", "total_ns", row - 1) >=
                        cell(table, "blocked", "total_ns", row));
    }
    /* Each blocking interval stands in one row, so equal sums mean that no row is
     * missing. */
    for (size_t i = 0; i < interval_count; i++)
        expected += !same(blocking_intervals[i].state, "sleeping");
    assert_int_equal(counted, expected);
    tm_table_free(table);
}

static void check_threads(const tm_model *model, const tm_selection *selection)
{
    static const char *const all[] = {"blocked", "waiting",  "reentering",
                                      "joining", "sleeping", "parked"};
    tm_table *table;

    assert_int_equal(tm_thread_list(&table, model, selection), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        for (size_t s = 0; s < sizeof(all) / sizeof(*all); s++) {
            int64_t count = 0, total_ns = 0;

            for (size_t i = 0; i < interval_count; i++) {
                if (blocking_intervals[i].thread_id !=
                        tm_table_uint64(table, "thread_id")[row] ||
                    !same(blocking_intervals[i].state, all[s]))
                    continue;
                count++;
                total_ns += blocking_intervals[i].duration_ns;
            }
            assert_int_equal(cell(table, all[s], "count", row), count);
            assert_int_equal(cell(table, all[s], "total_ns", row), total_ns);
        }
    }
    tm_table_free(table);
}

static void check_run(uint64_t seed, const tm_selection *selection)
{
    tm_model *model = random_run(seed, EVENTS, 0);
    tm_table *timeline;

    assert_int_equal(tm_timeline_list(&timeline, model, selection), TM_OK);
    read_timeline(timeline);
    assert_true(interval_count > 50);
    for (uint32_t keys = 1; keys < 32; keys++)
        check_answer(model, keys, selection);
    check_threads(model, selection);
    tm_table_free(timeline);
    tm_model_free(model);
}

static void sums_agree_with_the_timeline(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        check_run(seed, NULL);
}

static void sums_agree_with_the_timeline_in_a_window(void **state)
{
    static const uint64_t threads[] = {1, 2, 3, 6};

    (void)state;
    for (uint64_t seed = 11; seed <= 14; seed++) {
        tm_selection window = {.size = sizeof(window),
                               .threads = threads,
                               .thread_count = 4,
                               .from_ns = 1000000 + (int64_t)seed,
                               .to_ns = 6000000};

        check_run(seed, &window);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_with_the_timeline),
        cmocka_unit_test(sums_agree_with_the_timeline_in_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
