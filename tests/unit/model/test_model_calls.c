/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the model's own functions: without required arguments, with invalid numbers,
 * and with a part of a run chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

static tm_model *new_model(void)
{
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    return model;
}

static void define_class(tm_model *model, uint64_t id, const char *name)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_class item = {.size = sizeof(item), .id = id, .name = name};

    assert_int_equal(sink->define_class(sink->payload, &item), TM_OK);
}

static void define_object(tm_model *model, uint64_t id, uint64_t class_id)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_object item = {.size = sizeof(item), .id = id, .class_id = class_id};

    assert_int_equal(sink->define_object(sink->payload, &item), TM_OK);
}

/* A library with debug checks ends the program there instead. */
#ifndef TM_DEBUG

static int ask_timeline(tm_table **out, const tm_model *model)
{
    return tm_timeline_list(out, model, NULL);
}

static int ask_interactions(tm_table **out, const tm_model *model)
{
    return tm_interaction_list(out, model, NULL);
}

static int ask_context(tm_table **out, const tm_model *model)
{
    return tm_context_list(out, model, NULL);
}

static const struct {
    int (*ask)(tm_table **, const tm_model *);
    const char *name;
} questions[] = {
    {ask_timeline, "tm_timeline_list"},
    {ask_interactions, "tm_interaction_list"},
    {ask_context, "tm_context_list"},
    {tm_context_sum, "tm_context_sum"},
    {tm_stack_list, "tm_stack_list"},
    {tm_deadlock_list, "tm_deadlock_list"},
    {tm_diagnostic_list, "tm_diagnostic_list"},
    {tm_caveat_list, "tm_caveat_list"},
};

static void assert_refused(int rc, const char *function, const char *what)
{
    char text[100];

    assert_int_equal(rc, TM_EINVAL);
    snprintf(text, sizeof(text), "%s: not so: %s", function, what);
    assert_string_equal(tm_error_text(), text);
}

static void a_question_needs_a_model_and_a_place_for_its_answer(void **state)
{
    tm_model *model = new_model();
    tm_table *table;

    (void)state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
        assert_refused(questions[i].ask(NULL, model), questions[i].name, "out");
        table = (tm_table *)model; /* that it is set to NULL shows */
        assert_refused(questions[i].ask(&table, NULL), questions[i].name, "model");
        assert_null(table);
    }
    tm_model_free(model);
}

static void what_is_made_or_fed_must_be_there(void **state)
{
    tm_model *model = new_model();
    tm_event event = {.time_ns = 1, .thread = 1, .kind = TM_EVENT_THREAD_START};
    tm_table *table;

    (void)state;
    assert_refused(tm_model_new(NULL, NULL), "tm_model_new", "out");
    assert_refused(tm_model_ingest(NULL, &event, 1), "tm_model_ingest", "model");
    assert_refused(tm_model_ingest(model, NULL, 1), "tm_model_ingest",
                   "events || !count");
    assert_int_equal(tm_model_ingest(model, NULL, 0), TM_OK);
    assert_int_equal(tm_model_event_count(model), 0);
    assert_refused(tm_deadlock_confirm(NULL, 0, 1), "tm_deadlock_confirm", "model");
    assert_refused(tm_class_sums_new(NULL, NULL), "tm_class_sums_new", "out");
    assert_refused(tm_class_sums_list(NULL, NULL), "tm_class_sums_list", "out");
    assert_refused(tm_class_sums_list(&table, NULL), "tm_class_sums_list", "summary");
    assert_null(table);
    tm_model_free(model);
}

#endif

static void a_policy_that_is_none_is_refused(void **state)
{
    static const struct {
        int policy;
        const char *text;
    } wrong[] = {{TM_POLICY_UNKNOWN - 1, "unknown policy -1"},
                 {TM_POLICY_REPORTED + 1, "unknown policy 4"}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tm_model_options options = {.size = sizeof(options), .policy = wrong[i].policy};
        tm_model *model;

        assert_int_equal(tm_model_new(&model, &options), TM_EINVAL);
        assert_null(model);
        assert_string_equal(tm_error_text(), wrong[i].text);
    }
}

static void numbers_that_mean_nothing_have_no_name(void **state)
{
    static const char *(*const names[])(int) = {
        tm_diagnostic_name,       tm_event_kind_name, tm_inflation_name,
        tm_interaction_kind_name, tm_state_name,      tm_provenance_name,
        tm_whatif_change_name,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_null(names[i](-1));
        assert_null(names[i](1000));
    }
    assert_string_equal(tm_state_name(TM_STATE_PARKED), "parked");
    assert_string_equal(tm_provenance_name(TM_PROVENANCE_EXACT), "exact");
    assert_string_equal(tm_inflation_name(TM_INFLATION_HASH), "hash");
}

/* The kinds of what is left of the context, by their first letters. */
static const char *context_of(const tm_model *model, const tm_selection *selection)
{
    static char kinds[20];
    tm_table *table;
    size_t count;

    assert_int_equal(tm_context_list(&table, model, selection), TM_OK);
    count = tm_table_row_count(table);
    for (size_t i = 0; i < count; i++)
        kinds[i] = *tm_table_string(table, "kind", i);
    kinds[count] = '\0';
    tm_table_free(table);
    return kinds;
}

/* A pause of all threads from 50 to 150, a pinned thread from 200 to 260, and an
 * inflated lock at 300. */
static tm_model *run_with_context(void)
{
    static const tm_event events[] = {
        {.time_ns = 1, .thread = 1, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 1, .thread = 2, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 151, .value = 100, .kind = TM_EVENT_GC_PAUSE},
        {.time_ns = 261, .thread = 1, .value = 60, .kind = TM_EVENT_PINNED},
        {.time_ns = 301,
         .thread = 2,
         .object = 9,
         .value = TM_INFLATION_WAIT,
         .kind = TM_EVENT_INFLATED},
        {.time_ns = 1001, .thread = 1, .kind = TM_EVENT_THREAD_END},
    };
    tm_model *model = new_model();

    define_class(model, 1, "app.Lock");
    define_class(model, 2, "app.Other");
    define_object(model, 9, 1);
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

static void context_is_chosen_by_window_thread_and_class(void **state)
{
    static const uint64_t first = 1, second = 2;
    static const char *const lock = "app.Lock", *const other = "app.Other";
    static const struct {
        tm_selection selection;
        const char *kinds;
    } cases[] = {
        {{.size = sizeof(tm_selection)}, "gpi"},
        /* An interval that only touches the window's end is not in it. */
        {{.size = sizeof(tm_selection), .to_ns = 50}, ""},
        {{.size = sizeof(tm_selection), .to_ns = 51}, "g"},
        {{.size = sizeof(tm_selection), .from_ns = 150, .to_ns = 200}, "g"},
        {{.size = sizeof(tm_selection), .from_ns = 261}, "i"},
        {{.size = sizeof(tm_selection), .from_ns = 301}, ""},
        /* A fact about all threads belongs to each. */
        {{.size = sizeof(tm_selection), .threads = &first, .thread_count = 1}, "gp"},
        {{.size = sizeof(tm_selection), .threads = &second, .thread_count = 1}, "gi"},
        {{.size = sizeof(tm_selection), .classes = &lock, .class_count = 1}, "i"},
        {{.size = sizeof(tm_selection), .classes = &other, .class_count = 1}, ""},
    };
    tm_model *model = run_with_context();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(context_of(model, &cases[i].selection), cases[i].kinds);
    tm_model_free(model);
}

static size_t interactions_of(const tm_model *model, const uint64_t *thread)
{
    tm_selection selection = {
        .size = sizeof(selection), .threads = thread, .thread_count = 1};
    tm_table *table;
    size_t count;

    assert_int_equal(tm_interaction_list(&table, model, &selection), TM_OK);
    count = tm_table_row_count(table);
    tm_table_free(table);
    return count;
}

static void an_interaction_is_of_either_of_its_threads(void **state)
{
    static const tm_event events[] = {
        {.time_ns = 1, .thread = 1, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 2, .thread = 2, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 3, .thread = 3, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 10, .thread = 2, .object = 9, .kind = TM_EVENT_WAIT},
        {.time_ns = 20, .thread = 1, .object = 9, .kind = TM_EVENT_NOTIFY},
        {.time_ns = 30, .thread = 2, .object = 9, .kind = TM_EVENT_WAITED},
        /* Nobody is there to be woken. */
        {.time_ns = 40, .thread = 1, .object = 9, .kind = TM_EVENT_NOTIFY},
        {.time_ns = 50, .thread = 3, .kind = TM_EVENT_THREAD_END},
    };
    static const uint64_t first = 1, second = 2, third = 3;
    tm_model *model = new_model();

    (void)state;
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    assert_int_equal(interactions_of(model, &first), 2);
    assert_int_equal(interactions_of(model, &second), 1);
    assert_int_equal(interactions_of(model, &third), 0);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef TM_DEBUG
        cmocka_unit_test(a_question_needs_a_model_and_a_place_for_its_answer),
        cmocka_unit_test(what_is_made_or_fed_must_be_there),
#endif
        cmocka_unit_test(a_policy_that_is_none_is_refused),
        cmocka_unit_test(numbers_that_mean_nothing_have_no_name),
        cmocka_unit_test(context_is_chosen_by_window_thread_and_class),
        cmocka_unit_test(an_interaction_is_of_either_of_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
