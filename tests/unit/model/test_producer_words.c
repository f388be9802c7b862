/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that a producer of any runtime states of its own: which classes are libraries,
 * where its workers idle, what its locks are and are called, whose threads they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#define CHECK(call) assert_int_equal(call, TM_OK)

enum { ORDERS = 1, JOBS = 2, PLAIN = 3, LOCKED = 1, TAKEN = 2 };

static void define_code(const tm_sink *sink, int with_words)
{
    const tm_class classes[] = {
        {sizeof(tm_class), 1, "rt.sync", NULL, with_words ? TM_CLASS_LIBRARY : 0, NULL},
        {sizeof(tm_class), 2, "shop.Orders", NULL, 0, NULL},
        {sizeof(tm_class), 3, "shop.Workers", NULL, 0, NULL}};
    const tm_method methods[] = {
        {sizeof(tm_method), 1, 1, "lock", NULL, NULL, 0, 0, NULL, 0},
        {sizeof(tm_method), 2, 2, "pay", NULL, NULL, 0, 0, NULL, 0},
        {sizeof(tm_method), 3, 3, "next", NULL, NULL, 0,
         with_words ? TM_METHOD_IDLES : 0, NULL, 0}};
    const tm_frame locked[] = {{1, -1, 0, 0}, {2, -1, 0, 0}}, taken[] = {{3, -1, 0, 0}};
    const tm_stack stacks[] = {{sizeof(tm_stack), LOCKED, 0, locked, 2},
                               {sizeof(tm_stack), TAKEN, 0, taken, 1}};

    /* Methods before their classes, as some producers send them. */
    for (size_t i = 0; i < 3; i++)
        CHECK(sink->define_method(sink->payload, &methods[i]));
    for (size_t i = 0; i < 3; i++)
        CHECK(sink->define_class(sink->payload, &classes[i]));
    for (size_t i = 0; i < 2; i++)
        CHECK(sink->define_stack(sink->payload, &stacks[i]));
}

static void define_rest(const tm_sink *sink, int with_words)
{
    const tm_thread threads[] = {
        {sizeof(tm_thread), 1, 0, 0, "till", NULL, 0, 0, 0},
        {sizeof(tm_thread), 2, 0, 0, "worker", NULL, 0, 0, with_words ? 4711 : 0}};
    tm_object objects[] = {
        {sizeof(tm_object), ORDERS, 2, 0, 0, 0, "orders.lock", TM_OBJECT_KIND_MUTEX},
        {sizeof(tm_object), JOBS, 2, 0, 0, 0, NULL, TM_OBJECT_KIND_CHANNEL},
        {sizeof(tm_object), PLAIN, 2, 0, 0, 0, NULL, 0}};

    for (size_t i = 0; i < 2; i++)
        CHECK(sink->define_thread(sink->payload, &threads[i]));
    for (size_t i = 0; i < 3; i++) {
        if (!with_words) {
            objects[i].name = NULL;
            objects[i].kind = TM_OBJECT_KIND_UNKNOWN;
        }
        CHECK(sink->define_object(sink->payload, &objects[i]));
    }
}

/* The till has the lock and the other one wants it; then that one waits for work. */
static tm_model *model_of(int with_words)
{
    static const tm_event events[] = {
        {0, 1, 0, 0, 0, 0, TM_EVENT_THREAD_START, 0},
        {0, 2, 0, 0, 0, 0, TM_EVENT_THREAD_START, 0},
        {10, 1, ORDERS, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {11, 1, PLAIN, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {20, 2, ORDERS, 1, 0, LOCKED, TM_EVENT_CONTENDED_ENTER, 0},
        {50, 1, PLAIN, 0, 0, 0, TM_EVENT_RELEASED, 0},
        {60, 1, ORDERS, 0, 0, 0, TM_EVENT_RELEASED, 0},
        {61, 2, ORDERS, 0, 0, 0, TM_EVENT_CONTENDED_ENTERED, 0},
        {70, 2, ORDERS, 0, 0, 0, TM_EVENT_RELEASED, 0},
        {80, 2, JOBS, 0, 0, TAKEN, TM_EVENT_AWAIT, 0},
        {95, 2, JOBS, 0, 0, 0, TM_EVENT_AWAITED, 0},
    };
    const tm_sink *sink;
    tm_model *model;

    CHECK(tm_model_new(&model, NULL));
    sink = tm_model_sink(model);
    define_code(sink, with_words);
    define_rest(sink, with_words);
    CHECK(sink->events(sink->payload, events, sizeof(events) / sizeof(*events)));
    return model;
}

static void assert_text(const tm_table *table, const char *column, size_t row,
                        const char *text)
{
    assert_string_equal(tm_table_string(table, column, row), text);
}

static void a_lock_is_shown_by_its_name_and_kind(void **state)
{
    tm_model *model = model_of(1);
    tm_table *holds;

    (void)state;
    CHECK(tm_hold_list(&holds, model, NULL));
    assert_int_equal(tm_table_row_count(holds), 3);
    for (size_t i = 0; i < 3; i++) {
        const char *object = tm_table_string(holds, "object", i);
        int is_named = strcmp(object, "orders.lock") == 0;

        assert_text(holds, "class", i, "shop.Orders");
        assert_text(holds, "kind", i, is_named ? "mutex" : "monitor");
        if (!is_named)
            assert_string_equal(object, "shop.Orders#3");
    }
    tm_table_free(holds);
    tm_model_free(model);
    model = model_of(0);
    CHECK(tm_hold_list(&holds, model, NULL));
    assert_text(holds, "kind", 0, "monitor");
    assert_non_null(strstr(tm_table_string(holds, "object", 0), "shop.Orders#"));
    tm_table_free(holds);
    tm_model_free(model);
}

static tm_table *by_method(const tm_model *model)
{
    tm_statistics_options options = TM_STATISTICS_OPTIONS_INIT;
    tm_table *table;

    options.keys = TM_STATISTICS_BY_METHOD;
    CHECK(tm_statistics_list(&table, model, &options));
    return table;
}

static void a_library_is_no_caller_and_who_waits_for_work_idles(void **state)
{
    tm_model *model = model_of(1);
    tm_table *table = by_method(model);

    (void)state;
    assert_int_equal(tm_table_row_count(table), 2);
    for (size_t i = 0; i < 2; i++) {
        const char *method = tm_table_string(table, "method", i);
        int is_idle = strcmp(method, "shop.Workers.next") == 0;

        if (!is_idle)
            assert_string_equal(method, "shop.Orders.pay");
        assert_int_equal(tm_table_cell_int64(table, tm_table_column(table, "idle"), i),
                         is_idle);
    }
    tm_table_free(table);
    tm_model_free(model);
    model = model_of(0);
    table = by_method(model);
    for (size_t i = 0; i < tm_table_row_count(table); i++) {
        assert_true(strcmp(tm_table_string(table, "method", i), "shop.Orders.pay") !=
                    0);
        assert_int_equal(tm_table_cell_int64(table, tm_table_column(table, "idle"), i),
                         0);
    }
    tm_table_free(table);
    tm_model_free(model);
}

static void a_thread_may_be_of_another_process(void **state)
{
    tm_model *model = model_of(1);
    tm_table *threads;
    int pid;

    (void)state;
    CHECK(tm_thread_list(&threads, model, NULL));
    pid = tm_table_column(threads, "pid");
    assert_true(tm_table_cell_is_null(threads, pid, 0));
    assert_int_equal(tm_table_cell_uint64(threads, pid, 1), 4711);
    tm_table_free(threads);
    tm_model_free(model);
}

static void modules_are_listed_once_by_their_build_id(void **state)
{
    static const tm_class classes[] = {
        {sizeof(tm_class), 11, "redis-server", "a.c", 0, "5f0e"},
        {sizeof(tm_class), 12, "redis-server", "b.c", 0, "5f0e"},
        {sizeof(tm_class), 13, "libc.so.6", NULL, 0, NULL},
        {sizeof(tm_class), 14, "libm.so.6", NULL, 0, "77aa"},
        {sizeof(tm_class), 14, "libm.so.6", NULL, 0, NULL},
        {sizeof(tm_class), 15, NULL, NULL, 0, "0b0b"}};
    tm_model *model = model_of(1);
    const tm_sink *sink = tm_model_sink(model);
    tm_table *modules;

    (void)state;
    CHECK(tm_module_list(&modules, model));
    assert_int_equal(tm_table_row_count(modules), 0);
    tm_table_free(modules);
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
        CHECK(sink->define_class(sink->payload, &classes[i]));
    CHECK(tm_module_list(&modules, model));
    assert_int_equal(tm_table_row_count(modules), 2);
    assert_text(modules, "module", 0, "redis-server");
    assert_text(modules, "build_id", 0, "5f0e");
    assert_text(modules, "module", 1, "libm.so.6");
    assert_text(modules, "build_id", 1, "77aa");
    tm_table_free(modules);
    tm_model_free(model);
}

static void a_kind_that_is_none_is_left_out(void **state)
{
    tm_model *model = model_of(1);
    const tm_sink *sink = tm_model_sink(model);
    const tm_object later = {
        sizeof(later), PLAIN, 0, 0, 0, 0, NULL, TM_OBJECT_KIND_END + UINT64_C(0x10000)};
    tm_table *holds;

    (void)state;
    CHECK(sink->define_object(sink->payload, &later));
    CHECK(tm_hold_list(&holds, model, NULL));
    for (size_t i = 0; i < tm_table_row_count(holds); i++)
        assert_non_null(tm_table_string(holds, "kind", i));
    assert_null(tm_object_kind_name(TM_OBJECT_KIND_END));
    assert_null(tm_object_kind_name(-1));
    assert_string_equal(tm_object_kind_name(TM_OBJECT_KIND_SPIN_LOCK), "spin_lock");
    tm_table_free(holds);
    tm_model_free(model);
}

/* The till has the orders and wants the plain lock, which the other one has. */
static void a_deadlock_has_the_kind_of_each_lock(void **state)
{
    static const tm_event events[] = {
        {100, 1, ORDERS, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {101, 2, PLAIN, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {102, 1, PLAIN, 2, 0, LOCKED, TM_EVENT_CONTENDED_ENTER, 0},
        {103, 2, ORDERS, 1, 0, LOCKED, TM_EVENT_CONTENDED_ENTER, 0},
    };
    tm_model *model = model_of(1);
    const tm_sink *sink = tm_model_sink(model);
    tm_table *deadlocks;

    (void)state;
    CHECK(sink->events(sink->payload, events, sizeof(events) / sizeof(*events)));
    CHECK(tm_deadlock_list(&deadlocks, model));
    assert_int_equal(tm_table_row_count(deadlocks), 2);
    for (size_t i = 0; i < 2; i++) {
        int is_till = strcmp(tm_table_string(deadlocks, "thread", i), "till") == 0;

        assert_text(deadlocks, "kind", i, is_till ? "monitor" : "mutex");
    }
    tm_table_free(deadlocks);
    tm_model_free(model);
}

/* The other one waits for the till's end, whose object is of a kind; it holds what the
 * till wants. */
static void a_join_has_no_kind_of_a_lock(void **state)
{
    static const tm_event events[] = {
        {100, 2, PLAIN, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {101, 1, PLAIN, 2, 0, LOCKED, TM_EVENT_CONTENDED_ENTER, 0},
        {102, 2, 0, 1, 0, LOCKED, TM_EVENT_JOIN, 0},
    };
    enum { OF_TILL = 9 };
    tm_object object = {sizeof(object),        OF_TILL, 2, 1, 0, 0, NULL,
                        TM_OBJECT_KIND_MONITOR};
    tm_model *model = model_of(1);
    const tm_sink *sink = tm_model_sink(model);
    tm_table *deadlocks;

    (void)state;
    CHECK(sink->define_object(sink->payload, &object));
    CHECK(sink->events(sink->payload, events, sizeof(events) / sizeof(*events)));
    CHECK(tm_deadlock_list(&deadlocks, model));
    assert_int_equal(tm_table_row_count(deadlocks), 2);
    for (size_t i = 0; i < 2; i++) {
        int is_till = strcmp(tm_table_string(deadlocks, "thread", i), "till") == 0;

        assert_text(deadlocks, "kind", i, is_till ? "monitor" : "join");
    }
    tm_table_free(deadlocks);
    tm_model_free(model);
}

/* A thread that holds no monitor any more may still hold synchronizers. */
static void a_kind_alone_makes_a_synchronizer(void **state)
{
    static const tm_event events[] = {
        {100, 1, 7, 0, 0, LOCKED, TM_EVENT_ACQUIRED, 0},
        {110, 1, 0, 0, 0, 0, TM_EVENT_HELD, TM_EVENT_PEER_REPORTED},
        {120, 1, 7, 0, 0, 0, TM_EVENT_RELEASED, 0},
    };
    tm_object object = {
        sizeof(object), 7, 1, 0, 0, 0, NULL, TM_OBJECT_KIND_SYNCHRONIZER};
    tm_model *model = model_of(0);
    const tm_sink *sink = tm_model_sink(model);
    tm_table *holds;
    int found = 0;

    (void)state;
    CHECK(sink->define_object(sink->payload, &object));
    CHECK(sink->events(sink->payload, events, sizeof(events) / sizeof(*events)));
    CHECK(tm_hold_list(&holds, model, NULL));
    for (size_t i = 0; i < tm_table_row_count(holds); i++) {
        const int64_t *starts = tm_table_int64(holds, "start_ns");

        if (strcmp(tm_table_string(holds, "kind", i), "synchronizer") != 0)
            continue;
        found++;
        assert_int_equal(tm_table_int64(holds, "end_ns")[i] - starts[i], 20);
    }
    assert_int_equal(found, 1);
    tm_table_free(holds);
    tm_model_free(model);
}

/* Its class has no name, or is a library of the caller's own choice. */
static void who_waits_for_work_idles_whatever_its_class_is(void **state)
{
    const tm_method method = {sizeof(method),  8,    0, "worker_loop", NULL, NULL, 0,
                              TM_METHOD_IDLES, NULL, 0};
    const tm_frame frames[] = {{8, -1, 0, 0}, {2, -1, 0, 0}};
    const tm_stack stack = {sizeof(stack), 9, 0, frames, 2};
    static const tm_event events[] = {
        {100, 1, JOBS, 0, 0, 9, TM_EVENT_AWAIT, 0},
        {140, 1, JOBS, 0, 0, 0, TM_EVENT_AWAITED, 0},
    };
    static const char *const libraries[] = {"rt.", "shop.Workers", NULL};
    tm_statistics_options options = TM_STATISTICS_OPTIONS_INIT;
    tm_model *model = model_of(1);
    const tm_sink *sink = tm_model_sink(model);

    (void)state;
    CHECK(sink->define_method(sink->payload, &method));
    CHECK(sink->define_stack(sink->payload, &stack));
    CHECK(sink->events(sink->payload, events, sizeof(events) / sizeof(*events)));
    options.keys = TM_STATISTICS_BY_METHOD;
    for (int turn = 0; turn < 2; turn++) {
        tm_table *table;
        int idle = 0;

        options.libraries = turn ? libraries : NULL;
        CHECK(tm_statistics_list(&table, model, &options));
        for (size_t i = 0; i < tm_table_row_count(table); i++)
            idle += tm_table_cell_int64(table, tm_table_column(table, "idle"), i) != 0;
        assert_int_equal(idle, 2);
        tm_table_free(table);
    }
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_shown_by_its_name_and_kind),
        cmocka_unit_test(a_library_is_no_caller_and_who_waits_for_work_idles),
        cmocka_unit_test(a_thread_may_be_of_another_process),
        cmocka_unit_test(modules_are_listed_once_by_their_build_id),
        cmocka_unit_test(a_kind_that_is_none_is_left_out),
        cmocka_unit_test(a_deadlock_has_the_kind_of_each_lock),
        cmocka_unit_test(a_join_has_no_kind_of_a_lock),
        cmocka_unit_test(a_kind_alone_makes_a_synchronizer),
        cmocka_unit_test(who_waits_for_work_idles_whatever_its_class_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
