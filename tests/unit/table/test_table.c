/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: what is put in comes out, by name, as CSV and as JSON. */
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
    assert_int_equal(tm__builder_close(&builder, &table, TM_EIO), TM_EIO);
    assert_null(table);
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
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(cells_are_read_by_the_number_of_a_column),
        cmocka_unit_test(a_cell_that_is_not_there_is_null),
        cmocka_unit_test(columns_of_an_empty_table_are_there),
        cmocka_unit_test(caveats_are_reported_once),
        cmocka_unit_test(equal_texts_share_a_code_wherever_they_stand),
        cmocka_unit_test(strings_that_are_not_utf8_are_repaired),
        cmocka_unit_test(misuse_of_a_builder_fails_at_its_finish),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(how_much_a_table_needs_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
