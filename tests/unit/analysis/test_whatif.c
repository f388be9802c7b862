/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if on a run that can be worked out with a pencil: three threads pass one lock
 * on, and each has it 100 long.
 *
 *     0    10        110       210       310   330
 *     T1   [========]....................          |
 *     T2   ··········[========]..........          |
 *     T3    ·····················[========]------- |  ends the run at 330
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

enum { START = 1000, LOCK = 50, OTHER = 51 };

static void define_all(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .start_ns = START, .policy = TM_POLICY_HOTSPOT};
    tm_class classes[] = {{.size = sizeof(*classes), .id = 1, .name = "app.Lock"},
                          {.size = sizeof(*classes), .id = 2, .name = "app.Other"}};
    tm_object objects[] = {{.size = sizeof(*objects), .id = LOCK, .class_id = 1},
                           {.size = sizeof(*objects), .id = OTHER, .class_id = 2}};
    tm_method methods[] = {
        {.size = sizeof(*methods), .id = 1, .class_id = 1, .name = "slow"},
        {.size = sizeof(*methods), .id = 2, .class_id = 1, .name = "fast"}};

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tm_frame frame = {.method = i + 1, .location = -1};
        tm_stack stack = {
            .size = sizeof(stack), .id = i + 1, .frames = &frame, .frame_count = 1};

        assert_int_equal(sink->define_class(sink->payload, &classes[i]), TM_OK);
        assert_int_equal(sink->define_object(sink->payload, &objects[i]), TM_OK);
        assert_int_equal(sink->define_method(sink->payload, &methods[i]), TM_OK);
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
}

static tm_model *passed_on(const tm_allocator *hook)
{
#define AT(time, id, what, ...)                                                        \
    {.time_ns = START + (time), .thread = (id), .kind = TM_EVENT_##what, __VA_ARGS__}
    tm_event events[] = {
        AT(0, 1, THREAD_START),
        AT(0, 2, THREAD_START),
        AT(0, 3, THREAD_START),
        AT(10, 2, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 1,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(11, 3, CONTENDED_ENTER, .object = LOCK, .peer = 1, .stack = 2,
           .flags = TM_EVENT_PEER_REPORTED),
        AT(110, 2, CONTENDED_ENTERED, .object = LOCK),
        AT(150, 2, SLEEP),
        AT(160, 2, SLEPT),
        AT(210, 3, CONTENDED_ENTERED, .object = LOCK),
        AT(330, 3, THREAD_END),
    };
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define_all(tm_model_sink(model));
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

static int64_t gain(const tm_model *model, const char *class_name, const char *method,
                    const char *object, double factor, int64_t holds)
{
    tm_whatif_options options = {.size = sizeof(options),
                                 .class_name = class_name,
                                 .method = method,
                                 .object = object,
                                 .factor = factor};
    tm_table *table;
    int64_t gain_ns;

    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_string_equal(tm_table_name(table), "whatif");
    assert_int_equal(tm_table_row_count(table), 1);
    assert_int_equal(tm_table_int64(table, "holds")[0], holds);
    gain_ns = tm_table_int64(table, "gain_ns")[0];
    assert_int_equal(tm_table_int64(table, "length_ns")[0], 330 - gain_ns);
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
    assert_int_equal(gain(model, NULL, "app.Lock.fast", NULL, 0, 0), 0);
    assert_int_equal(gain(model, "app.Other", "app.Lock.slow", NULL, 0, 0), 0);
    tm_model_free(model);
}

static void rank_tries_what_is_on_the_path(void **state)
{
    tm_model *model = passed_on(NULL);
    tm_whatif_options options = {.size = sizeof(options), .factor = 0.5};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 2);
    assert_string_equal(tm_table_string(table, "class", 0), "app.Lock");
    assert_null(tm_table_string(table, "method", 0));
    assert_int_equal(tm_table_int64(table, "gain_ns")[0], 100);
    assert_string_equal(tm_table_string(table, "method", 1), "app.Lock.slow");
    assert_int_equal(tm_table_int64(table, "gain_ns")[1], 50);
    tm_table_free(table);
    options.count = 1;
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    tm_table_free(table);
    tm_model_free(model);
}

static void wrong_questions_are_refused(void **state)
{
    tm_model *model = passed_on(NULL);
    tm_whatif_options options = {
        .size = sizeof(options), .class_name = "app.Lock", .factor = -1};
    tm_table *table;

    (void)state;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "factor -1 is not from 0 to 1e+06");
    assert_int_equal(tm_whatif_rank(&table, model, &options), TM_EINVAL);
    options.factor = 0;
    options.class_name = "no.Such";
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "there is no class no.Such in this run");
    options.class_name = NULL;
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
    tm_model_free(model);
}

static void empty_run_has_no_prediction(void **state)
{
    tm_whatif_options options = {.size = sizeof(options), .class_name = "no.Such"};
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    assert_int_equal(tm_whatif_rank(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    tm_model_free(model);
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Nonsense of every kind: it ends, and a factor of one changes nothing. */
static void any_events_can_be_asked_about(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 400; round++) {
        int64_t now_ns = START;
        tm_model *model;

        assert_int_equal(tm_model_new(&model, NULL), TM_OK);
        define_all(tm_model_sink(model));
        for (int i = 0; i < 200; i++) {
            uint64_t r = next(&seed);
            tm_event event = {.time_ns = now_ns,
                              .thread = 1 + (r >> 8) % 5,
                              .kind = (uint16_t)(1 + (r >> 16) % 22),
                              .object = LOCK + (r >> 24) % 2,
                              .peer = (r >> 32) % 6,
                              .stack = (uint32_t)(r >> 36) % 3,
                              .value = (int64_t)((r >> 40) % 12),
                              .flags = (uint16_t)((r >> 48) % 16)};

            now_ns += (int64_t)(r % 5) - (round % 3 == 0);
            assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
        }
        for (int i = 0; i < 4; i++) {
            tm_whatif_options options = {
                .size = sizeof(options), .factor = i, .class_name = "app.Lock"};
            tm_table *table;

            assert_int_equal(tm_whatif_predict(&table, model, &options), TM_OK);
            if (i == 1)
                assert_int_equal(tm_table_int64(table, "gain_ns")[0], 0);
            tm_table_free(table);
            options.class_name = NULL;
            assert_int_equal(tm_whatif_rank(&table, model, &options), TM_OK);
            tm_table_free(table);
        }
        tm_model_free(model);
    }
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = passed_on(&hook);
    size_t live = scarce.live_blocks;

    (void)state;
    for (int what = 0; what < 2; what++) {
        tm_whatif_options options = {.size = sizeof(options),
                                     .object = what ? NULL : "app.Lock#50"};
        size_t calls = 0;
        int rc;

        do {
            tm_table *table;

            scarce.calls_left = calls++;
            rc = what ? tm_whatif_rank(&table, model, &options)
                      : tm_whatif_predict(&table, model, &options);
            assert_true(rc == TM_OK || rc == TM_ENOMEM);
            tm_table_free(table);
            assert_int_equal(scarce.live_blocks, live);
        } while (rc == TM_ENOMEM);
        assert_true(calls > 20);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_are_scaled_and_what_follows_moves),
        cmocka_unit_test(holds_are_chosen_by_who_got_them),
        cmocka_unit_test(rank_tries_what_is_on_the_path),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(empty_run_has_no_prediction),
        cmocka_unit_test(any_events_can_be_asked_about),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
