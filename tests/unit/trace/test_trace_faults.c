/* SPDX-License-Identifier: Apache-2.0 */
/* Traces whose writing or reading lacks memory, a disk, or meets a limit. */
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

/* A block of everything, and one that has to be sorted. */
static int emit_much(const tm_sink *sink)
{
    tm_class item = {.size = sizeof(item), .id = 1, .name = "a"};
    int rc = emit_random(sink, 11, 300);

    for (int64_t i = 0; rc == TM_OK && i < 80; i++) {
        tm_event event = {.time_ns = -i};

        if (i % 16 == 0)
            rc = sink->define_class(sink->payload, &item);
        if (rc == TM_OK)
            rc = sink->events(sink->payload, &event, 1);
    }
    return rc;
}

static void running_out_of_memory_once_anywhere_loses_nothing_in_the_writer(
    void **state)
{
    struct paper whole = {0};
    tm_writer *whole_writer = new_writer(&whole, 60);
    size_t calls;

    (void)state;
    assert_int_equal(emit_much(tm_writer_sink(whole_writer)), TM_OK);
    assert_int_equal(tm_writer_close(whole_writer), TM_OK);
    for (calls = 0;; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls);
        struct paper paper = {0};
        tm_writer_options options = {.size = sizeof(options),
                                     .allocator = &hook,
                                     .write = paper_write,
                                     .payload = &paper,
                                     .block_events = 60};
        tm_writer *writer;
        int rc;

        scarce.fails_once = 1;
        rc = tm_writer_open(&writer, NULL, &options);
        if (rc == TM_OK) {
            const tm_sink patient = patient_sink(0);

            patient_next = tm_writer_sink(writer);
            assert_int_equal(emit_much(&patient), TM_OK);
            rc = tm_writer_flush(writer);
            if (rc == TM_ENOMEM)
                rc = tm_writer_flush(writer);
            assert_int_equal(rc, TM_OK);
            rc = tm_writer_close(writer);
        } else
            assert_null(writer);
        if (rc == TM_OK) {
            assert_int_equal(paper.length, whole.length);
            assert_memory_equal(paper.bytes, whole.bytes, whole.length);
        } else
            assert_int_equal(rc, TM_ENOMEM);
        free(paper.bytes);
        if (!scarce.has_failed)
            break;
    }
    assert_true(calls > 19);
    free(whole.bytes);
}

static void running_out_of_memory_once_anywhere_loses_nothing_in_the_reader(
    void **state)
{
    struct paper whole = small_trace(12, 300, 60);
    recorder expected;
    size_t calls;

    (void)state;
    recorder_init(&expected);
    assert_int_equal(read_all(&expected, whole.bytes, whole.length), TM_OK);
    for (calls = 0;; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls);
        tm_source_options options = {.size = sizeof(options), .allocator = &hook};
        recorder actual;
        tm_source *source;
        int rc;

        scarce.fails_once = 1;
        rc = tm__source_open_memory(&source, "t.tmt", whole.bytes, whole.length,
                                    &options);
        recorder_init(&actual);
        if (rc == TM_OK) {
            while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE ||
                   rc == TM_ENOMEM)
                ;
            assert_int_equal(rc, TM_OK);
            assert_same_text(actual.text, expected.text);
            tm_source_close(source);
        } else {
            assert_int_equal(rc, TM_ENOMEM);
            assert_null(source);
        }
        recorder_free(&actual);
        if (!scarce.has_failed)
            break;
    }
    assert_true(calls > 7);
    recorder_free(&expected);
    free(whole.bytes);
}

static void after_a_failed_write_every_call_yields_the_first_error(void **state)
{
    struct paper whole = small_trace(13, 300, 60);

    (void)state;
    for (size_t fail_at = 1; fail_at <= whole.writes; fail_at++) {
        struct paper paper = {.fail_at = fail_at, .failure = -77};
        tm_writer_options options = {.size = sizeof(options),
                                     .write = paper_write,
                                     .payload = &paper,
                                     .block_events = 60};
        tm_event event = {.time_ns = 1};
        tm_class class = {.size = sizeof(class), .id = 1};
        tm_thread thread = {.size = sizeof(thread), .id = 1};
        tm_object object = {.size = sizeof(object), .id = 1};
        tm_writer *writer;
        const tm_sink *sink;
        int rc = tm_writer_open(&writer, NULL, &options);

        if (fail_at == 1) {
            assert_int_equal(rc, -77);
            assert_null(writer);
            continue;
        }
        sink = tm_writer_sink(writer);
        rc = emit_random(sink, 13, 300);
        if (rc == TM_OK)
            rc = tm_writer_flush(writer);
        if (rc != TM_OK) {
            assert_int_equal(rc, -77);
            paper.failure = -78;
            assert_int_equal(sink->events(sink->payload, &event, 1), -77);
            assert_int_equal(sink->caveat(sink->payload, "x"), -77);
            assert_int_equal(sink->define_class(sink->payload, &class), -77);
            assert_int_equal(sink->define_thread(sink->payload, &thread), -77);
            assert_int_equal(sink->define_object(sink->payload, &object), -77);
            assert_int_equal(tm_writer_flush(writer), -77);
            assert_non_null(strstr(tm_error_text(), "write function failed: -77"));
        }
        assert_int_equal(tm_writer_close(writer), -77);
        assert_int_equal(paper.writes, fail_at);
        assert_memory_equal(paper.bytes, whole.bytes, paper.length);
        free(paper.bytes);
    }
    free(whole.bytes);
}

static void definition_beyond_the_limit_is_refused_and_the_writer_goes_on(void **state)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 0);
    const tm_sink *sink = tm_writer_sink(writer);
    size_t bytes = TM__DEFINITION_LIMIT + 1;
    char *name = malloc(bytes + 1);
    tm_class large = {.size = sizeof(large), .id = 1, .name = name},
             small = {.size = sizeof(small), .id = 2, .name = "Small"};
    tm_stack deep = {.size = sizeof(deep),
                     .id = 1,
                     .frames = (const tm_frame *)(const void *)name,
                     .frame_count = SIZE_MAX / 100};
    recorder actual;

    (void)state;
    memset(name, 'x', bytes);
    name[bytes] = '\0';
    assert_int_equal(sink->define_class(sink->payload, &large), TM_ELIMIT);
    assert_int_equal(sink->define_stack(sink->payload, &deep), TM_ELIMIT);
    /* Just within it, and enough of them that blocks end for their definitions. */
    name[bytes - 100] = '\0';
    for (int i = 0; i < 3; i++)
        assert_int_equal(sink->define_class(sink->payload, &large), TM_OK);
    assert_int_equal(sink->define_class(sink->payload, &small), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_non_null(strstr(actual.text, "class 2 Small|(null)\n"));
    recorder_free(&actual);
    free(name);
    free(paper.bytes);
}

static void full_disk_and_bad_path_are_reported_with_the_path(void **state)
{
    tm_writer *writer;
    int rc;

    (void)state;
    rc = tm_writer_open(&writer, "/nowhere/at/all.tmt", NULL);
    assert_int_equal(rc, TM_EIO);
    assert_null(writer);
    assert_string_equal(tm_error_text(),
                        "/nowhere/at/all.tmt: No such file or directory");
    rc = tm_writer_open(&writer, "/dev/full", NULL);
    assert_int_equal(rc, TM_EIO);
    assert_string_equal(tm_error_text(), "/dev/full: No space left on device");
    assert_int_equal(tm_writer_close(NULL), TM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            running_out_of_memory_once_anywhere_loses_nothing_in_the_writer),
        cmocka_unit_test(
            running_out_of_memory_once_anywhere_loses_nothing_in_the_reader),
        cmocka_unit_test(after_a_failed_write_every_call_yields_the_first_error),
        cmocka_unit_test(definition_beyond_the_limit_is_refused_and_the_writer_goes_on),
        cmocka_unit_test(full_disk_and_bad_path_are_reported_with_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
