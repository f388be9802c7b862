/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: what is put in comes out, by name, as CSV and as JSON. */
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

static const tm__column_spec all_types[] = {
    {"small", TM_TYPE_INT32, 0, 0}, {"large", TM_TYPE_INT64, 0, 0},
    {"id", TM_TYPE_UINT64, 0, 0},   {"ratio", TM_TYPE_DOUBLE, 0, 0},
    {"open", TM_TYPE_BOOL, 0, 0},   {"name", TM_TYPE_STRING, 0, 0},
};

enum { ALL_TYPES = sizeof(all_types) / sizeof(*all_types) };

static const char *const interned[] = {"main", "worker-1", "worker-2", ""};

/* Row r of the table that most tests read; every seventh value is null. */
static void put_row(tm__builder *builder, int r)
{
    r % 7 == 1 ? tm__put_null(builder) : tm__put_int32(builder, r - 5);
    r % 7 == 2 ? tm__put_null(builder)
               : tm__put_int64(builder, r * -(INT64_C(1) << 40));
    r % 7 == 3 ? tm__put_null(builder) : tm__put_uint64(builder, UINT64_MAX - r);
    r % 7 == 4 ? tm__put_null(builder) : tm__put_double(builder, r / 4.0);
    r % 7 == 5 ? tm__put_null(builder) : tm__put_bool(builder, r % 3 == 0);
    tm__put_string(builder, r % 7 == 6 ? NULL : interned[r % 4]);
}

static int make_rows(tm_table **out, int rows, const tm_allocator *hook)
{
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      hook);
    for (int r = 0; r < rows; r++)
        put_row(&builder, r);
    tm__builder_caveat(&builder, "owners are inferred");
    tm__builder_caveat(&builder, "sleeps were not recorded");
    tm__builder_caveat(&builder, "owners are inferred");
    return tm__builder_finish(&builder, out);
}

static int bit(const uint8_t *bits, int r)
{
    return bits[r / 8] >> r % 8 & 1;
}

static void check_rows(const tm_table *table, const int *order, int rows)
{
    assert_int_equal(tm_table_row_count(table), rows);
    for (int i = 0; i < rows; i++) {
        int r = order ? order[i] : i;

        assert_int_equal(tm_table_is_null(table, "small", i), r % 7 == 1);
        assert_int_equal(tm_table_is_null(table, "large", i), r % 7 == 2);
        assert_int_equal(tm_table_is_null(table, "id", i), r % 7 == 3);
        assert_int_equal(tm_table_is_null(table, "ratio", i), r % 7 == 4);
        assert_int_equal(tm_table_is_null(table, "open", i), r % 7 == 5);
        assert_int_equal(tm_table_is_null(table, "name", i), r % 7 == 6);
        assert_int_equal(tm_table_int32(table, "small")[i], r % 7 == 1 ? 0 : r - 5);
        assert_int_equal(tm_table_int64(table, "large")[i],
                         r % 7 == 2 ? 0 : r * -(INT64_C(1) << 40));
        assert_true(tm_table_uint64(table, "id")[i] ==
                    (r % 7 == 3 ? 0 : UINT64_MAX - r));
        assert_true(tm_table_double(table, "ratio")[i] == (r % 7 == 4 ? 0 : r / 4.0));
        assert_int_equal(bit(tm_table_bool(table, "open"), i),
                         r % 7 != 5 && r % 3 == 0);
        if (r % 7 == 6) {
            assert_int_equal(tm_table_codes(table, "name")[i], -1);
            assert_null(tm_table_string(table, "name", i));
        } else {
            assert_string_equal(tm_table_string(table, "name", i), interned[r % 4]);
        }
        if (tm_table_validity(table, "name"))
            assert_int_equal(bit(tm_table_validity(table, "name"), i), r % 7 != 6);
    }
}

static void values_come_back_by_name(void **state)
{
    tm_table *table;

    (void)state;
    for (int rows = 0; rows < 3000; rows = rows * 2 + 1) {
        assert_int_equal(make_rows(&table, rows, NULL), TM_OK);
        assert_string_equal(tm_table_name(table), "rows");
        assert_int_equal(tm_table_column_count(table), ALL_TYPES);
        for (size_t i = 0; i < ALL_TYPES; i++) {
            assert_string_equal(tm_table_column_name(table, i), all_types[i].name);
            assert_int_equal(tm_table_column_type(table, i), all_types[i].type);
        }
        check_rows(table, NULL, rows);
        tm_table_free(table);
    }
}

/* Rows of three columns, the outer ones blank. */
static int make_blank_rows(tm_table **out, int rows, const tm_allocator *hook)
{
    static const tm__column_spec columns[] = {{"none", TM_TYPE_INT64, 0, 0},
                                              {"row", TM_TYPE_INT32, 0, 0},
                                              {"nothing", TM_TYPE_DOUBLE, 0, 0}};
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"blanks", columns, 3}, 0, hook);
    tm__builder_blank(&builder, 0, 1);
    tm__builder_blank(&builder, 2, 0);
    for (int r = 0; r < rows; r++) {
        tm__pass_blank(&builder, 1);
        tm__put_int32(&builder, r);
        tm__pass_blank(&builder, 1);
    }
    return tm__builder_finish(&builder, out);
}

static void a_blank_column_is_null_or_zero_in_every_row(void **state)
{
    tm_table *table;

    (void)state;
    for (int rows = 0; rows < 100; rows = rows * 2 + 1) {
        assert_int_equal(make_blank_rows(&table, rows, NULL), TM_OK);
        assert_int_equal(tm_table_row_count(table), rows);
        for (int r = 0; r < rows; r++) {
            assert_true(tm_table_is_null(table, "none", r));
            assert_int_equal(tm_table_int64(table, "none")[r], 0);
            assert_int_equal(tm_table_int32(table, "row")[r], r);
            assert_false(tm_table_is_null(table, "nothing", r));
            assert_true(tm_table_double(table, "nothing")[r] == 0);
        }
        assert_null(tm_table_validity(table, "nothing"));
        tm_table_free(table);
    }
}

/* Whatever is put, and whether it is passed over one by one or together. */
static void a_column_that_is_not_wanted_is_null_in_every_row(void **state)
{
    enum { ROWS = 100 };
    static const char *const names[] = {"open", "large"};
    static const uint64_t picked[] = {7, 0};
    tm_table *table, *some;
    tm__builder builder;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__builder_want(&builder, names, 2);
    for (int r = 0; r < ROWS; r++) {
        assert_false(tm__pass_unwanted(&builder, 2));
        tm__put_int32(&builder, r);
        assert_false(tm__pass_unwanted(&builder, 1));
        tm__put_int64(&builder, r);
        if (r % 2 || !tm__pass_unwanted(&builder, 2)) {
            tm__put_uint64(&builder, 1);
            tm__put_null(&builder);
        }
        tm__put_bool(&builder, r % 3 == 0);
        if (r % 5 == 0 || !tm__pass_unwanted(&builder, 1))
            tm__put_text(&builder, "text");
    }
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    assert_int_equal(tm_table_gather(&some, table, picked, 2), TM_OK);
    assert_int_equal(tm_table_int64(some, "large")[0], 7);
    assert_true(tm_table_is_null(some, "name", 0));
    assert_int_equal(tm_table_codes(some, "name")[1], -1);
    tm_table_free(some);
    assert_int_equal(tm_table_row_count(table), ROWS);
    for (int r = 0; r < ROWS; r++) {
        assert_int_equal(tm_table_int64(table, "large")[r], r);
        assert_int_equal(bit(tm_table_bool(table, "open"), r), r % 3 == 0);
        assert_true(tm_table_is_null(table, "small", r));
        assert_true(tm_table_is_null(table, "id", r));
        assert_true(tm_table_is_null(table, "ratio", r));
        assert_int_equal(tm_table_codes(table, "name")[r], -1);
        assert_null(tm_table_string(table, "name", r));
    }
    tm_table_free(table);
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__builder_want(&builder, (const char *const[]){"open", "colour"}, 2);
    tm__put_int32(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "table rows has no column colour");
}

static void gathered_rows_come_in_the_order_asked_for(void **state)
{
    enum { ROWS = 100, GATHERED = 300 };
    uint64_t rows[GATHERED];
    int order[GATHERED];
    tm_table *table, *some;

    (void)state;
    for (int i = 0; i < GATHERED; i++)
        rows[i] = (uint64_t)(order[i] = i * 37 % ROWS);
    assert_int_equal(make_rows(&table, ROWS, NULL), TM_OK);
    assert_int_equal(tm_table_gather(&some, table, rows, GATHERED), TM_OK);
    tm_table_free(table);
    assert_string_equal(tm_table_name(some), "rows");
    assert_int_equal(tm_table_column_count(some), ALL_TYPES);
    assert_int_equal(tm_table_caveat_count(some), 2);
    assert_string_equal(tm_table_caveat(some, 1), "sleeps were not recorded");
    check_rows(some, order, GATHERED);
    tm_table_free(some);
}

static void gathered_rows_keep_blanks_and_only_their_own_texts(void **state)
{
    static const uint64_t rows[] = {5, 1};
    tm_table *table, *some;

    (void)state;
    assert_int_equal(make_blank_rows(&table, 6, NULL), TM_OK);
    assert_int_equal(tm_table_gather(&some, table, rows, 2), TM_OK);
    assert_int_equal(tm_table_int32(some, "row")[0], 5);
    assert_int_equal(tm_table_int32(some, "row")[1], 1);
    for (size_t r = 0; r < 2; r++) {
        assert_true(tm_table_is_null(some, "none", r));
        assert_false(tm_table_is_null(some, "nothing", r));
    }
    tm_table_free(some);
    tm_table_free(table);
    assert_int_equal(make_rows(&table, 6, NULL), TM_OK);
    assert_int_equal(tm_table_gather(&some, table, rows, 2), TM_OK);
    assert_int_equal(tm_table_category_count(some, "name"), 1);
    tm_table_free(some);
    assert_int_equal(tm_table_gather(&some, table, NULL, 0), TM_OK);
    assert_int_equal(tm_table_row_count(some), 0);
    assert_int_equal(tm_table_column_count(some), ALL_TYPES);
    tm_table_free(some);
    tm_table_free(table);
}

static void marks_are_kept_by_rows_that_have_one_of_the_values(void **state)
{
    enum { ROWS = 100 };
    static const int64_t some[] = {90, 3, 7, 4000};
    uint8_t marks[ROWS];
    tm_table *table;
    tm__builder builder;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    for (int r = 0; r < ROWS; r++) {
        tm__put_int32(&builder, r);
        tm__put_int64(&builder, r % 10);
        if (r % 4)
            tm__put_uint64(&builder, UINT64_MAX - (uint64_t)r % 5);
        else
            tm__put_null(&builder);
        tm__put_double(&builder, r);
        tm__put_bool(&builder, r % 2);
        if (r % 3)
            tm__put_text(&builder, r % 3 == 1 ? "one" : "two");
        else
            tm__put_null(&builder);
    }
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    memset(marks, 1, ROWS);
    assert_int_equal(tm_table_mark(marks, table, "small", some, 4, 0), TM_OK);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(marks[r], r == 3 || r == 7 || r == 90);
    assert_int_equal(tm_table_mark(marks, table, "open", (const int64_t[]){1}, 1, 0),
                     TM_OK);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(marks[r], r == 3 || r == 7);
    memset(marks, 1, ROWS);
    assert_int_equal(tm_table_mark(marks, table, "id", (const int64_t[]){-1}, 1, 1),
                     TM_OK);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(marks[r], r % 4 == 0 || r % 5 == 0);
    memset(marks, 1, ROWS);
    assert_int_equal(tm_table_mark(marks, table, "name", (const int64_t[]){1}, 1, 0),
                     TM_OK);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(marks[r], r % 3 == 2);
    assert_int_equal(tm_table_mark(marks, table, "name", NULL, 0, 1), TM_OK);
    for (int r = 0; r < ROWS; r++)
        assert_int_equal(marks[r], 0);
    assert_int_equal(tm_table_mark(marks, table, "ratio", NULL, 0, 0), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "table rows has no column ratio of whole numbers");
    assert_int_equal(tm_table_mark(marks, table, "colour", NULL, 0, 0), TM_EINVAL);
    tm_table_free(table);
}

static void a_row_that_is_not_there_cannot_be_gathered(void **state)
{
    static const uint64_t rows[] = {0, 3};
    tm_table *table, *some;

    (void)state;
    assert_int_equal(make_rows(&table, 3, NULL), TM_OK);
    assert_int_equal(tm_table_gather(&some, table, rows, 2), TM_EINVAL);
    assert_null(some);
    assert_string_equal(tm_error_text(),
                        "table rows: row 3 is out of range: it has 3 rows");
    tm_table_free(table);
}

static void a_blank_column_takes_no_value_and_no_other_is_passed_over(void **state)
{
    tm__builder builder;
    tm_table *table;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__pass_blank(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_EINVAL);
    assert_string_equal(tm_error_text(), "table rows: column small is not blank");
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types + 1, 1}, 0, NULL);
    tm__builder_blank(&builder, 0, 1);
    tm__put_int64(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_EINVAL);
    assert_string_equal(tm_error_text(), "table rows: column large is blank");
}

static void what_is_not_there_is_null(void **state)
{
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 3, NULL), TM_OK);
    assert_null(tm_table_int64(table, "small"));
    assert_null(tm_table_int32(table, "name"));
    assert_null(tm_table_codes(table, "small"));
    assert_null(tm_table_bool(table, "nothing"));
    assert_null(tm_table_column_name(table, ALL_TYPES));
    assert_int_equal(tm_table_column_type(table, ALL_TYPES), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "column 6 is out of range: the table has 6 columns");
    assert_null(tm_table_string(table, "name", 3));
    assert_int_equal(tm_table_is_null(table, "name", 3), 1);
    assert_int_equal(tm_table_is_null(table, "nothing", 0), 1);
    assert_null(tm_table_category(table, "name", -1));
    assert_null(tm_table_category(table, "name", 3));
    assert_int_equal(tm_table_category_count(table, "small"), 0);
    assert_null(tm_table_validity(table, "name"));
    assert_non_null(tm_table_validity(table, "small"));
    assert_null(tm_table_caveat(table, 2));
    tm_table_free(table);
    tm_table_free(NULL);
}

static void cells_are_read_by_the_number_of_a_column(void **state)
{
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 50, NULL), TM_OK);
    for (int c = 0; c < ALL_TYPES; c++)
        assert_int_equal(tm_table_column(table, all_types[c].name), c);
    for (int r = 0; r < 50; r++) {
        size_t row = (size_t)r;
        const char *text = tm_table_string(table, "name", row);

        for (int c = 0; c < ALL_TYPES; c++)
            assert_int_equal(tm_table_cell_is_null(table, c, row),
                             tm_table_is_null(table, all_types[c].name, row));
        assert_int_equal(tm_table_cell_int64(table, 0, row), r % 7 == 1 ? 0 : r - 5);
        assert_int_equal(tm_table_cell_int64(table, 1, row),
                         r % 7 == 2 ? 0 : r * -(INT64_C(1) << 40));
        assert_true(tm_table_cell_uint64(table, 2, row) ==
                    (r % 7 == 3 ? 0 : UINT64_MAX - (uint64_t)r));
        assert_true(tm_table_cell_double(table, 3, row) == (r % 7 == 4 ? 0 : r / 4.0));
        assert_int_equal(tm_table_cell_int64(table, 4, row),
                         r % 7 == 5 ? 0 : r % 3 == 0);
        assert_ptr_equal(tm_table_cell_string(table, 5, row), text);
        assert_true(tm_table_cell_double(table, 0, row) ==
                    (double)tm_table_cell_int64(table, 0, row));
        assert_true(tm_table_cell_double(table, 2, row) ==
                    (double)tm_table_cell_uint64(table, 2, row));
    }
    tm_table_free(table);
}

static void a_cell_that_is_not_there_is_null(void **state)
{
    static const struct {
        int column;
        size_t row;
    } cells[] = {{TM_ENOTFOUND, 0}, {-1, 0}, {ALL_TYPES, 0}, {0, 3}, {5, SIZE_MAX}};
    tm_table *table;
    int unknown;

    (void)state;
    assert_int_equal(make_rows(&table, 3, NULL), TM_OK);
    unknown = tm_table_column(table, "colour");
    assert_int_equal(unknown, TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "table rows has no column colour");
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
        int column = cells[i].column;
        size_t row = cells[i].row;

        assert_int_equal(tm_table_cell_is_null(table, column, row), 1);
        assert_int_equal(tm_table_cell_int64(table, column, row), 0);
        assert_int_equal(tm_table_cell_uint64(table, column, row), 0);
        assert_true(tm_table_cell_double(table, column, row) == 0);
        assert_null(tm_table_cell_string(table, column, row));
    }
    assert_int_equal(tm_table_cell_int64(table, 2, 0), 0);
    assert_int_equal(tm_table_cell_uint64(table, 1, 1), 0);
    assert_null(tm_table_cell_string(table, 0, 0));
    assert_true(tm_table_cell_double(table, 5, 0) == 0);
    tm_table_free(table);
}

static void columns_of_an_empty_table_are_there(void **state)
{
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 0, NULL), TM_OK);
    assert_non_null(tm_table_int32(table, "small"));
    assert_non_null(tm_table_codes(table, "name"));
    assert_int_equal(tm_table_category_count(table, "name"), 0);
    tm_table_free(table);
}

static void caveats_are_reported_once(void **state)
{
    tm_table *table;

    (void)state;
    assert_int_equal(make_rows(&table, 0, NULL), TM_OK);
    assert_int_equal(tm_table_caveat_count(table), 2);
    assert_string_equal(tm_table_caveat(table, 0), "owners are inferred");
    assert_string_equal(tm_table_caveat(table, 1), "sleeps were not recorded");
    tm_table_free(table);
}

static int make_names(tm_table **out, const char *const *names, size_t count,
                      const tm_allocator *hook)
{
    static const tm__column_spec name = {"name", TM_TYPE_STRING, 0, 0};
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"names", &name, 1}, 0, hook);
    for (size_t i = 0; i < count; i++)
        tm__put_text(&builder, names[i]);
    return tm__builder_finish(&builder, out);
}

static void equal_texts_share_a_code_wherever_they_stand(void **state)
{
    static const tm__column_spec name = {"name", TM_TYPE_STRING, 0, 0};
    char first[8] = "alike", second[8] = "alike", changing[16];
    tm__builder builder;
    tm_table *table;
    const int32_t *codes;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"names", &name, 1}, 0, NULL);
    tm__put_string(&builder, first);
    tm__put_string(&builder, second);
    tm__put_text(&builder, "alike");
    for (int i = 0; i < 2000; i++) {
        snprintf(changing, sizeof(changing), "text %d", i % 1000);
        tm__put_text(&builder, changing);
    }
    tm__put_string(&builder, first);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    codes = tm_table_codes(table, "name");
    assert_int_equal(tm_table_category_count(table, "name"), 1001);
    assert_int_equal(codes[0], 0);
    assert_int_equal(codes[1], 0);
    assert_int_equal(codes[2], 0);
    assert_int_equal(codes[2003], 0);
    for (int i = 0; i < 2000; i++) {
        snprintf(changing, sizeof(changing), "text %d", i % 1000);
        assert_int_equal(codes[3 + i], i % 1000 + 1);
        assert_string_equal(tm_table_category(table, "name", codes[3 + i]), changing);
    }
    tm_table_free(table);
}

static void strings_that_are_not_utf8_are_repaired(void **state)
{
    static const char *const names[] = {"pool-\xff", "pool-\xef\xbf\xbd",
                                        "\xed\xa0\x80"};
    tm_table *table;

    (void)state;
    assert_int_equal(make_names(&table, names, 3, NULL), TM_OK);
    assert_string_equal(tm_table_string(table, "name", 0), names[1]);
    assert_int_equal(tm_table_codes(table, "name")[0], 0);
    assert_int_equal(tm_table_codes(table, "name")[1], 0);
    assert_string_equal(tm_table_string(table, "name", 2),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    tm_table_free(table);
}

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
    /* Numbers below 0 are no text. */
    assert_int_equal(make_rows(&table, 1, NULL), TM_OK);
    clear_page(-1);
    assert_int_equal(tm_table_write_sheet(table, take, &page), TM_OK);
    assert_non_null(strstr(page.text, "\r\n-5,0,"));
    tm_table_free(table);
}

static void no_separator_in_a_sheet_begins_a_formula(void **state)
{
    /* What a name is, and what the sheet has in its cell. */
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

static void misuse_of_a_builder_fails_at_its_finish(void **state)
{
    tm__builder builder;
    tm_table *table = (tm_table *)&builder;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__put_string(&builder, "not a number");
    tm__put_int64(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(),
                        "table rows: column small is of type 1, not 6");

    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__put_int32(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_EINVAL);
    assert_null(table);
    assert_string_equal(tm_error_text(), "table rows: row 0 ends before column large");

    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    tm__builder_expect(&builder, SIZE_MAX);
    put_row(&builder, 0);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_ELIMIT);
    assert_null(table);
    assert_string_equal(tm_error_text(), "table rows: more than 2147483647 rows");

    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      NULL);
    put_row(&builder, 0);
    tm__builder_abandon(&builder);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    static const char *const names[] = {"one", "pool-\xff", "two", "three"};
    static const uint64_t numbers[] = {99, 0, 50};
    int is_done = 0;

    (void)state;
    for (size_t allowed = 0; !is_done; allowed++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, allowed);
        tm_table *rows = NULL, *named = NULL, *blank = NULL, *some = NULL;
        int status = make_rows(&rows, 100, &hook);

        if (status == TM_OK)
            check_rows(rows, NULL, 100);
        if (status == TM_OK)
            status = make_names(&named, names, 4, &hook);
        if (status == TM_OK)
            status = make_blank_rows(&blank, 100, &hook);
        if (status == TM_OK)
            status = tm_table_gather(&some, rows, numbers, 3);
        assert_int_equal(status, scarce.has_failed ? TM_ENOMEM : TM_OK);
        is_done = status == TM_OK;
        tm_table_free(rows);
        tm_table_free(named);
        tm_table_free(blank);
        tm_table_free(some);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

static void how_much_a_table_needs_is_reported(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, 2);
    tm__builder builder;
    tm_table *table;

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"rows", all_types, ALL_TYPES}, 0,
                      &hook);
    tm__builder_expect(&builder, 8000);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_ENOMEM);
    assert_null(table);
    /* Three columns of 8 bytes a row, two of 4, one of a bit. */
    assert_string_equal(tm_error_text(),
                        "table rows: out of memory: 8000 rows, 257000 bytes");
    assert_int_equal(scarce.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_by_name),
        cmocka_unit_test(a_blank_column_is_null_or_zero_in_every_row),
        cmocka_unit_test(a_column_that_is_not_wanted_is_null_in_every_row),
        cmocka_unit_test(gathered_rows_come_in_the_order_asked_for),
        cmocka_unit_test(gathered_rows_keep_blanks_and_only_their_own_texts),
        cmocka_unit_test(marks_are_kept_by_rows_that_have_one_of_the_values),
        cmocka_unit_test(a_row_that_is_not_there_cannot_be_gathered),
        cmocka_unit_test(a_blank_column_takes_no_value_and_no_other_is_passed_over),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(cells_are_read_by_the_number_of_a_column),
        cmocka_unit_test(a_cell_that_is_not_there_is_null),
        cmocka_unit_test(columns_of_an_empty_table_are_there),
        cmocka_unit_test(caveats_are_reported_once),
        cmocka_unit_test(equal_texts_share_a_code_wherever_they_stand),
        cmocka_unit_test(strings_that_are_not_utf8_are_repaired),
        cmocka_unit_test(csv_is_rfc_4180),
        cmocka_unit_test(a_sheet_is_csv_in_which_no_text_is_a_formula),
        cmocka_unit_test(no_separator_in_a_sheet_begins_a_formula),
        cmocka_unit_test(json_is_an_array_of_rows),
        cmocka_unit_test(doubles_are_short_and_read_back_the_same),
        cmocka_unit_test(what_is_no_number_is_null_in_json_and_named_in_csv),
        cmocka_unit_test(writers_call_seldom_and_relay_the_first_failure),
        cmocka_unit_test(long_texts_are_written_whole),
        cmocka_unit_test(misuse_of_a_builder_fails_at_its_finish),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(how_much_a_table_needs_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
