/* SPDX-License-Identifier: Apache-2.0 */
/* Options of sources and exports, and sinks, of other sizes. */
#include "support/asked_model.h"

#include "support/sized.h"

#include "formats/source.h"
#include "support/recorder.h"
#include "support/statistics_runs.h"

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
        cmocka_unit_test(options_of_a_source),
        cmocka_unit_test(options_of_an_export),
        cmocka_unit_test(sinks),
        cmocka_unit_test(a_callback_that_is_null_is_passed_over),
    };

    return cmocka_run_group_tests(tests, make_run, free_run);
}
