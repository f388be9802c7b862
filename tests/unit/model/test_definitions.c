/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions by the hundred thousand, in any order: linear in time, and within the
 * memory that a model was given. A quadratic cost runs into the time limit of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "model/entities/entity_names.h"
#include "model/entities/hidden_class_name.h"
#include "model/entities/methods.h"
#include "model/state/model.h"
#include "support/scarce.h"

enum { MANY = 200000 };

static tm_model *new_model(size_t limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .memory_limit_bytes = limit_bytes};
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    return model;
}

static void name_class(tm_model *model, uint64_t id, const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_class definition = {.size = sizeof(definition), .id = id, .name = name};

    assert_int_equal(sink->define_class(sink->payload, &definition), TM_OK);
}

static void define_method(tm_model *model, uint64_t id, uint64_t class_id)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_method definition = {
        .size = sizeof(definition), .id = id, .class_id = class_id, .name = "run"};

    assert_int_equal(sink->define_method(sink->payload, &definition), TM_OK);
}

static const char *name_of(const tm_model *model, uint64_t method)
{
    return tm__method_name(&model->entities,
                           tm__map_find(&model->entities.method_map, method));
}

static void classes_named_after_their_methods_name_just_those(void **state)
{
    tm_model *model = new_model(0);
    char name[32];

    (void)state;
    for (uint64_t id = 1; id <= MANY; id++)
        define_method(model, id, id);
    assert_string_equal(name_of(model, 7), "run");
    for (uint64_t id = 1; id <= MANY; id++) {
        snprintf(name, sizeof(name), "C%u", (unsigned)id);
        name_class(model, id, name);
    }
    for (uint64_t id = 1; id <= MANY; id++) {
        snprintf(name, sizeof(name), "C%u.run", (unsigned)id);
        assert_string_equal(name_of(model, id), name);
    }
    tm_model_free(model);
}

static void a_method_that_changes_its_class_is_named_by_the_last(void **state)
{
    (void)state;
    /* The one that moves is the first, the middle or the last of those that wait. */
    for (uint64_t moves = 1; moves <= 3; moves++) {
        tm_model *model = new_model(0);

        for (uint64_t id = 1; id <= 3; id++)
            define_method(model, id, 1);
        define_method(model, moves, 2);
        name_class(model, 1, "First");
        name_class(model, 2, "Second");
        for (uint64_t id = 1; id <= 3; id++)
            assert_string_equal(name_of(model, id),
                                id == moves ? "Second.run" : "First.run");
        tm_model_free(model);
    }
}

static void a_class_with_an_endless_name_is_cut_in_its_methods_names(void **state)
{
    tm_model *model = new_model(0);
    char *name = malloc(1 << 20);

    (void)state;
    /* Two bytes a character, so that a cut at any byte might break one. */
    for (size_t i = 0; i + 1 < 1 << 20; i++)
        name[i] = i % 2 ? '\xb6' : '\xc3';
    name[(1 << 20) - 2] = '\0';
    name_class(model, 1, name);
    for (uint64_t id = 1; id <= 1000; id++)
        define_method(model, id, 1);
    assert_int_equal(strlen(name_of(model, 1)), 512 + strlen(".run"));
    name_class(model, 2, name + 1);
    define_method(model, 1, 2);
    assert_int_equal(strlen(name_of(model, 1)), 511 + strlen(".run"));
    assert_in_range(tm_model_memory_bytes(model), 2 << 20, 4 << 20);
    tm_model_free(model);
    free(name);
}

/* The row of a model's caveats that begins so, or NULL. */
static const char *caveat_of(tm_table **caveats, const tm_model *model,
                             const char *start)
{
    assert_int_equal(tm_caveat_list(caveats, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(*caveats); i++) {
        const char *text = tm_table_string(*caveats, "caveat", i);

        if (strncmp(text, start, strlen(start)) == 0)
            return text;
    }
    return NULL;
}

static void definitions_keep_to_the_memory_limit_and_are_counted(void **state)
{
    enum { LIMIT = 64 << 20, FRAMES = 1 << 20, STACKS = 20 };
    tm_frame *frames = calloc(FRAMES, sizeof(*frames));
    tm_model *model = new_model(LIMIT);
    const tm_sink *sink = tm_model_sink(model);
    tm_stack stack = {.size = sizeof(stack), .frames = frames, .frame_count = FRAMES};
    tm_table *caveats;

    (void)state;
    for (stack.id = 1; stack.id <= STACKS; stack.id++)
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    assert_in_range(tm_model_memory_bytes(model), FRAMES * sizeof(tm__frame), LIMIT);
    assert_string_equal(
        caveat_of(&caveats, model, "To stay within"),
        "To stay within 67,108,864 bytes 19 definitions of names, methods "
        "and stacks were left out.");
    tm_table_free(caveats);
    tm_model_free(model);
    free(frames);
}

static void beyond_the_memory_limit_a_thread_is_known_without_its_name(void **state)
{
    enum { BYTES = 2 << 20 };
    char *name = malloc(BYTES);
    tm_model *model = new_model(1);
    const tm_sink *sink = tm_model_sink(model);
    tm_thread thread = {.size = sizeof(thread), .id = 5, .name = name};
    tm_method method = {.size = sizeof(method), .id = 6, .name = name};
    uint64_t id = 5;
    tm_selection selection = {
        .size = sizeof(selection), .threads = &id, .thread_count = 1};
    tm_event event = {.time_ns = 1, .thread = 5, .kind = TM_EVENT_THREAD_START};
    tm_table *table;

    (void)state;
    assert_non_null(name);
    memset(name, 'x', BYTES - 1);
    name[BYTES - 1] = '\0';
    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    assert_int_equal(tm_model_ingest(model, &event, 1), TM_OK);
    assert_int_equal(tm_thread_list(&table, model, &selection), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_null(tm_table_string(table, "thread", 0));
    tm_table_free(table);
    assert_string_equal(caveat_of(&table, model, "To stay within"),
                        "To stay within 1 bytes 2 definitions of names, methods and "
                        "stacks were left out.");
    tm_table_free(table);
    tm_model_free(model);
    free(name);
}

static void a_hidden_class_is_named_without_what_differs_in_each_run(void **state)
{
    static const char *const cases[][3] = {
        {"a.B", "a.B", ""},
        {"a.B/0x00007f3a5c000c28", "a.B", "/hidden"},
        {"a.B$$Lambda/0x00007f3a5c000c28", "a.B$$Lambda", ""},
        {"a.B$$Lambda$14+0x0000000800c03000", "a.B$$Lambda", ""},
        {"a.B$$Lambda$14/1057941451", "a.B$$Lambda", ""},
        {"a.B$$Lambda$14.1057941451", "a.B$$Lambda", ""},
        /* No number of the VM's: the program may have called it so. */
        {"a.B:0x1f", "a.B:0x1f", ""},
        {"a.B.14", "a.B.14", ""},
        {"a.B$$Lambdax14/0x1f", "a.B$$Lambdax14", ""},
        {"a.B$$Lambda$/0x1f", "a.B$$Lambda$", ""},
        {"a.B/0x1f$$Lambda/0x2e", "a.B/0x1f$$Lambda", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *suffix;
        size_t bytes = tm__hidden_name(cases[i][0], &suffix);

        assert_int_equal(bytes, strlen(cases[i][1]));
        assert_string_equal(suffix, cases[i][2]);
    }
}

/* The result of a call that is made again where there was no memory. */
#define AGAIN(call) (rc = (call)) == TM_ENOMEM ? (call) : rc

/* Definitions of every kind, so long that each takes memory of its own. */
static void define_all(tm_model *model, char *const texts[5])
{
    enum { STACKS = 40 };
    const tm_sink *sink = tm_model_sink(model);
    tm_run run = {.size = sizeof(run),
                  .source = texts[0],
                  .format = texts[1],
                  .producer = texts[2],
                  .vm = texts[3],
                  .command = texts[4]};
    int rc;

    assert_int_equal(AGAIN(sink->run(sink->payload, &run)), TM_OK);
    for (uint64_t i = 1; i <= STACKS; i++) {
        tm_frame frame = {.method = 1000 + i};
        tm_stack stack = {.size = sizeof(stack),
                          .id = (uint32_t)i,
                          .frames = &frame,
                          .frame_count = 1};
        tm_object object = {
            .size = sizeof(object), .id = i, .class_id = 2000 + i, .thread = 3000 + i};
        tm_thread thread = {
            .size = sizeof(thread), .id = 4000 + i, .object = 5000 + i, .name = "t"};
        tm_method method = {
            .size = sizeof(method), .id = 6000 + i, .class_id = 7000 + i, .name = "m"};
        char sentence[40];

        snprintf(sentence, sizeof(sentence), "Sentence %d.", (int)i);
        assert_int_equal(AGAIN(sink->define_stack(sink->payload, &stack)), TM_OK);
        assert_int_equal(AGAIN(sink->define_object(sink->payload, &object)), TM_OK);
        assert_int_equal(AGAIN(sink->define_thread(sink->payload, &thread)), TM_OK);
        assert_int_equal(AGAIN(sink->define_method(sink->payload, &method)), TM_OK);
        assert_int_equal(AGAIN(sink->caveat(sink->payload, sentence)), TM_OK);
    }
}

static void a_definition_that_had_no_memory_may_come_again(void **state)
{
    enum { BYTES = 6000 };
    char *texts[5];
    size_t calls = 0;
    int has_failed;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        texts[i] = malloc((i + 1) * BYTES);
        assert_non_null(texts[i]);
        memset(texts[i], 'a' + (int)i, (i + 1) * BYTES - 1);
        texts[i][(i + 1) * BYTES - 1] = '\0';
        /* No UTF-8 in one of them, which is repaired in memory of its own. */
        texts[i][0] = i == 2 ? '\xff' : 'x';
    }
    do {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls++);
        tm_model_options options = {.size = sizeof(options), .allocator = &hook};
        tm_model *model;
        tm_table *table;

        scarce.fails_once = 1;
        if (tm_model_new(&model, &options) < 0)
            assert_int_equal(tm_model_new(&model, &options), TM_OK);
        define_all(model, texts);
        has_failed = scarce.has_failed;
        scarce.calls_left = SIZE_MAX;
        assert_string_equal(tm_model_run(model)->source, texts[0]);
        assert_string_equal(tm_model_run(model)->producer + 3, texts[2] + 1);
        assert_string_equal(tm_model_run(model)->command, texts[4]);
        assert_string_equal(caveat_of(&table, model, "Sentence 40"), "Sentence 40.");
        tm_table_free(table);
        assert_string_equal(name_of(model, 6040), "m");
        tm_model_free(model);
        assert_int_equal(scarce.live_blocks, 0);
    } while (has_failed);
    assert_true(calls > 30);
    for (size_t i = 0; i < 5; i++)
        free(texts[i]);
}

static void a_thread_or_an_object_without_an_id_is_none(void **state)
{
    tm_model *model = new_model(0);
    const tm_sink *sink = tm_model_sink(model);
    tm_thread thread = {.size = sizeof(thread), .name = "nobody"};
    tm_object object = {.size = sizeof(object), .class_id = 1};
    tm_table *table;

    (void)state;
    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    assert_int_equal(tm_thread_list(&table, model, NULL), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    assert_int_equal(tm_diagnostic_list(&table, model), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    assert_string_equal(tm_table_string(table, "cause", 0), "no_thread");
    tm_table_free(table);
    tm_model_free(model);
}

static void sentences_beyond_a_thousand_are_counted(void **state)
{
    tm_model *model = new_model(0);
    const tm_sink *sink = tm_model_sink(model);
    tm_table *caveats;
    char text[32];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "Sentence %d.", i);
        assert_int_equal(sink->caveat(sink->payload, text), TM_OK);
    }
    assert_string_equal(caveat_of(&caveats, model, "199,"),
                        "199,000 more caveats are left out.");
    assert_in_range(tm_table_row_count(caveats), 1001, 1010);
    tm_table_free(caveats);
    tm_model_free(model);
}

static void a_policy_that_changes_all_the_time_costs_little(void **state)
{
    tm_model *model = new_model(0);
    const tm_sink *sink = tm_model_sink(model);
    tm_run run = {.size = sizeof(run)};

    (void)state;
    for (uint64_t id = 1; id <= MANY; id++) {
        tm_object object = {.size = sizeof(object), .id = id};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    for (int i = 0; i < MANY; i++) {
        run.policy = 1 + i % TM_POLICY_REPORTED;
        assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    }
    assert_in_range(tm_model_run(model)->policy, 1, TM_POLICY_REPORTED);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_named_after_their_methods_name_just_those),
        cmocka_unit_test(a_method_that_changes_its_class_is_named_by_the_last),
        cmocka_unit_test(a_class_with_an_endless_name_is_cut_in_its_methods_names),
        cmocka_unit_test(definitions_keep_to_the_memory_limit_and_are_counted),
        cmocka_unit_test(beyond_the_memory_limit_a_thread_is_known_without_its_name),
        cmocka_unit_test(a_hidden_class_is_named_without_what_differs_in_each_run),
        cmocka_unit_test(a_definition_that_had_no_memory_may_come_again),
        cmocka_unit_test(a_thread_or_an_object_without_an_id_is_none),
        cmocka_unit_test(sentences_beyond_a_thousand_are_counted),
        cmocka_unit_test(a_policy_that_changes_all_the_time_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
