/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a table that have some values in a column: millions of rows, and seldom
 * more than a dozen values. Each row is one look at its value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "table/table.h"

/** The values that are looked for. */
typedef struct sought {
    const int64_t *values; ///< rising
    size_t count;
} sought;

static int by_value(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return l < r ? -1 : l > r;
}

static int has(const sought *it, int64_t value)
{
    size_t low = 0, high = it->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (it->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < it->count && it->values[low] == value;
}

static int64_t value_at(const tm__column *column, size_t row)
{
    switch (column->type) {
    case TM_TYPE_INT64: return ((const int64_t *)column->values)[row];
    case TM_TYPE_UINT64: return (int64_t)((const uint64_t *)column->values)[row];
    case TM_TYPE_BOOL: return ((const uint8_t *)column->values)[row / 8] >> row % 8 & 1;
    default: return ((const int32_t *)column->values)[row];
    }
}

static void clear(const tm_table *table, const tm__column *column, const sought *it,
                  int with_null, uint8_t *marks)
{
    int64_t last = 0;
    int last_has = has(it, 0);

    for (size_t row = 0; row < table->row_count; row++) {
        int64_t value;

        if (!marks[row])
            continue;
        if (tm__column_is_null(column, row)) {
            marks[row] = with_null != 0;
            continue;
        }
        value = value_at(column, row);
        if (value != last) {
            last = value;
            last_has = has(it, value);
        }
        marks[row] = (uint8_t)last_has;
    }
}

int tm_table_mark(uint8_t *marks, const tm_table *table, const char *column,
                  const int64_t *values, size_t count, int with_null)
{
    const tm__column *found;
    sought it = {.count = count};
    tm__memory memory;
    int64_t *sorted;

    TM__CHECK(table);
    TM__CHECK(marks || !table->row_count);
    TM__CHECK(values || !count);
    found = tm__column_named(table, column);
    if (!found || found->type == TM_TYPE_DOUBLE)
        return tm__fail(TM_EINVAL, "table %s has no column %.100s of whole numbers",
                        table->name, column ? column : "(null)");
    tm__memory_init(&memory, &table->memory.hook);
    sorted = tm__resize(&memory, NULL, 0, (count + 1) * sizeof(*sorted));
    if (!sorted)
        return TM_ENOMEM;
    if (count)
        memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_value);
    it.values = sorted;
    clear(table, found, &it, with_null, marks);
    tm__free(&memory, sorted, (count + 1) * sizeof(*sorted));
    return TM_OK;
}
