/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text: CSV, sheets and JSON. */
#include "support/table_rows.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "support/scarce.h"
#include "table/builder.h"

/* Takes all that is written, and fails from a given call on. */
struct page {
    char text[1 << 18];
    size_t used;
    int calls;
    int calls_left;
};

static struct page page;

static int take(void *payload, const char *bytes, size_t count)
{
    struct page *to = payload;

    if (to->calls_left-- == 0)
        return TM_EIO;
    to->calls++;
    assert_true(to->used + count < sizeof(to->text));
    memcpy(to->text + to->used, bytes, count);
    to->used += count;
    to->text[to->used] = '\0';
    return TM_OK;
}

static void clear_page(int calls)
{
    page.used = 0;
    page.calls = 0;
    page.calls_left = calls;
    page.text[0] = '\0';
}

static void csv_is_rfc_4180(void **state)
{
    static const char *const names[] = {"plain", "a,b", "say \"x\"", "two\r\nlines",
                                        ""};
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 7, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_csv(table, take, &page), TM_OK);
    assert_string_equal(page.text,
                        "small,large,id,ratio,open,name\r\n"
                        "-5,0,18446744073709551615,0,true,main\r\n"
                        ",-1099511627776,18446744073709551614,0.25,false,worker-1\r\n"
                        "-3,,18446744073709551613,0.5,false,worker-2\r\n"
                        "-2,-3298534883328,,0.75,true,\"\"\r\n"
                        "-1,-4398046511104,18446744073709551611,,false,main\r\n"
                        "0,-5497558138880,18446744073709551610,1.25,,worker-1\r\n"
                        "1,-6597069766656,18446744073709551609,1.5,true,\r\n");
    tm_table_free(table);
    assert_int_equal(make_names(&table, names, 5, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_csv(table, take, &page), TM_OK);
    assert_string_equal(page.text, "name\r\nplain\r\n\"a,b\"\r\n\"say \"\"x\"\"\"\r\n"
                                   "\"two\r\nlines\"\r\n\"\"\r\n");
    tm_table_free(table);
}

static void a_sheet_is_csv_in_which_no_text_is_a_formula(void **state)
{
    static const char *const names[] = {"=1+1", "+a",  "-\"b\"", "@c", "\td",
                                        "\re",  "f=g", "'h",     "",   "\ni"};
    tm_table *table;

    (void)state;
    assert_int_equal(make_names(&table, names, 10, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_sheet(table, take, &page), TM_OK);
    assert_string_equal(page.text,
                        "name\r\n\"'=1+1\"\r\n\"'+a\"\r\n\"'-\"\"b\"\"\"\r\n\"'@c\"\r\n"
                        "\"'\td\"\r\n\"'\re\"\r\nf=g\r\n'h\r\n\"\"\r\n\"'\ni\"\r\n");
    tm_table_free(table);
    /* Numbers below 0 are not text. */
    assert_int_equal(make_rows(&table, 1, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_sheet(table, take, &page), TM_OK);
    assert_non_null(strstr(page.text, "\r\n-5,0,"));
    tm_table_free(table);
}

static void no_separator_in_a_sheet_begins_a_formula(void **state)
{
    /* Names, and the text of each in the cell of the sheet. */
    static const char *const cells[][2] = {
        {"a;=1+1;b", "\"a;'=1+1;b\""},
        {"a;b\tc;", "a;b\tc;"},
        {"a\t+1", "\"a\t'+1\""},
        {"a\n-1", "\"a\n'-1\""},
        {"a\r@b", "\"a\r'@b\""},
        {"a\r\nb", "\"a\r\nb\""},
        {"a\r\n=b", "\"a\r\n'=b\""},
        {"a;\t=b", "\"a;'\t'=b\""},
        {"=a;=b", "\"'=a;'=b\""},
        {"a;\"=b", "\"a;'\"\"=b\""},
        {"a;'=b;", "a;'=b;"},
        {"\xef\xbc\x9dx", "\"'\xef\xbc\x9dx\""},
        {"\xef\xbc\x8bx", "\"'\xef\xbc\x8bx\""},
        {"\xef\xbc\x8dx", "\"'\xef\xbc\x8dx\""},
        {"\xef\xbc\xa0x", "\"'\xef\xbc\xa0x\""},
        {"\xef\xbc\x9cx", "\xef\xbc\x9cx"},
        {"a;\xef\xbc\x9dx", "\"a;'\xef\xbc\x9dx\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
        char expected[64];
        tm_table *table;

        assert_int_equal(make_names(&table, &cells[i][0], 1, NULL), TM_OK);
        clear_page(-1);
        assert_int_equal(tm_table_write_sheet(table, take, &page), TM_OK);
        snprintf(expected, sizeof(expected), "name\r\n%s\r\n", cells[i][1]);
        assert_string_equal(page.text, expected);
        tm_table_free(table);
    }
}

static void json_is_an_array_of_rows(void **state)
{
    static const char *const names[] = {"q\"b\\", "\t\n\r\x01\x1f\x7f", "\xe2\x82\xac"};
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 2, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    assert_string_equal(
        page.text,
        "[\n"
        "{\"small\":-5,\"large\":0,\"id\":18446744073709551615,\"ratio\":0,"
        "\"open\":true,\"name\":\"main\"},\n"
        "{\"small\":null,\"large\":-1099511627776,\"id\":18446744073709551614,"
        "\"ratio\":0.25,\"open\":false,\"name\":\"worker-1\"}\n]");
    tm_table_free(table);
    assert_int_equal(make_names(&table, names, 3, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    assert_string_equal(page.text, "[\n{\"name\":\"q\\\"b\\\\\"},\n"
                                   "{\"name\":\"\\t\\n\\r\\u0001\\u001f\x7f\"},\n"
                                   "{\"name\":\"\xe2\x82\xac\"}\n]");
    tm_table_free(table);
    assert_int_equal(make_names(&table, NULL, 0, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    assert_string_equal(page.text, "[]");
    tm_table_free(table);
}

static int make_doubles(tm_table **out, const double *doubles, size_t count)
{
    static const tm__column_spec value = {"v", TM_TYPE_DOUBLE, 0, 0};
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"doubles", &value, 1}, 0, NULL);
    for (size_t i = 0; i < count; i++)
        tm__put_double(&builder, doubles[i]);
    return tm__builder_finish(&builder, out);
}

static void doubles_are_short_and_read_back_the_same(void **state)
{
    static const double doubles[] = {0.1,    1e21,    1 / 3.0,
                                     5e-324, -2.5e-9, 0.30000000000000004};
    tm_table *table;
    double random;
    uint64_t bits = 1;

    (void)state;
    /* Under a locale with a decimal comma, where this machine has one. */
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    assert_int_equal(make_doubles(&table, doubles, 6), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    assert_string_equal(page.text,
                        "[\n{\"v\":0.1},\n{\"v\":1e+21},\n{\"v\":0.3333333333333333},\n"
                        "{\"v\":5e-324},\n{\"v\":-2.5e-09},\n"
                        "{\"v\":0.30000000000000004}\n]");
    tm_table_free(table);
    setlocale(LC_NUMERIC, "C");
    for (int i = 0; i < 20000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407;
        memcpy(&random, &bits, sizeof(random));
        if (!isfinite(random))
            continue;
        assert_int_equal(make_doubles(&table, &random, 1), TM_OK);
        clear_page(-1);
        assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
        assert_true(strtod(page.text + strlen("[\n{\"v\":"), NULL) == random);
        tm_table_free(table);
    }
}

static void what_is_no_number_is_null_in_json_and_named_in_csv(void **state)
{
    const double doubles[] = {NAN, INFINITY, -INFINITY};
    tm_table *table;

    (void)state;
    assert_int_equal(make_doubles(&table, doubles, 3), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    assert_string_equal(page.text, "[\n{\"v\":null},\n{\"v\":null},\n{\"v\":null}\n]");
    clear_page(-1);
    assert_int_equal(tm_table_write_csv(table, take, &page), TM_OK);
    assert_string_equal(page.text, "v\r\nNaN\r\ninf\r\n-inf\r\n");
    tm_table_free(table);
}

static void writers_call_seldom_and_relay_the_first_failure(void **state)
{
    tm_table *table;
    int calls;

    (void)state;
    assert_int_equal(make_rows(&table, 1000, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_json(table, take, &page), TM_OK);
    calls = page.calls;
    assert_true(calls > 2 && calls <= 20);
    for (int allowed = 0; allowed < calls; allowed++) {
        clear_page(allowed);
        assert_int_equal(tm_table_write_json(table, take, &page), TM_EIO);
        assert_int_equal(page.calls, allowed);
        assert_int_equal(page.calls_left, -1);
    }
    clear_page(1);
    assert_int_equal(tm_table_write_csv(table, take, &page), TM_EIO);
    tm_table_free(table);
}

/* A text longer than a chunk is neither cut nor put out of order. */
static void long_texts_are_written_whole(void **state)
{
    static char text[30000];
    const char *names[] = {"before", text, "after"};
    tm_table *table;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    assert_int_equal(make_names(&table, names, 3, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_csv(table, take, &page), TM_OK);
    assert_int_equal(page.used, strlen("name\r\nbefore\r\n\r\nafter\r\n") + 29999);
    assert_memory_equal(page.text, "name\r\nbefore\r\nx", 15);
    assert_string_equal(page.text + page.used - 10, "x\r\nafter\r\n");
    tm_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_is_rfc_4180),
        cmocka_unit_test(a_sheet_is_csv_in_which_no_text_is_a_formula),
        cmocka_unit_test(no_separator_in_a_sheet_begins_a_formula),
        cmocka_unit_test(json_is_an_array_of_rows),
        cmocka_unit_test(doubles_are_short_and_read_back_the_same),
        cmocka_unit_test(what_is_no_number_is_null_in_json_and_named_in_csv),
        cmocka_unit_test(writers_call_seldom_and_relay_the_first_failure),
        cmocka_unit_test(long_texts_are_written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
