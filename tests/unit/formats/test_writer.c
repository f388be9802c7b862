/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of all files that are written: where they go, and when. */
#include "support/paper.h"
#include "support/scarce.h"
#include "support/sized.h"

static const int formats[] = {TM_WRITER_TRACE, TM_WRITER_CONTENTION, TM_WRITER_TPTP};

static void where_the_bytes_go_is_reported_once(void **state)
{
    struct paper paper = {0};
    tm_writer_options options = {.size = sizeof(options)};
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(NULL, NULL, NULL), TM_EINVAL);
    assert_int_equal(tm_writer_flush(NULL), TM_EINVAL);
    assert_int_equal(tm_writer_close(NULL), TM_OK);
    assert_int_equal(tm_writer_open(&writer, NULL, NULL), TM_EINVAL);
    assert_null(writer);
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "a writer needs either a path or a write function");
    options.write = paper_write;
    options.payload = &paper;
    assert_int_equal(tm_writer_open(&writer, "/nowhere/at/all", &options), TM_EINVAL);
    options.format = TM_WRITER_CONTENTION;
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_EUNSUPPORTED);
    assert_string_equal(tm_error_text(),
                        "a contention log consists of three files and needs a path");
    assert_null(writer);
    assert_int_equal(paper.length, 0);
}

static void what_cannot_be_opened_leaves_nothing_behind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        struct scarce memory;
        const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
        tm_writer_options options = {
            .size = sizeof(options), .allocator = &hook, .format = formats[i]};
        tm_writer *writer;

        assert_int_equal(tm_writer_open(&writer, "/nowhere/at/all.x", &options),
                         TM_EIO);
        assert_null(writer);
        assert_non_null(strstr(tm_error_text(), "/nowhere/at/all"));
        assert_int_equal(memory.live_blocks, 0);
    }
}

static void a_writer_needs_memory(void **state)
{
    struct paper paper = {0};
    struct scarce memory;

    (void)state;
    for (size_t calls = 0;; calls++) {
        const tm_allocator hook = scarce_hook(&memory, calls);
        tm_writer_options options = {.size = sizeof(options),
                                     .allocator = &hook,
                                     .write = paper_write,
                                     .payload = &paper};
        tm_writer *writer;
        int rc = tm_writer_open(&writer, NULL, &options);

        assert_int_equal(rc, memory.has_failed ? TM_ENOMEM : TM_OK);
        assert_true((writer == NULL) == memory.has_failed);
        tm_writer_close(writer);
        assert_int_equal(memory.live_blocks, 0);
        if (!memory.has_failed)
            break;
    }
    free(paper.bytes);
}

static void wrong_choices_are_refused(void **state)
{
    static const struct {
        tm_writer_options options;
        const char *text;
    } wrong[] = {
        {{.size = sizeof(tm_writer_options), .format = 4}, "unknown output format 4"},
        {{.size = sizeof(tm_writer_options), .format = -1}, "unknown output format -1"},
        {{.size = sizeof(tm_writer_options),
          .format = TM_WRITER_TPTP,
          .time_unit_ns = -5},
         "invalid time unit: -5 ns"},
    };
    tm_writer *writer;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_int_equal(tm_writer_open(&writer, "/nowhere", &wrong[i].options),
                         TM_EINVAL);
        assert_string_equal(tm_error_text(), wrong[i].text);
        assert_null(writer);
    }
}

static void a_flush_hands_all_on(void **state)
{
    static const int streams[] = {TM_WRITER_TRACE, TM_WRITER_TPTP};
    const tm_class class = {.size = sizeof(class), .id = 1, .name = "app.Lock"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct paper paper = {0};
        tm_writer_options options = {.size = sizeof(options),
                                     .write = paper_write,
                                     .payload = &paper,
                                     .format = streams[i]};
        const tm_sink *sink;
        tm_writer *writer;
        size_t before;

        assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
        sink = tm_writer_sink(writer);
        before = paper.length;
        assert_int_equal(tm_writer_written_bytes(writer), before);
        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(paper.length, before);
        assert_int_equal(tm_writer_flush(writer), TM_OK);
        assert_true(paper.length > before);
        assert_int_equal(tm_writer_written_bytes(writer), paper.length);
        assert_int_equal(tm_writer_close(writer), TM_OK);
        free(paper.bytes);
    }
}

static void what_a_format_cannot_hold_is_counted(void **state)
{
    const tm_event park = {.time_ns = 1, .thread = 1, .kind = TM_EVENT_PARK};
    static const int streams[] = {TM_WRITER_TRACE, TM_WRITER_TPTP};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct paper paper = {0};
        tm_writer_options options = {.size = sizeof(options),
                                     .write = paper_write,
                                     .payload = &paper,
                                     .format = streams[i]};
        const tm_sink *sink;
        tm_writer *writer;

        assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
        sink = tm_writer_sink(writer);
        assert_int_equal(sink->events(sink->payload, &park, 1), TM_OK);
        assert_int_equal(tm_writer_dropped_count(writer, TM_EVENT_PARK), i);
        assert_int_equal(tm_writer_dropped_count(writer, 0), i);
        assert_int_equal(tm_writer_dropped_count(writer, TM_EVENT_WAIT), 0);
        assert_int_equal(tm_writer_close(writer), TM_OK);
        free(paper.bytes);
    }
}

static void a_log_keeps_the_first_failure(void **state)
{
    struct paper paper = {.fail_at = 1, .failure = -77};
    const tm_class class = {.size = sizeof(class), .id = 1, .name = "app.Lock"};
    tm_writer_options options = {.size = sizeof(options),
                                 .write = paper_write,
                                 .payload = &paper,
                                 .format = TM_WRITER_TPTP};
    const tm_sink *sink;
    tm_writer *writer;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    sink = tm_writer_sink(writer);
    assert_int_equal(tm_writer_flush(writer), -77);
    assert_string_equal(tm_error_text(),
                        "the write function failed: -77 (unknown error)");
    assert_int_equal(sink->define_class(sink->payload, &class), -77);
    assert_int_equal(tm_writer_written_bytes(writer), 0);
    assert_int_equal(tm_writer_close(writer), -77);
    assert_string_equal(tm_error_text(),
                        "the write function failed: -77 (unknown error)");
    assert_int_equal(paper.writes, 1);
    free(paper.bytes);
}

static answer *written;

static int keep_written(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    return answer_write(written, bytes, count);
}

/* Everything that a seed makes, into a writer with the given options. */
static int write_of(const void *given, answer *to)
{
    tm_writer *writer;
    int rc;

    written = to;
    rc = tm_writer_open(&writer, NULL, given);
    if (rc < 0) {
        assert_null(writer);
        return rc;
    }
    assert_int_equal(emit_random(tm_writer_sink(writer), 5, 200), TM_OK);
    return tm_writer_close(writer);
}

static void options_may_be_shorter_or_longer(void **state)
{
    static const int streams[] = {TM_WRITER_TRACE, TM_WRITER_TPTP};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scarce memory;
        const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
        const tm_writer_options value = {.size = sizeof(value),
                                         .allocator = &hook,
                                         .write = keep_written,
                                         .payload = &memory,
                                         .format = streams[i],
                                         .level = 1,
                                         .block_events = 60,
                                         .dialect = "not looked at",
                                         .time_unit_ns = 1000};
        const sized it = {
            "tm_writer_options",
            &value,
            sizeof(value),
            {END(tm_writer_options, allocator), END(tm_writer_options, write),
             END(tm_writer_options, payload), END(tm_writer_options, format),
             END(tm_writer_options, level), END(tm_writer_options, block_events),
             END(tm_writer_options, reserved), END(tm_writer_options, dialect),
             END(tm_writer_options, time_unit_ns)},
            write_of};

        check_sized(&it);
        assert_int_equal(memory.live_blocks, 0);
    }
}

static int write_hprof(const void *given, answer *to)
{
    tm_hprof_writer *writer;
    int rc;

    written = to;
    rc = tm_hprof_writer_new(&writer, keep_written, NULL, given);
    if (rc < 0) {
        assert_null(writer);
        return rc;
    }
    assert_int_equal(emit_random(tm_hprof_writer_sink(writer), 5, 200), TM_OK);
    return tm_hprof_writer_close(writer);
}

static void options_of_hprof_may_be_shorter_or_longer(void **state)
{
    struct scarce memory;
    const tm_allocator hook = scarce_hook(&memory, SIZE_MAX);
    const tm_hprof_writer_options value = {.size = sizeof(value),
                                           .allocator = &hook,
                                           .cutoff = 0.5,
                                           .start_wall_ns = 1,
                                           .start_ns = 2,
                                           .by_thread = 1,
                                           .without_lines = 1,
                                           .depth = 3};
    const sized it = {
        "tm_hprof_writer_options",
        &value,
        sizeof(value),
        {END(tm_hprof_writer_options, allocator), END(tm_hprof_writer_options, cutoff),
         END(tm_hprof_writer_options, start_wall_ns),
         END(tm_hprof_writer_options, start_ns),
         END(tm_hprof_writer_options, by_thread),
         END(tm_hprof_writer_options, without_lines),
         END(tm_hprof_writer_options, depth), END(tm_hprof_writer_options, reserved)},
        write_hprof};

    (void)state;
    check_sized(&it);
    assert_int_equal(memory.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_the_bytes_go_is_reported_once),
        cmocka_unit_test(what_cannot_be_opened_leaves_nothing_behind),
        cmocka_unit_test(a_writer_needs_memory),
        cmocka_unit_test(wrong_choices_are_refused),
        cmocka_unit_test(a_flush_hands_all_on),
        cmocka_unit_test(what_a_format_cannot_hold_is_counted),
        cmocka_unit_test(a_log_keeps_the_first_failure),
        cmocka_unit_test(options_may_be_shorter_or_longer),
        cmocka_unit_test(options_of_hprof_may_be_shorter_or_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
