/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if on a run that can be computed with a pencil: three threads pass one lock
 * on, and each has it 100 long.
 *
 *     0    10        110       210       310   330
 *     T1   [========]....................          |
 *     T2   ··········[========]..........          |
 *     T3    ·····················[========]------- |  ends the run at 330
 */
#include "support/whatif_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

static int64_t gain(const tm_model *model, const char *class_name, const char *method,
                    const char *object, double factor, int64_t holds)
{
    tm_whatif_options options = {.size = sizeof(options),
                                 .class_name = class_name,
                                 .method = method,
                                 .object = object,
                                 .factor = factor};
    tm_table *table = ask(model, &options);
    int64_t gain_ns = tm_table_int64(table, "gain_ns")[0];

    assert_int_equal(tm_table_int64(table, "scaled")[0], holds);
    assert_int_equal(tm_table_int64(table, "length_ns")[0], 330 - gain_ns);
    assert_true(tm_table_int64(table, "gain_low_ns")[0] <= gain_ns);
    assert_true(tm_table_int64(table, "gain_high_ns")[0] >= gain_ns);
    tm_table_free(table);
    return gain_ns;
}

/* T1 is known to have it from 10, T2 from 110, and T3 gives it to nobody. */
static void holds_are_scaled_and_what_follows_moves(void **state)
{
    tm_model *model = passed_on(NULL);

    (void)state;
    assert_int_equal(gain(model, "app.Lock", NULL, NULL, 1, 2), 0);
    assert_int_equal(gain(model, "app.Lock", NULL, NULL, 0.5, 2), 100);
    /* T3 had not come before 11. */
    assert_int_equal(gain(model, "app.Lock", NULL, NULL, 0, 2), 199);
    assert_int_equal(gain(model, "app.Lock", NULL, NULL, 2, 2), -200);
    assert_int_equal(gain(model, NULL, NULL, "app.Lock#50", 0.5, 2), 100);
    tm_model_free(model);
}

/* T2 got it in slow, T3 in fast; of T1 it is not known where it did. */
static void holds_are_chosen_by_who_got_them(void **state)
{
    tm_model *model = passed_on(NULL);

    (void)state;
    assert_int_equal(gain(model, NULL, "app.Lock.slow", NULL, 0.5, 1), 50);
    assert_int_equal(gain(model, "app.Lock", "app.Lock.slow", NULL, 0, 1), 100);
    assert_no_answer(model, &(tm_whatif_options){.size = sizeof(tm_whatif_options),
                                                 .class_name = "app.Other",
                                                 .method = "app.Lock.slow"});
    tm_model_free(model);
}

/* Three threads have one permit in turn, 100 long each, and wait for it in slow:
 *
 *     0    10 20                100       200       300 310
 *     T1   [ has it ============]post
 *     T2     wwwwwwwwwwwwwwwwwwww[=========]post
 *     T3        wwwwwwwwwwwwwwwwwwwwwwwwwwww[=========]post|
 */
static tm_model *in_turn(void)
{
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(10, 2, AWAIT, .object = OTHER, .stack = 1),
        AT(20, 3, AWAIT, .object = OTHER, .stack = 1),
        AT(100, 1, POST, .object = OTHER, .stack = 2),
        AT(100, 2, AWAITED, .object = OTHER),
        AT(110, 1, THREAD_END),
        AT(200, 2, POST, .object = OTHER, .stack = 2),
        AT(200, 3, AWAITED, .object = OTHER),
        AT(210, 2, THREAD_END),
        AT(300, 3, POST, .object = OTHER, .stack = 2),
        AT(310, 3, THREAD_END),
    };
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

static int64_t gain_of(const tm_model *model, uint32_t change, double factor,
                       uint32_t permits)
{
    tm_whatif_options options = {.size = sizeof(options),
                                 .method = "app.Lock.slow",
                                 .factor = factor,
                                 .change = change,
                                 .permits = permits};
    tm_table *table = ask(model, &options);
    int64_t gain_ns = tm_table_int64(table, "gain_ns")[0];

    assert_string_equal(tm_table_string(table, "change", 0),
                        tm_whatif_change_name((int)change));
    assert_null(tm_table_string(table, "note", 0));
    assert_int_equal(tm_table_is_null(table, "factor", 0), change == TM_WHATIF_PERMITS);
    assert_int_equal(tm_table_is_null(table, "permits", 0),
                     change != TM_WHATIF_PERMITS);
    tm_table_free(table);
    return gain_ns;
}

static void more_permits_let_threads_in_at_once(void **state)
{
    tm_model *model = in_turn();

    (void)state;
    /* T2 need not wait, and T3 has what T1 gives. */
    assert_int_equal(gain_of(model, TM_WHATIF_PERMITS, 0, 1), 100);
    /* T3 has it from 20 to 120. */
    assert_int_equal(gain_of(model, TM_WHATIF_PERMITS, 0, 2), 180);
    assert_int_equal(gain_of(model, TM_WHATIF_PERMITS, 0, 100), 180);
    assert_int_equal(gain_of(model, TM_WHATIF_PERMITS, 0, 0), 100);
    tm_model_free(model);
}

static void shorter_uses_come_to_others_earlier(void **state)
{
    tm_model *model = in_turn();

    (void)state;
    assert_int_equal(gain_of(model, TM_WHATIF_USES, 1, 0), 0);
    assert_int_equal(gain_of(model, TM_WHATIF_USES, 0.5, 0), 150);
    tm_model_free(model);
}

/* The second owner is let in beside the first, and the third when that is done. */
static void lock_can_have_more_owners(void **state)
{
    tm_model *model = passed_on(NULL);

    (void)state;
    assert_int_equal(gain_of(model, TM_WHATIF_PERMITS, 0, 1), 100);
    tm_model_free(model);
}

static void sleep_in_a_method_is_scaled(void **state)
{
    tm_model *model = one_that_sleeps(1);

    (void)state;
    assert_int_equal(gain_of(model, TM_WHATIF_METHOD, 0, 0), 100);
    assert_int_equal(gain_of(model, TM_WHATIF_METHOD, 0.25, 0), 75);
    assert_int_equal(gain_of(model, TM_WHATIF_METHOD, 2, 0), -100);
    tm_model_free(model);
}

/* Runs from 0 to 1,000, with a sample each 10 ns, and waits for nobody. */
static tm_model *one_that_runs(uint32_t in_slow, uint32_t samples)
{
    tm_event event = AT(0, 1, THREAD_START);
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    for (uint32_t i = 0; i < samples; i++) {
        event = (tm_event)AT(5 + 10 * i, 1, CPU_SAMPLE, .stack = i < in_slow ? 1 : 2);
        assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    }
    event = (tm_event)AT(1000, 1, THREAD_END);
    assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    return model;
}

static void running_in_a_method_is_scaled_by_its_samples(void **state)
{
    tm_model *model = one_that_runs(25, 100);
    tm_whatif_options options = {.size = sizeof(options),
                                 .method = "app.Lock.slow",
                                 .factor = 0,
                                 .change = TM_WHATIF_METHOD};
    tm_table *table;

    (void)state;
    assert_in_range(gain_of(model, TM_WHATIF_METHOD, 0, 0), 249, 251);
    assert_in_range(gain_of(model, TM_WHATIF_METHOD, 0.5, 0), 124, 126);
    assert_in_range(-gain_of(model, TM_WHATIF_METHOD, 2, 0), 249, 251);
    /* A hundred samples show the part to a tenth, twice the standard error. */
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_true(tm_table_int64(table, "gain_low_ns")[0] <= 150);
    assert_true(tm_table_int64(table, "gain_high_ns")[0] >= 350);
    assert_int_equal(tm_table_int64(table, "scaled")[0], 1);
    tm_table_free(table);
    tm_model_free(model);
}

/* Thread 1 ends the run at 1,000; thread 2 ends at 900, so that it must not matter. */
static void samples_count_for_their_own_thread(void **state)
{
    tm_event events[] = {AT(0, 1, THREAD_START), AT(0, 2, THREAD_START)};
    tm_model *model;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, 2), TM_OK);
    for (uint32_t i = 0; i < 80; i++) {
        tm_event two[] = {AT(5 + 10 * i, 2, CPU_SAMPLE, .stack = 1),
                          AT(6 + 10 * i, 1, CPU_SAMPLE, .stack = i % 4 == 0 ? 1 : 2)};

        assert_int_equal(tm_model_ingest(model, two, 2), TM_OK);
    }
    events[0] = (tm_event)AT(900, 2, THREAD_END);
    events[1] = (tm_event)AT(1000, 1, THREAD_END);
    assert_int_equal(tm_model_ingest(model, events, 2), TM_OK);
    assert_in_range(gain_of(model, TM_WHATIF_METHOD, 0, 0), 249, 251);
    tm_model_free(model);
}

static void samples_elsewhere_predict_no_gain(void **state)
{
    tm_model *model = one_that_runs(0, 100);
    tm_whatif_options options = {
        .size = sizeof(options), .method = "app.Lock.slow", .change = TM_WHATIF_METHOD};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_true(tm_table_is_null(table, "gain_ns", 0));
    assert_string_equal(tm_table_string(table, "note", 0),
                        "cannot tell: no thread slept or was in I/O in it, and no CPU "
                        "sample is in it");
    tm_table_free(table);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_are_scaled_and_what_follows_moves),
        cmocka_unit_test(holds_are_chosen_by_who_got_them),
        cmocka_unit_test(more_permits_let_threads_in_at_once),
        cmocka_unit_test(shorter_uses_come_to_others_earlier),
        cmocka_unit_test(lock_can_have_more_owners),
        cmocka_unit_test(sleep_in_a_method_is_scaled),
        cmocka_unit_test(running_in_a_method_is_scaled_by_its_samples),
        cmocka_unit_test(samples_count_for_their_own_thread),
        cmocka_unit_test(samples_elsewhere_predict_no_gain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
