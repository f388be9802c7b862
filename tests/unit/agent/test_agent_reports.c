/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that the JVM agent prints for people, against those that a person would
 * write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "writer/exit_report.h"
#include "writer/text_grid.h"

static void grid_has_columns_as_wide_as_they_have_to_be(void **state)
{
    static tm__text_grid grid;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    memset(&grid, 0, sizeof(grid));
    tm__text_grid_row(&grid);
    tm__text_grid_text(&grid, "class");
    tm__text_grid_text(&grid, "count");
    tm__text_grid_row(&grid);
    tm__text_grid_text(&grid, "\xc3\x84rger\x1b[2J");
    tm__text_grid_count(&grid, 12);
    tm__text_grid_print(&grid, out);
    fclose(out);
    assert_string_equal(text, "  class      count\n  \xc3\x84rger?[2J     12\n");
    free(text);
    while (tm__text_grid_row(&grid) == 0)
        for (int i = 0; i < 2 * TM__TEXT_GRID_COLUMNS; i++)
            tm__text_grid_text(&grid,
                               "more than there is room for, which must not matter, "
                               "whatever the length of the text that is to be shown");
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
    tm__exit_report_print(out, model, &OPTIONS);
    fclose(out);
    assert_non_null(
        strstr(text, "p.Q    p.Q.m:42         1  2.50 ms  2.50 ms  2.50 ms"));
    assert_non_null(strstr(text, "Threads that monitors blocked most"));
    assert_null(strstr(text, "Deadlock"));
    free(text);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_has_columns_as_wide_as_they_have_to_be),
        cmocka_unit_test(summary_shows_who_was_blocked_where),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
