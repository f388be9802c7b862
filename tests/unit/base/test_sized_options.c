/* SPDX-License-Identifier: Apache-2.0 */
/* Options of questions and sources, as older and newer releases lay them out. */
#include "support/sized.h"

#include "formats/source.h"
#include "support/recorder.h"
#include "support/statistics_runs.h"

static tm_model *asked;

static int make_run(void **state)
{
    (void)state;
    asked = small_run(NULL);
    return 0;
}

static int free_run(void **state)
{
    (void)state;
    tm_model_free(asked);
    return 0;
}

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

static const char document[] =
    "<threadStart threadId=\"7\" threadName=\"t\" time=\"1\" objIdRef=\"70\"/>"
    "<monWait threadIdRef=\"7\" time=\"2\" objIdRef=\"3\"/>"
    "<threadEnd threadIdRef=\"7\" time=\"3\"/>";

/* All that a source hands to a sink, into a recorder or a part of one. */
static int read_all(const tm_source_options *options, const tm_sink *sink,
                    recorder *kept, answer *to)
{
    tm_source *source;
    int rc =
        tm__source_open_memory(&source, "a", document, sizeof(document) - 1, options);

    if (rc < 0) {
        assert_null(source);
        return rc;
    }
    do
        rc = tm_source_read(source, sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    if (kept->length)
        answer_write(to, kept->text, kept->length);
    return rc;
}

static int open_of(const void *given, answer *to)
{
    recorder kept;
    int rc;

    recorder_init(&kept);
    rc = read_all(given, &kept.sink, &kept, to);
    recorder_free(&kept);
    return rc;
}

static void options_of_a_source(void **state)
{
    struct scarce memory;
    const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
    const char *const more[] = {"another"};
    const tm_source_options value = {.size = sizeof(value),
                                     .allocator = &hook,
                                     .time_unit_ns = 1000,
                                     .kinds = 1 << TM_EVENT_WAIT,
                                     .flags = TM_SOURCE_NO_STACKS,
                                     .more_paths = more,
                                     .more_count = 1};
    const sized it = {
        "tm_source_options",
        &value,
        sizeof(value),
        {END(tm_source_options, allocator), END(tm_source_options, dialect),
         END(tm_source_options, time_unit_ns), END(tm_source_options, kinds),
         END(tm_source_options, flags), END(tm_source_options, reserved),
         END(tm_source_options, more_paths), END(tm_source_options, more_count)},
        open_of};

    (void)state;
    check_sized(&it);
    assert_int_equal(memory.live_blocks, 0);
}

static recorder heard;

static int read_into(const void *given, answer *to)
{
    heard.length = 0;
    return read_all(NULL, given, &heard, to);
}

/* A callback that an older caller's sink does not have is one that is NULL. */
static void sinks(void **state)
{
    sized it = {"tm_sink",
                &heard.sink,
                sizeof(heard.sink),
                {END(tm_sink, payload), END(tm_sink, run), END(tm_sink, caveat),
                 END(tm_sink, define_class), END(tm_sink, define_method),
                 END(tm_sink, define_stack), END(tm_sink, define_thread),
                 END(tm_sink, define_object), END(tm_sink, events)},
                read_into};

    (void)state;
    recorder_init(&heard);
    check_sized(&it);
    recorder_free(&heard);
}

static void a_callback_that_is_null_is_passed_over(void **state)
{
    answer *to = calloc(1, sizeof(*to));
    tm_sink sink;

    (void)state;
    assert_non_null(to);
    recorder_init(&heard);
    sink = (tm_sink){.size = sizeof(sink),
                     .payload = heard.sink.payload,
                     .events = heard.sink.events};
    assert_int_equal(read_into(&sink, to), TM_OK);
    assert_string_equal(heard.text, "event 1000000000 7 0 0 0 0 2 0\n"
                                    "event 2000000000 7 3 0 0 0 6 0\n"
                                    "event 3000000000 7 0 0 0 0 3 0\n");
    recorder_free(&heard);
    free(to);
}

static answer *exported;

static int keep_export(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    return answer_write(exported, bytes, count);
}

static int export_of(const void *given, answer *to)
{
    exported = to;
    return tm_export_write(asked, NULL, given);
}

static void options_of_an_export(void **state)
{
    struct scarce memory;
    const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
    const tm_export_options value = {.size = sizeof(value),
                                     .allocator = &hook,
                                     .format = TM_EXPORT_COLLAPSED,
                                     .state = TM_STATE_WAITING,
                                     .write = keep_export,
                                     .payload = &memory};
    const sized it = {
        "tm_export_options",
        &value,
        sizeof(value),
        {END(tm_export_options, allocator), END(tm_export_options, format),
         END(tm_export_options, state), END(tm_export_options, cutoff),
         END(tm_export_options, by_thread), END(tm_export_options, without_lines),
         END(tm_export_options, utc_offset_s), END(tm_export_options, side),
         END(tm_export_options, write), END(tm_export_options, payload),
         END(tm_export_options, from_ns), END(tm_export_options, to_ns)},
        export_of};

    (void)state;
    check_sized(&it);
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
        cmocka_unit_test(options_of_a_source),
        cmocka_unit_test(options_of_an_export),
        cmocka_unit_test(sinks),
        cmocka_unit_test(a_callback_that_is_null_is_passed_over),
    };

    return cmocka_run_group_tests(tests, make_run, free_run);
}
