/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are chosen from a table, and columns that are blank. */
#include "support/blank_rows.h"

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

/* The column is null whatever is put, and whether it is passed over one by one or
 * together. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blank_column_is_null_or_zero_in_every_row),
        cmocka_unit_test(a_column_that_is_not_wanted_is_null_in_every_row),
        cmocka_unit_test(gathered_rows_come_in_the_order_asked_for),
        cmocka_unit_test(gathered_rows_keep_blanks_and_only_their_own_texts),
        cmocka_unit_test(marks_are_kept_by_rows_that_have_one_of_the_values),
        cmocka_unit_test(a_row_that_is_not_there_cannot_be_gathered),
        cmocka_unit_test(a_blank_column_takes_no_value_and_no_other_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
