/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table with a column of each type. */
#ifndef TEST_TABLE_ROWS_H
#define TEST_TABLE_ROWS_H

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
static inline void put_row(tm__builder *builder, int r)
{
    r % 7 == 1 ? tm__put_null(builder) : tm__put_int32(builder, r - 5);
    r % 7 == 2 ? tm__put_null(builder)
               : tm__put_int64(builder, r * -(INT64_C(1) << 40));
    r % 7 == 3 ? tm__put_null(builder) : tm__put_uint64(builder, UINT64_MAX - r);
    r % 7 == 4 ? tm__put_null(builder) : tm__put_double(builder, r / 4.0);
    r % 7 == 5 ? tm__put_null(builder) : tm__put_bool(builder, r % 3 == 0);
    tm__put_string(builder, r % 7 == 6 ? NULL : interned[r % 4]);
}

static inline int make_rows(tm_table **out, int rows, const tm_allocator *hook)
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

static inline int make_names(tm_table **out, const char *const *names, size_t count,
                             const tm_allocator *hook)
{
    static const tm__column_spec name = {"name", TM_TYPE_STRING, 0, 0};
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"names", &name, 1}, 0, hook);
    for (size_t i = 0; i < count; i++)
        tm__put_text(&builder, names[i]);
    return tm__builder_finish(&builder, out);
}

#endif
