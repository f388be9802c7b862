/* SPDX-License-Identifier: Apache-2.0 */
/* HPROF's binary format, written: against its manual, and where memory runs out.
 * Reading it with our own reader is tested in tests/python/test_convert_hprof.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/error.h>
#include <threadmodel/hprof.h>

#include "support/scarce.h"

static struct {
    unsigned char bytes[1 << 16];
    size_t count;
    int rc; ///< what writing returns
} file;

static int keep(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    if (file.rc < 0)
        return file.rc;
    assert_in_range(count, 0, sizeof(file.bytes) - file.count);
    memcpy(file.bytes + file.count, bytes, count);
    file.count += count;
    return TM_OK;
}

/* A record: tag, time in us, length; then numbers of the widths given. */
static size_t record(unsigned char *at, int tag, uint32_t time_us, const char *widths,
                     const uint64_t *values, const char *text)
{
    size_t length = text ? strlen(text) : 0, used = 0;
    const uint64_t head[] = {(uint64_t)tag, time_us, 0};

    for (size_t i = 0; widths[i]; i++)
        length += (size_t)(widths[i] - '0');
    for (size_t k = 0; k < 3 + strlen(widths); k++) {
        int width = k < 3 ? "144"[k] - '0' : widths[k - 3] - '0';
        uint64_t value = k == 2 ? length : k < 3 ? head[k] : values[k - 3];

        for (int i = width - 1; i >= 0; i--)
            at[used++] = (unsigned char)(value >> (8 * i));
    }
    if (text)
        memcpy(at + used, text, strlen(text));
    return used + (text ? strlen(text) : 0);
}

/* @return what the sink came to */
static int emit_what_fits(const tm_sink *to)
{
    static const tm_line LINES[] = {{0, 10, 0}, {5, 11, 0}};
    static const tm_frame FRAMES[] = {{9, 7, 0, 0}, {9, -1, 0, 0}};
    tm_class class = {
        .size = sizeof(class), .id = 5, .name = "p.Q", .source = "Q.java"};
    tm_method method = {.size = sizeof(method),
                        .id = 9,
                        .class_id = 5,
                        .name = "m",
                        .signature = "()V",
                        .lines = LINES,
                        .line_count = 2};
    tm_stack stack = {
        .size = sizeof(stack), .id = 3, .frames = FRAMES, .frame_count = 2};
    tm_thread thread = {.size = sizeof(thread), .id = 77, .name = "t", .group = "g"};
    tm_event events[] = {
        {.time_ns = 3000, .thread = 77, .stack = 3, .kind = TM_EVENT_CPU_SAMPLE},
        {.time_ns = 5000, .thread = 77, .stack = 3, .kind = TM_EVENT_CPU_SAMPLE},
        {.time_ns = 6000, .thread = 77, .kind = TM_EVENT_CPU_SAMPLE},
        {.time_ns = 9000, .thread = 77, .kind = TM_EVENT_THREAD_END},
    };

    int rc = to->define_class(to->payload, &class);

    if (rc == TM_OK)
        rc = to->define_class(to->payload, &class);
    if (rc == TM_OK)
        rc = to->define_method(to->payload, &method);
    if (rc == TM_OK)
        rc = to->define_stack(to->payload, &stack);
    if (rc == TM_OK)
        rc = to->define_thread(to->payload, &thread);
    return rc < 0 ? rc : to->events(to->payload, events, 4);
}

static void emit_a_run(const tm_sink *to)
{
    assert_int_equal(emit_what_fits(to), TM_OK);
}

#define PUT(...) at += record(want + at, __VA_ARGS__)
#define NUMBERS(...) ((const uint64_t[]){__VA_ARGS__})

static void binary_format_is_that_of_the_manual_byte_by_byte(void **state)
{
    static const tm_hprof_writer_options OPTIONS = {
        .size = sizeof(OPTIONS),
        .start_wall_ns = INT64_C(12345999999),
        .start_ns = 1000,
        .depth = 16,
    };
    static const char HEAD[] = "JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\x30\x39";
    unsigned char want[1024];
    tm_hprof_writer *hprof;
    size_t at = sizeof(HEAD) - 1;

    (void)state;
    file.count = 0;
    file.rc = TM_OK;
    assert_int_equal(tm_hprof_writer_new(&hprof, keep, NULL, &OPTIONS), TM_OK);
    emit_a_run(tm_hprof_writer_sink(hprof));
    assert_int_equal(tm_hprof_writer_flush(hprof), TM_OK);
    assert_int_equal(tm_hprof_writer_close(hprof), TM_OK);

    memcpy(want, HEAD, at);
    PUT(0x0E, 0, "42", NUMBERS(2, 16), NULL);
    PUT(0x05, 0, "444", NUMBERS(1, 0, 0), NULL);
    PUT(0x01, 0, "8", NUMBERS(1), "p.Q");
    PUT(0x01, 0, "8", NUMBERS(2), "Q.java");
    PUT(0x02, 0, "4848", NUMBERS(1, 3, 1, 1), NULL);
    PUT(0x01, 0, "8", NUMBERS(4), "m");
    PUT(0x01, 0, "8", NUMBERS(5), "()V");
    PUT(0x01, 0, "8", NUMBERS(6), "t");
    PUT(0x01, 0, "8", NUMBERS(7), "g");
    PUT(0x0A, 0, "484888", NUMBERS(1, 8, 1, 6, 7, 0), NULL);
    PUT(0x04, 2, "888844", NUMBERS(9, 4, 5, 2, 1, 11), NULL);
    PUT(0x04, 2, "888844", NUMBERS(10, 4, 5, 2, 1, 0), NULL);
    PUT(0x05, 2, "44488", NUMBERS(2, 0, 2, 9, 10), NULL);
    PUT(0x05, 5, "444", NUMBERS(3, 0, 0), NULL);
    PUT(0x0B, 8, "4", NUMBERS(1), NULL);
    PUT(0x0D, 8, "444444", NUMBERS(3, 2, 2, 2, 1, 3), NULL);
    assert_int_equal(file.count, at);
    assert_memory_equal(file.bytes, want, at);
}

static void run_reports_when_it_began_if_the_options_do_not(void **state)
{
    static const unsigned char HEAD[] =
        "JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\x30\x39";
    tm_run run = {
        .size = sizeof(run), .start_wall_ns = INT64_C(12345999999), .start_ns = 1000};
    unsigned char first[1024];
    tm_hprof_writer *hprof;
    size_t count;

    (void)state;
    file.count = 0;
    file.rc = TM_OK;
    assert_int_equal(tm_hprof_writer_new(&hprof, keep, NULL, NULL), TM_OK);
    assert_int_equal(file.count, 0);
    assert_int_equal(
        tm_hprof_writer_sink(hprof)->run(tm_hprof_writer_sink(hprof)->payload, &run),
        TM_OK);
    emit_a_run(tm_hprof_writer_sink(hprof));
    assert_int_equal(tm_hprof_writer_close(hprof), TM_OK);
    assert_memory_equal(file.bytes, HEAD, sizeof(HEAD) - 1);
    count = file.count;
    memcpy(first, file.bytes, count);

    /* The same as a writer that received the run, but for the depth. */
    file.count = 0;
    assert_int_equal(tm_hprof_writer_new(&hprof, keep, NULL,
                                         &(tm_hprof_writer_options){
                                             .size = sizeof(tm_hprof_writer_options),
                                             .start_wall_ns = run.start_wall_ns,
                                             .start_ns = run.start_ns,
                                         }),
                     TM_OK);
    emit_a_run(tm_hprof_writer_sink(hprof));
    assert_int_equal(tm_hprof_writer_close(hprof), TM_OK);
    assert_int_equal(file.count, count);
    assert_memory_equal(file.bytes, first, count);
}

static void stacks_of_any_depth_are_whole(void **state)
{
    enum { DEEP = 700 };
    static tm_frame frames[DEEP];
    tm_stack stack = {
        .size = sizeof(stack), .id = 1, .frames = frames, .frame_count = DEEP};
    tm_event event = {.stack = 1, .kind = TM_EVENT_CPU_SAMPLE};
    const unsigned char *trace;
    tm_hprof_writer *hprof;
    const tm_sink *to;

    (void)state;
    file.count = 0;
    file.rc = TM_OK;
    assert_int_equal(tm_hprof_writer_new(&hprof, keep, NULL, NULL), TM_OK);
    to = tm_hprof_writer_sink(hprof);
    assert_int_equal(to->define_stack(to->payload, &stack), TM_OK);
    assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    assert_int_equal(tm_hprof_writer_close(hprof), TM_OK);
    /* Before the sums: 9 bytes of head, and one pair of count and trace. */
    trace = file.bytes + file.count - (9 + 8 + 8) - 8 * DEEP - 12 - 9;
    assert_int_equal(trace[0], 0x05);
    assert_int_equal(trace[9 + 10] << 8 | trace[9 + 11], DEEP);
}

static void memory_may_run_out_at_any_allocation(void **state)
{
    int rc = TM_ENOMEM;

    (void)state;
    file.rc = TM_OK;
    for (size_t calls = 0; rc != TM_OK; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls);
        tm_hprof_writer_options options = {.size = sizeof(options), .allocator = &hook};
        tm_hprof_writer *hprof;

        assert_true(calls < 100);
        file.count = 0;
        rc = tm_hprof_writer_new(&hprof, keep, NULL, &options);
        if (rc == TM_OK) {
            rc = emit_what_fits(tm_hprof_writer_sink(hprof));
            rc = tm_hprof_writer_close(hprof) < 0 ? TM_ENOMEM : rc;
        } else {
            assert_null(hprof);
        }
        assert_int_equal(scarce.live_blocks, 0);
    }
}

static void binary_format_hands_on_what_writing_came_to(void **state)
{
    tm_hprof_writer *hprof;

    (void)state;
    file.count = 0;
    file.rc = TM_EIO;
    assert_int_equal(tm_hprof_writer_new(&hprof, keep, NULL, NULL), TM_OK);
    emit_a_run(tm_hprof_writer_sink(hprof));
    assert_int_equal(tm_hprof_writer_flush(hprof), TM_EIO);
    assert_int_equal(tm_hprof_writer_close(hprof), TM_EIO);
    assert_int_equal(tm_hprof_writer_close(NULL), TM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_format_is_that_of_the_manual_byte_by_byte),
        cmocka_unit_test(run_reports_when_it_began_if_the_options_do_not),
        cmocka_unit_test(stacks_of_any_depth_are_whole),
        cmocka_unit_test(memory_may_run_out_at_any_allocation),
        cmocka_unit_test(binary_format_hands_on_what_writing_came_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
