/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table whose columns are blank. */
#ifndef TEST_BLANK_ROWS_H
#define TEST_BLANK_ROWS_H

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

static inline int bit(const uint8_t *bits, int r)
{
    return bits[r / 8] >> r % 8 & 1;
}

static inline void check_rows(const tm_table *table, const int *order, int rows)
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

/* Rows of three columns, the outer ones blank. */
static inline int make_blank_rows(tm_table **out, int rows, const tm_allocator *hook)
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

#endif
