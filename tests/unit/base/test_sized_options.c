/* SPDX-License-Identifier: Apache-2.0 */
/* Options of questions and sources, as older and newer releases lay them out. */
#include "support/asked_model.h"

#include "support/sized.h"

#include "formats/source.h"
#include "support/recorder.h"
#include "support/statistics_runs.h"

static int keep(int rc, tm_table *table, answer *to)
{
    if (rc >= 0)
        answer_table(to, table);
    else
        assert_null(table);
    return rc;
}

#define ASK(name, type, ...)                                                           \
    static int name(const void *given, answer *to)                                     \
    {                                                                                  \
        const type *options = given;                                                   \
        tm_table *table;                                                               \
        int rc = __VA_ARGS__;                                                          \
                                                                                       \
        return keep(rc, table, to);                                                    \
    }

ASK(monitors, tm_statistics_options, tm_statistics_list(&table, asked, options))
ASK(total, tm_statistics_options, tm_statistics_sum(&table, asked, options))
ASK(histogram, tm_statistics_options,
    tm_histogram_list(&table, asked, options, TM_STATE_BLOCKED))
ASK(blame, tm_blame_options, tm_blame_list(&table, asked, options))
ASK(critical, tm_path_options, tm_path_list(&table, asked, options))
ASK(rollup, tm_path_options, tm_path_sum(&table, asked, options))
ASK(explanation, tm_explain_options, tm_explanation_list(&table, asked, options))
ASK(whatif, tm_whatif_options, tm_whatif_predict(&table, asked, options))
ASK(rank, tm_whatif_options, tm_whatif_rank(&table, asked, options))
ASK(threads, tm_selection, tm_thread_list(&table, asked, options))
ASK(timeline, tm_selection, tm_timeline_list(&table, asked, options))
ASK(tiles, tm_selection, tm_tile_list(&table, asked, options, 0))
ASK(interactions, tm_selection, tm_interaction_list(&table, asked, options))
ASK(context, tm_selection, tm_context_list(&table, asked, options))
ASK(holds, tm_selection, tm_hold_list(&table, asked, options))
ASK(hold_times, tm_hold_options, tm_hold_group(&table, asked, options))
ASK(matrix, tm_selection, tm_blocker_list(&table, asked, options))
ASK(selected, tm_selection,
    tm_statistics_list(&table, asked,
                       &(tm_statistics_options){.size = sizeof(tm_statistics_options),
                                                .selection = options}))

static int tile_ns(const void *given, answer *to)
{
    int64_t ns = 0;
    int rc = tm_tile_fit(&ns, asked, given, 1);

    if (rc >= 0)
        answer_write(to, (const char *)&ns, sizeof(ns));
    return rc;
}

static const char *const app[] = {"app."};
static const char *const locks[] = {"app.Lock"};
static const char *const columns[] = {"class"}; /* every list has it */
static const uint64_t workers[] = {2, 3};

static void options_of_statistics(void **state)
{
    const tm_statistics_options value = {.size = sizeof(value),
                                         .keys = TM_STATISTICS_BY_CALLER,
                                         .libraries = app,
                                         .library_count = 1};
    const tm_statistics_options whole = {
        .size = sizeof(whole), .libraries = app, .library_count = 1};
    sized it = {
        "tm_statistics_options",
        &value,
        sizeof(value),
        {END(tm_statistics_options, keys), END(tm_statistics_options, library_count),
         END(tm_statistics_options, selection), END(tm_statistics_options, libraries)},
        monitors};

    (void)state;
    check_sized(&it);
    it.call = histogram;
    check_sized(&it);
    it.value = &whole;
    it.call = total;
    check_sized(&it);
}

static void options_of_blame(void **state)
{
    const tm_blame_options value = {.size = sizeof(value),
                                    .keys = TM_BLAME_BY_CALLER,
                                    .states = 1 << TM_STATE_BLOCKED,
                                    .libraries = app,
                                    .library_count = 1};
    const sized it = {"tm_blame_options",
                      &value,
                      sizeof(value),
                      {END(tm_blame_options, keys), END(tm_blame_options, states),
                       END(tm_blame_options, selection),
                       END(tm_blame_options, libraries),
                       END(tm_blame_options, library_count), END(tm_blame_options, of)},
                      blame};

    (void)state;
    check_sized(&it);
}

static void options_of_hold_times(void **state)
{
    const tm_hold_options value = {.size = sizeof(value),
                                   .keys = TM_HOLD_BY_CALLER,
                                   .library_count = 1,
                                   .libraries = app};
    const sized it = {"tm_hold_options",
                      &value,
                      sizeof(value),
                      {END(tm_hold_options, keys), END(tm_hold_options, library_count),
                       END(tm_hold_options, selection),
                       END(tm_hold_options, libraries)},
                      hold_times};

    (void)state;
    check_sized(&it);
}

static void options_of_a_path(void **state)
{
    const tm_path_options value = {.size = sizeof(value),
                                   .thread = 2,
                                   .to_ns = 600,
                                   .walk = TM_PATH_WAITED_FOR,
                                   .keys = TM_PATH_BY_METHOD,
                                   .libraries = app,
                                   .library_count = 1,
                                   .from_ns = 200};
    sized it = {"tm_path_options",
                &value,
                sizeof(value),
                {END(tm_path_options, thread), END(tm_path_options, to_ns),
                 END(tm_path_options, walk), END(tm_path_options, keys),
                 END(tm_path_options, libraries), END(tm_path_options, library_count),
                 END(tm_path_options, reserved), END(tm_path_options, from_ns)},
                critical};

    (void)state;
    check_sized(&it);
    it.call = rollup;
    check_sized(&it);
}

static void options_of_an_explanation(void **state)
{
    const tm_explain_options value = {
        .size = sizeof(value), .thread = 2, .at_ns = 300, .count = 2};
    const sized it = {"tm_explain_options",
                      &value,
                      sizeof(value),
                      {END(tm_explain_options, thread), END(tm_explain_options, at_ns),
                       END(tm_explain_options, flags)},
                      explanation};

    (void)state;
    check_sized(&it);
}

static void options_of_a_what_if(void **state)
{
    const tm_whatif_options value = {.size = sizeof(value),
                                     .class_name = "app.Lock",
                                     .method = "app.Lock.take",
                                     .factor = 0.5,
                                     .libraries = app,
                                     .library_count = 1,
                                     .count = 3,
                                     .from_ns = 100,
                                     .to_ns = 600};
    const tm_whatif_options any = {.size = sizeof(any), .factor = 0.5, .count = 1};
    sized it = {"tm_whatif_options",
                &value,
                sizeof(value),
                {END(tm_whatif_options, class_name), END(tm_whatif_options, method),
                 END(tm_whatif_options, object), END(tm_whatif_options, factor),
                 END(tm_whatif_options, libraries),
                 END(tm_whatif_options, library_count), END(tm_whatif_options, count),
                 END(tm_whatif_options, change), END(tm_whatif_options, permits),
                 END(tm_whatif_options, from_ns), END(tm_whatif_options, to_ns)},
                whatif};

    (void)state;
    check_sized(&it);
    it.value = &any;
    it.call = rank;
    check_sized(&it);
}

static void selections(void **state)
{
    int (*const calls[])(const void *, answer *) = {threads, timeline,     tiles,
                                                    tile_ns, interactions, context,
                                                    holds,   matrix,       selected};
    const tm_selection value = {.size = sizeof(value),
                                .threads = workers,
                                .thread_count = 2,
                                .classes = locks,
                                .class_count = 1,
                                .from_ns = 120,
                                .to_ns = 320,
                                .columns = columns,
                                .column_count = 1};
    sized it = {"tm_selection",
                &value,
                sizeof(value),
                {END(tm_selection, threads), END(tm_selection, thread_count),
                 END(tm_selection, classes), END(tm_selection, class_count),
                 END(tm_selection, from_ns), END(tm_selection, to_ns),
                 END(tm_selection, columns), END(tm_selection, column_count)},
                NULL};

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        it.call = calls[i];
        check_sized(&it);
    }
}

static int new_of(const void *given, answer *to)
{
    tm_model *model;
    int rc = tm_model_new(&model, given);

    (void)to;
    if (rc < 0)
        assert_null(model);
    tm_model_free(model);
    return rc;
}

static void options_of_a_model(void **state)
{
    struct scarce memory;
    const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
    const tm_executor executor = TM_EXECUTOR_INIT;
    const tm_model_options value = {.size = sizeof(value),
                                    .allocator = &hook,
                                    .memory_limit_bytes = 1 << 20,
                                    .policy = TM_POLICY_TPTP,
                                    .executor = &executor};
    const sized it = {"tm_model_options",
                      &value,
                      sizeof(value),
                      {END(tm_model_options, allocator),
                       END(tm_model_options, memory_limit_bytes),
                       END(tm_model_options, policy), END(tm_model_options, reserved),
                       END(tm_model_options, executor)},
                      new_of};

    (void)state;
    check_sized(&it);
    assert_true(memory.calls_left < SIZE_MAX);
    assert_int_equal(memory.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_statistics),
        cmocka_unit_test(options_of_blame),
        cmocka_unit_test(options_of_hold_times),
        cmocka_unit_test(options_of_a_path),
        cmocka_unit_test(options_of_an_explanation),
        cmocka_unit_test(options_of_a_what_if),
        cmocka_unit_test(selections),
        cmocka_unit_test(options_of_a_model),
    };

    return cmocka_run_group_tests(tests, make_run, free_run);
}
