/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions by the hundred thousand, in any order: linear in time, and within the
 * memory that a model was given. What is quadratic runs into the time limit of tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "model/entity_names.h"
#include "model/methods.h"
#include "model/model.h"

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
    return tm__method_name(model, tm__map_find(&model->method_map, method));
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
        cmocka_unit_test(sentences_beyond_a_thousand_are_counted),
        cmocka_unit_test(a_policy_that_changes_all_the_time_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
