/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and numbers in JSON, each beside what is computed byte by byte. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "table/builder.h"

enum { TEXT_BYTES = 64, PAGE_BYTES = 1 << 14 };

static struct {
    char text[PAGE_BYTES];
    size_t used;
} page;

static int note(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    assert_true(page.used + count < sizeof(page.text));
    memcpy(page.text + page.used, bytes, count);
    page.used += count;
    page.text[page.used] = '\0';
    return TM_OK;
}

static void check_table(tm__builder *builder, const char *wanted)
{
    tm_table *table;

    assert_int_equal(tm__builder_finish(builder, &table), TM_OK);
    page.used = 0;
    assert_int_equal(tm_table_write_json(table, note, NULL), TM_OK);
    assert_string_equal(page.text, wanted);
    tm_table_free(table);
}

static void check_text(const char *text)
{
    static const tm__column_spec column = {"v", TM_TYPE_STRING, 0, 0};
    char wanted[6 * TEXT_BYTES + 20] = "[\n{\"v\":\"", *to = wanted + strlen(wanted);
    tm__builder builder;

    for (const char *it = text; *it; it++)
        if (*it == '"' || *it == '\\')
            to += sprintf(to, "\\%c", *it);
        else if (*it == '\n')
            to += sprintf(to, "\\n");
        else if ((unsigned char)*it < 0x20)
            to += sprintf(to, "\\u%04x", *it);
        else
            *to++ = *it;
    strcpy(to, "\"}\n]");
    tm__builder_start(&builder, &(tm__table_spec){"texts", &column, 1}, 0, NULL);
    tm__put_text(&builder, text);
    check_table(&builder, wanted);
}

/* Texts are looked through by eight bytes. */
static void what_json_escapes_is_found_wherever_it_stands(void **state)
{
    static const char *const bytes[] = {"\"", "\\",   "\x01", "\x1f",        "\n",
                                        " ",  "\x7f", "!",    "\xc2\xa2",    "]",
                                        "[",  "#",    "\x21", "\xe2\x82\xac"};
    char text[TEXT_BYTES];

    (void)state;
    for (size_t length = 0; length < 20; length++)
        for (size_t at = 0; at <= length; at++)
            for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
                for (size_t j = 0; j < sizeof(bytes) / sizeof(*bytes); j += 3) {
                    snprintf(text, sizeof(text), "%.*s%s%.*s%s", (int)at,
                             "abcdefghijklmnopqrst", bytes[i], (int)(length - at),
                             "\xc3\xa4xyzABCDEFGHIJKLMNOP", bytes[j]);
                    if (length - at != 1)
                        check_text(text);
                }
}

static void check_number(uint64_t number)
{
    static const tm__column_spec columns[] = {{"v", TM_TYPE_UINT64, 0, 0},
                                              {"w", TM_TYPE_INT64, 0, 0}};
    char wanted[100];
    tm__builder builder;

    snprintf(wanted, sizeof(wanted), "[\n{\"v\":%" PRIu64 ",\"w\":%" PRId64 "}\n]",
             number, (int64_t)number);
    tm__builder_start(&builder, &(tm__table_spec){"numbers", columns, 2}, 0, NULL);
    tm__put_uint64(&builder, number);
    tm__put_int64(&builder, (int64_t)number);
    check_table(&builder, wanted);
}

static void whole_numbers_of_any_length_are_written_whole(void **state)
{
    uint64_t power = 1;

    (void)state;
    check_number(0);
    check_number(UINT64_MAX);
    check_number((uint64_t)INT64_MAX);
    check_number((uint64_t)INT64_MAX + 1);
    for (int digits = 1; digits <= 20; digits++, power *= 10) {
        check_number(power - 1);
        check_number(power);
        check_number(power + 1);
        check_number(0 - power);
        check_number(power / 7 * 3);
    }
}

static void check_double(double number, const char *text)
{
    static const tm__column_spec column = {"v", TM_TYPE_DOUBLE, 0, 0};
    char wanted[60];
    tm__builder builder;

    snprintf(wanted, sizeof(wanted), "[\n{\"v\":%s}\n]", text);
    tm__builder_start(&builder, &(tm__table_spec){"numbers", &column, 1}, 0, NULL);
    tm__put_double(&builder, number);
    check_table(&builder, wanted);
}

static void whole_doubles_are_written_as_any_other(void **state)
{
    (void)state;
    check_double(0.0, "0");
    check_double(-0.0, "-0");
    check_double(1.0, "1");
    check_double(-3.0, "-3");
    check_double(1.5, "1.5");
    check_double(999999999999999.0, "999999999999999");
    check_double(-999999999999999.0, "-999999999999999");
    check_double(1e15, "1e+15");
    check_double(-1e15, "-1e+15");
    check_double(1e300, "1e+300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_json_escapes_is_found_wherever_it_stands),
        cmocka_unit_test(whole_numbers_of_any_length_are_written_whole),
        cmocka_unit_test(whole_doubles_are_written_as_any_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
