/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that are refused: every question, every wrong choice, and the words for
 * it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

static int ask_timeline(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_timeline_list(out, m, s);
}

static int ask_interactions(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_interaction_list(out, m, s);
}

static int ask_threads(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_thread_list(out, m, s);
}

static int ask_monitors(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_statistics_options options = {.size = sizeof(options), .selection = s};

    return tm_statistics_list(out, m, &options);
}

static int ask_total(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_statistics_options options = {.size = sizeof(options), .selection = s};

    return tm_statistics_sum(out, m, &options);
}

static int ask_histogram(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_statistics_options options = {.size = sizeof(options), .selection = s};

    return tm_histogram_list(out, m, &options, TM_STATE_BLOCKED);
}

static int ask_blame(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_blame_options options = {.size = sizeof(options), .selection = s};

    return tm_blame_list(out, m, &options);
}

static int ask_blamed(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_blame_options options = {
        .size = sizeof(options), .selection = s, .keys = TM_BLAME_BY_OWNER};

    return tm_blame_list(out, m, &options);
}

static int ask_users(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_blame_options options = {
        .size = sizeof(options), .selection = s, .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, m, &options);
}

static int ask_holds(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_hold_list(out, m, s);
}

static int ask_hold_times(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_hold_options options = {.size = sizeof(options), .selection = s};

    return tm_hold_group(out, m, &options);
}

static int ask_matrix(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_blocker_list(out, m, s);
}

static int (*const questions[])(tm_table **, const tm_model *, const tm_selection *) = {
    ask_timeline, ask_interactions, ask_threads,    ask_monitors,
    ask_total,    ask_histogram,    ask_blame,      ask_blamed,
    ask_matrix,   ask_holds,        ask_hold_times, ask_users,
};

enum { QUESTIONS = sizeof(questions) / sizeof(*questions), NOWHERE = 9999 };

static const uint64_t nobody[] = {1, NOWHERE};
static const char *const nothing[] = {"app.Lock", "no.Such"};

/* Choices that a run of 1000 ns with thread 1 and class app.Lock cannot meet. */
static const struct refusal {
    tm_selection selection;
    int code;
    const char *text;
} refusals[] = {
    {{.size = sizeof(tm_selection), .threads = nobody, .thread_count = 2},
     TM_ENOTFOUND,
     "there is no thread 9999 in this run"},
    {{.size = sizeof(tm_selection), .classes = nothing, .class_count = 2},
     TM_ENOTFOUND,
     "there is no class no.Such in this run"},
    {{.size = sizeof(tm_selection), .from_ns = 10, .to_ns = 10},
     TM_EINVAL,
     "window from 10 to 10 ns is empty"},
    {{.size = sizeof(tm_selection), .from_ns = 20, .to_ns = 10},
     TM_EINVAL,
     "window from 20 to 10 ns is empty"},
    {{.size = sizeof(tm_selection), .from_ns = -1},
     TM_EINVAL,
     "window from -1 to 0 ns is empty"},
    {{.size = sizeof(tm_selection), .to_ns = -1},
     TM_EINVAL,
     "window from 0 to -1 ns is empty"},
    {{.size = sizeof(tm_selection), .from_ns = 1001, .to_ns = 2000},
     TM_EINVAL,
     "window begins at 1001 ns, the run ends at 1000 ns"},
};

enum { REFUSALS = sizeof(refusals) / sizeof(*refusals) };

static tm_model *small_run(void)
{
    tm_event events[] = {
        {.time_ns = 1, .thread = 1, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 101, .thread = 1, .object = 7, .kind = TM_EVENT_CONTENDED_ENTER},
        {.time_ns = 901, .thread = 1, .object = 7, .kind = TM_EVENT_CONTENDED_ENTERED},
        {.time_ns = 1001, .thread = 1, .kind = TM_EVENT_THREAD_END},
    };
    tm_class lock = {.size = sizeof(lock), .id = 1, .name = "app.Lock"};
    tm_object object = {.size = sizeof(object), .id = 7, .class_id = 1};
    const tm_sink *sink;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    sink = tm_model_sink(model);
    assert_int_equal(sink->define_class(sink->payload, &lock), TM_OK);
    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    assert_int_equal(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)),
                     TM_OK);
    return model;
}

static void selections_without_a_row_are_refused_in_words(void **state)
{
    tm_model *model = small_run();
    tm_table *table;

    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        for (size_t i = 0; i < REFUSALS; i++) {
            table = (tm_table *)model; /* that it is set to NULL shows */
            assert_int_equal(questions[q](&table, model, &refusals[i].selection),
                             refusals[i].code);
            assert_null(table);
            assert_string_equal(tm_error_text(), refusals[i].text);
        }
        assert_int_equal(questions[q](&table, model, NULL), TM_OK);
        tm_table_free(table);
    }
    tm_model_free(model);
}

static int part_verdict(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_verdict_list_part(out, m, s);
}

static int part_members(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_verdict_member_list_part(out, m, s);
}

static int part_findings(tm_table **out, const tm_model *m, const tm_selection *s)
{
    return tm_finding_list_part(out, m, s);
}

static int part_what_if(tm_table **out, const tm_model *m, const tm_selection *s)
{
    tm_whatif_options options = {.size = sizeof(options),
                                 .class_name = "app.Lock",
                                 .from_ns = s->from_ns,
                                 .to_ns = s->to_ns};

    return tm_whatif_predict(out, m, &options);
}

static int (*const of_parts[])(tm_table **, const tm_model *, const tm_selection *) = {
    part_verdict, part_members, part_findings, part_what_if};

enum { OF_PARTS = sizeof(of_parts) / sizeof(*of_parts) };

static void parts_that_are_none_are_refused(void **state)
{
    const tm_selection middle = {.size = sizeof(middle), .from_ns = 100, .to_ns = 500};
    tm_model *model = small_run();
    tm_table *table;

    (void)state;
    for (size_t q = 0; q < OF_PARTS; q++) {
        for (size_t i = 0; i < REFUSALS; i++) {
            if (refusals[i].selection.thread_count || refusals[i].selection.class_count)
                continue;
            table = (tm_table *)model;
            assert_int_equal(of_parts[q](&table, model, &refusals[i].selection),
                             TM_EINVAL);
            assert_null(table);
            assert_true(tm_error_text()[0]);
        }
        assert_int_equal(of_parts[q](&table, model, &middle), TM_OK);
        tm_table_free(table);
    }
    tm_model_free(model);
}

/* A thread may have ended before the part begins. */
static void a_path_does_not_begin_after_its_end(void **state)
{
    static const struct {
        int64_t from_ns, to_ns;
        int code;
    } parts[] = {{-1, 0, TM_EINVAL},     {20, 10, TM_EINVAL}, {10, 10, TM_OK},
                 {1001, 0, TM_EINVAL},   {1000, 0, TM_OK},    {400, 600, TM_OK},
                 {1001, 1000, TM_EINVAL}};
    tm_path_options options = {.size = sizeof(options)};
    tm_event later = {.time_ns = 2001, .thread = 2, .kind = TM_EVENT_SLEEP};
    tm_model *model = small_run();
    tm_table *table;

    (void)state;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        options.from_ns = parts[i].from_ns;
        options.to_ns = parts[i].to_ns;
        assert_int_equal(tm_path_list(&table, model, &options), parts[i].code);
        tm_table_free(table);
        assert_int_equal(tm_path_sum(&table, model, &options), parts[i].code);
        tm_table_free(table);
    }
    assert_int_equal(tm_model_ingest(model, &later, 1), TM_OK);
    options = (tm_path_options){.size = sizeof(options), .thread = 1, .from_ns = 1500};
    assert_int_equal(tm_path_list(&table, model, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "a path from 1500 ns begins after its end at 1000 ns");
    tm_model_free(model);
}

static void the_last_instant_of_a_run_is_in_it(void **state)
{
    tm_selection last = {.size = sizeof(last), .from_ns = 1000, .to_ns = 1001};
    tm_model *model = small_run();
    tm_table *table;

    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        assert_int_equal(questions[q](&table, model, &last), TM_OK);
        tm_table_free(table);
    }
    tm_model_free(model);
}

/* Nobody was there, so nobody is missing; what can be of no run is refused still. */
static void a_run_without_events_answers_without_rows(void **state)
{
    tm_path_options path = {.size = sizeof(path), .thread = NOWHERE, .to_ns = 5};
    tm_whatif_options whatif = {.size = sizeof(whatif), .class_name = "no.Such"};
    tm_model *model;
    tm_table *table;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    for (size_t q = 0; q < QUESTIONS; q++)
        for (size_t i = 0; i < REFUSALS; i++) {
            const tm_selection *selection = &refusals[i].selection;
            int is_window = selection->to_ns && selection->to_ns <= selection->from_ns;
            int rc = questions[q](&table, model, selection);

            if (is_window || selection->from_ns < 0) {
                assert_int_equal(rc, TM_EINVAL);
                continue;
            }
            assert_int_equal(rc, TM_OK);
            assert_int_equal(tm_table_row_count(table), 0);
            tm_table_free(table);
        }
    assert_int_equal(tm_path_list(&table, model, &path), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    assert_int_equal(tm_path_sum(&table, model, &path), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    assert_int_equal(tm_whatif_predict(&table, model, &whatif), TM_OK);
    assert_int_equal(tm_table_row_count(table), 0);
    tm_table_free(table);
    path.to_ns = -1;
    assert_int_equal(tm_path_list(&table, model, &path), TM_EINVAL);
    whatif.factor = -1;
    assert_int_equal(tm_whatif_predict(&table, model, &whatif), TM_EINVAL);
    tm_model_free(model);
}

static void factors_that_are_none_are_refused(void **state)
{
    static const double factors[] = {-1e-9, -1, 1.1e6, (double)INFINITY, (double)NAN};
    tm_whatif_options options = {.size = sizeof(options), .class_name = "app.Lock"};
    tm_model *model = small_run();
    tm_table *table;

    (void)state;
    for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
        options.factor = factors[i];
        options.class_name = "app.Lock";
        assert_int_equal(tm_whatif_predict(&table, model, &options), TM_EINVAL);
        assert_null(table);
        assert_non_null(strstr(tm_error_text(), "is not from 0 to"));
        options.class_name = NULL;
        assert_int_equal(tm_whatif_rank(&table, model, &options), TM_EINVAL);
        assert_null(table);
    }
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_without_a_row_are_refused_in_words),
        cmocka_unit_test(parts_that_are_none_are_refused),
        cmocka_unit_test(a_path_does_not_begin_after_its_end),
        cmocka_unit_test(the_last_instant_of_a_run_is_in_it),
        cmocka_unit_test(a_run_without_events_answers_without_rows),
        cmocka_unit_test(factors_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
