/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of work: whatever the events, the parts of a unit add up to its duration, the
 * units of a kind to the kind, and the rows of a kind's parts to it as well.
 */
#include "../support/hostile.h"

#include <stdio.h>

#include "base/map.h"
#include "base/saturate.h"

enum { RUNS = 60, EVENTS = 3000 };

static void define(tm_model *model)
{
    static const char *const methods[] = {"park", "getTask", "runWorker",
                                          "run",  "sleep",   "handle"};
    static const char *const classes[] = {"jdk.internal.misc.Unsafe",
                                          "java.util.concurrent.ThreadPoolExecutor",
                                          "java.util.concurrent.ThreadPoolExecutor",
                                          "java.lang.Thread",
                                          "java.lang.Thread",
                                          "demo.Order"};
    static const tm_frame idle[] = {
        {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}, {4, 0, 0, 0}};
    static const tm_frame work[] = {
        {5, 0, 0, 0}, {6, 0, 0, 0}, {3, 0, 0, 0}, {4, 0, 0, 0}};
    static const tm_frame loop[] = {{5, 0, 0, 0}, {6, 0, 0, 0}, {4, 0, 0, 0}};
    const tm_sink *sink = tm_model_sink(model);

    for (uint64_t i = 0; i < 6; i++) {
        tm_class class = TM_CLASS_INIT;
        tm_method method = TM_METHOD_INIT;

        class.id = method.class_id = i + 1;
        class.name = classes[i];
        method.id = i + 1;
        method.name = methods[i];
        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    }
    for (uint32_t i = 1; i <= 3; i++) {
        tm_stack stack = TM_STACK_INIT;

        stack.id = i;
        stack.frames = i == 1 ? idle : i == 2 ? work : loop;
        stack.frame_count = i == 3 ? 3 : 4;
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
    for (uint64_t i = 1; i < 16; i++) {
        tm_thread thread = TM_THREAD_INIT;
        char name[32];

        snprintf(name, sizeof(name), "%s-%d", i < 8 ? "worker" : "client", (int)i);
        thread.id = i;
        thread.name = name;
        assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    }
}

/* Threads that are blocked and go on, with units among that; and some nonsense. */
static tm_model *a_run(uint64_t seed, int is_hostile)
{
    static const uint16_t begins[] = {TM_EVENT_SLEEP, TM_EVENT_PARK, TM_EVENT_WAIT,
                                      TM_EVENT_CONTENDED_ENTER};
    static const uint16_t ends[] = {TM_EVENT_SLEPT, TM_EVENT_UNPARKED, TM_EVENT_WAITED,
                                    TM_EVENT_CONTENDED_ENTERED};
    int blocked[16] = {0};
    tm_model *model;
    int64_t now_ns = 1000;

    random_state = seed;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define(model);
    for (int i = 0; i < EVENTS; i++) {
        tm_event event = any_event(now_ns);
        uint64_t thread = 1 + below(15);

        now_ns += 1 + (int64_t)below(40);
        if (is_hostile) {
            if (below(3) == 0)
                event.kind = (uint16_t)(TM_EVENT_UNIT_BEGIN + below(4));
        } else if (thread % 3 == 0 && below(2)) {
            event = (tm_event){.time_ns = now_ns,
                               .thread = thread,
                               .object = below(4),
                               .value = (int64_t)below(6),
                               .peer = below(6),
                               .kind = (uint16_t)(TM_EVENT_UNIT_BEGIN + below(4))};
        } else {
            int what = blocked[thread] ? blocked[thread] - 1 : (int)below(4);

            event = (tm_event){.time_ns = now_ns,
                               .thread = thread,
                               .object = what == 0 ? 0 : 1 + below(4),
                               .stack = blocked[thread] ? 0 : (uint32_t)below(4),
                               .kind = blocked[thread] ? ends[what] : begins[what]};
            blocked[thread] = blocked[thread] ? 0 : what + 1;
        }
        assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    }
    return model;
}

static int64_t parts_of(const tm_table *units, size_t row)
{
    int64_t sum = tm_table_int64(units, "elsewhere_ns")[row];

    assert_true(sum >= 0);
    for (int state = 0; state < TM_STATE_END; state++) {
        char name[64];

        snprintf(name, sizeof(name), "%s_ns", tm_state_name(state));
        assert_true(tm_table_int64(units, name)[row] >= 0);
        sum += tm_table_int64(units, name)[row];
    }
    return sum;
}

static int is_same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static void check_sums(const tm_model *model)
{
    tm_table *units, *kinds, *parts;
    int64_t finished_ns = 0, kinds_ns = 0, finished = 0, counted = 0, left = 0;

    assert_int_equal(tm_unit_list(&units, model, NULL, NULL), TM_OK);
    assert_int_equal(tm_unit_kind_list(&kinds, model, NULL, NULL), TM_OK);
    assert_int_equal(tm_unit_part_list(&parts, model, NULL, NULL), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(units); i++) {
        int64_t ns = tm_table_int64(units, "duration_ns")[i];

        assert_int_equal(parts_of(units, i), ns);
        assert_true(i == 0 || tm_table_int64(units, "start_ns")[i] >=
                                  tm_table_int64(units, "start_ns")[i - 1]);
        if (tm_table_bool(units, "finished")[i / 8] >> i % 8 & 1) {
            finished++;
            finished_ns = tm__sum(finished_ns, ns);
        } else {
            left++;
        }
    }
    for (size_t i = 0; i < tm_table_row_count(kinds); i++) {
        int64_t total_ns = tm_table_int64(kinds, "total_ns")[i], sum_ns = 0;

        counted += tm_table_int64(kinds, "count")[i];
        left -= tm_table_int64(kinds, "unfinished")[i];
        kinds_ns = tm__sum(kinds_ns, total_ns);
        for (size_t j = 0; j < tm_table_row_count(parts); j++)
            if (is_same(tm_table_string(parts, "kind", j),
                        tm_table_string(kinds, "kind", i)) &&
                tm_table_uint64(parts, "thread_id")[j] ==
                    tm_table_uint64(kinds, "thread_id")[i])
                sum_ns = tm__sum(sum_ns, tm_table_int64(parts, "total_ns")[j]);
        assert_int_equal(sum_ns, total_ns);
    }
    assert_int_equal(kinds_ns, finished_ns);
    assert_int_equal(counted, finished);
    assert_int_equal(left, 0);
    tm_table_free(units);
    tm_table_free(kinds);
    tm_table_free(parts);
}

static void parts_add_up_to_units_and_units_to_kinds(void **state)
{
    int some = 0;

    for (int run = 0; run < RUNS; run++) {
        tm_model *model = a_run((uint64_t)run, run % 4 == 3);
        tm_table *units;

        assert_int_equal(tm_unit_list(&units, model, NULL, NULL), TM_OK);
        some += tm_table_row_count(units) > 100;
        tm_table_free(units);
        check_sums(model);
        tm_model_free(model);
    }
    assert_true(some > RUNS / 2);
    (void)state;
}

static void none_is_inferred_where_that_is_switched_off(void **state)
{
    tm_unit_options options = TM_UNIT_OPTIONS_INIT;
    tm_model *model = a_run(3, 0);
    tm_table *units;
    size_t stated = 0;

    assert_int_equal(tm_unit_list(&units, model, NULL, NULL), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(units); i++)
        stated += !strcmp(tm_table_string(units, "provenance", i), "reported");
    assert_true(stated > 0 && stated < tm_table_row_count(units));
    tm_table_free(units);
    options.stated_only = 1;
    assert_int_equal(tm_unit_list(&units, model, NULL, &options), TM_OK);
    assert_int_equal(tm_table_row_count(units), stated);
    tm_table_free(units);
    options.stated_only = 2;
    assert_int_equal(tm_unit_list(&units, model, NULL, &options), TM_EINVAL);
    assert_null(units);
    tm_model_free(model);
    (void)state;
}

static void units_beyond_a_memory_limit_are_counted(void **state)
{
    enum { LIMIT_BYTES = 1 << 20, BEGUN = 20000 };
    tm_model_options options = TM_MODEL_OPTIONS_INIT;
    tm_model *model;
    tm_table *table;
    uint64_t left_out = 0;
    size_t rows;

    options.memory_limit_bytes = LIMIT_BYTES;
    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    for (int i = 0; i < BEGUN; i++) {
        tm_event events[] = {{.time_ns = 10 * i,
                              .thread = 1,
                              .value = i + 1,
                              .kind = TM_EVENT_UNIT_BEGIN},
                             {.time_ns = 10 * i + 5,
                              .thread = 1,
                              .value = i + 1,
                              .kind = TM_EVENT_UNIT_END}};

        assert_int_equal(tm_model_ingest(model, events, 2), TM_OK);
    }
    assert_int_equal(tm_unit_list(&table, model, NULL, NULL), TM_OK);
    rows = tm_table_row_count(table);
    tm_table_free(table);
    assert_int_equal(tm_diagnostic_list(&table, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(table); i++)
        if (!strcmp(tm_table_string(table, "cause", i), "unit_left_out"))
            left_out = tm_table_uint64(table, "count")[i];
    tm_table_free(table);
    assert_true(rows > 0 && rows < BEGUN);
    assert_int_equal(rows + left_out, BEGUN);
    tm_model_free(model);
    (void)state;
}

static void a_key_of_a_map_can_be_given_another_index(void **state)
{
    tm__memory memory;
    tm__map map;

    tm__memory_init(&memory, NULL);
    tm__map_init(&map, &memory);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(tm__map_set(&map, i, i), TM_OK);
    for (uint32_t i = 0; i < 100; i += 2)
        assert_int_equal(tm__map_set(&map, i, i + 1000), TM_OK);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(tm__map_find(&map, i), i % 2 ? i : i + 1000);
    assert_int_equal(map.count, 100);
    tm__map_clear(&map);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up_to_units_and_units_to_kinds),
        cmocka_unit_test(none_is_inferred_where_that_is_switched_off),
        cmocka_unit_test(units_beyond_a_memory_limit_are_counted),
        cmocka_unit_test(a_key_of_a_map_can_be_given_another_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
