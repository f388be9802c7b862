/* SPDX-License-Identifier: Apache-2.0 */
/* What the JVM agent makes of events besides a trace, against what the manual of HPROF
 * and a person would write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "grid.h"
#include "hprof_binary.h"
#include "summary.h"

static struct {
    unsigned char bytes[4096];
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

static void durations_are_written_as_people_do(void **state)
{
    static const struct {
        int64_t time_ns;
        const char *text;
    } TIMES[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {1234, "1.23 us"},
        {9996, "10.0 us"},
        {99960, "100 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {1500000000, "1.50 s"},
        {INT64_C(7200000000000), "7200 s"},
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof(TIMES) / sizeof(*TIMES); i++) {
        tm__duration_text(text, sizeof(text), TIMES[i].time_ns);
        assert_string_equal(text, TIMES[i].text);
    }
}

static void grid_has_columns_as_wide_as_they_have_to_be(void **state)
{
    static tm__grid grid;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    memset(&grid, 0, sizeof(grid));
    tm__grid_row(&grid);
    tm__grid_text(&grid, "class");
    tm__grid_text(&grid, "count");
    tm__grid_row(&grid);
    tm__grid_text(&grid, "\xc3\x84rger\x1b[2J");
    tm__grid_count(&grid, 12);
    tm__grid_print(&grid, out);
    fclose(out);
    assert_string_equal(text, "  class      count\n  \xc3\x84rger?[2J     12\n");
    free(text);
    while (tm__grid_row(&grid) == 0)
        for (int i = 0; i < 2 * TM__GRID_COLUMNS; i++)
            tm__grid_text(&grid, "more than there is room for, which must not matter, "
                                 "whatever the length of the text that is to be shown");
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

static void pour_a_run(const tm_sink *to)
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

    assert_int_equal(to->define_class(to->payload, &class), TM_OK);
    assert_int_equal(to->define_class(to->payload, &class), TM_OK);
    assert_int_equal(to->define_method(to->payload, &method), TM_OK);
    assert_int_equal(to->define_stack(to->payload, &stack), TM_OK);
    assert_int_equal(to->define_thread(to->payload, &thread), TM_OK);
    assert_int_equal(to->events(to->payload, events, 4), TM_OK);
}

#define PUT(...) at += record(want + at, __VA_ARGS__)
#define NUMBERS(...) ((const uint64_t[]){__VA_ARGS__})

static void binary_format_is_that_of_the_manual_byte_by_byte(void **state)
{
    static const tm__options OPTIONS = {.lineno = 1, .depth = 16};
    static const char HEAD[] = "JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\x30\x39";
    unsigned char want[1024];
    tm__hprof *hprof;
    size_t at = sizeof(HEAD) - 1;

    (void)state;
    file.count = 0;
    file.rc = TM_OK;
    assert_int_equal(
        tm__hprof_open(&hprof, keep, NULL, &OPTIONS, INT64_C(12345999999), 1000),
        TM_OK);
    pour_a_run(tm__hprof_sink(hprof));
    assert_int_equal(tm__hprof_flush(hprof), TM_OK);
    assert_int_equal(tm__hprof_close(hprof), TM_OK);

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

static void binary_format_hands_on_what_writing_came_to(void **state)
{
    static const tm__options OPTIONS = {.depth = 4};
    tm__hprof *hprof;

    (void)state;
    file.count = 0;
    file.rc = TM_EIO;
    assert_int_equal(tm__hprof_open(&hprof, keep, NULL, &OPTIONS, 0, 0), TM_OK);
    assert_int_equal(tm__hprof_flush(hprof), TM_EIO);
    assert_int_equal(tm__hprof_close(hprof), TM_EIO);
    assert_int_equal(tm__hprof_close(NULL), TM_OK);
}

static void summary_shows_who_was_blocked_where(void **state)
{
    static const tm__options OPTIONS = {.lineno = 1};
    static const tm_line LINES[] = {{0, 42, 0}};
    static const tm_frame FRAMES[] = {{9, 0, 0, 0}};
    tm_class class = {
        .size = sizeof(class), .id = 5, .name = "p.Q", .source = "Q.java"};
    tm_method method = {.size = sizeof(method),
                        .id = 9,
                        .class_id = 5,
                        .name = "m",
                        .lines = LINES,
                        .line_count = 1};
    tm_stack stack = {
        .size = sizeof(stack), .id = 3, .frames = FRAMES, .frame_count = 1};
    tm_object object = {.size = sizeof(object), .id = 6, .class_id = 5};
    tm_thread thread = {.size = sizeof(thread), .id = 77, .name = "t"};
    tm_event events[] = {
        {.time_ns = 1000, .thread = 77, .object = 6, .stack = 3, .kind = 4},
        {.time_ns = 2501000, .thread = 77, .object = 6, .kind = 5},
    };
    const tm_sink *to;
    tm_model *model;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    to = tm_model_sink(model);
    to->define_class(to->payload, &class);
    to->define_method(to->payload, &method);
    to->define_stack(to->payload, &stack);
    to->define_object(to->payload, &object);
    to->define_thread(to->payload, &thread);
    to->events(to->payload, events, 2);
    tm__summary_print(out, model, &OPTIONS);
    fclose(out);
    assert_non_null(
        strstr(text, "p.Q    p.Q.m:42         1  2.50 ms  2.50 ms  2.50 ms"));
    assert_non_null(strstr(text, "Threads that monitors held up most"));
    assert_null(strstr(text, "Deadlock"));
    free(text);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_written_as_people_do),
        cmocka_unit_test(grid_has_columns_as_wide_as_they_have_to_be),
        cmocka_unit_test(binary_format_is_that_of_the_manual_byte_by_byte),
        cmocka_unit_test(binary_format_hands_on_what_writing_came_to),
        cmocka_unit_test(summary_shows_who_was_blocked_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
