/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a table. Columns are asked for by name, once a question, and then read
 * as arrays; a table has at most some sixty of them, so a name is compared with
 * each in turn.
 */
#include "table/table.h"

#include <string.h>

#include "base/error.h"

const tm__column *tm__table_column(const tm_table *table, size_t column)
{
    return table && column < table->column_count ? &table->columns[column] : NULL;
}

int tm__column_is_null(const tm__column *column, size_t row)
{
    return column->validity && !(column->validity[row / 8] >> row % 8 & 1);
}

size_t tm__bitmap_bytes(size_t rows)
{
    return rows / 8 + (rows % 8 != 0);
}

size_t tm__column_bytes(int type, size_t rows)
{
    switch (type) {
    case TM_TYPE_BOOL: return tm__bitmap_bytes(rows);
    case TM_TYPE_INT32:
    case TM_TYPE_STRING: return rows * sizeof(int32_t);
    default: return rows * sizeof(int64_t);
    }
}

const void *tm__column_values(const tm__column *column)
{
    static const uint64_t nothing;

    return column->values ? column->values : &nothing;
}

const tm_table *tm__table_hold(const tm_table *table)
{
    /* Only the values are const to a reader; the holders are the library's. */
    atomic_fetch_add_explicit(&((tm_table *)table)->holders, 1, memory_order_relaxed);
    return table;
}

const tm__column *tm__column_named(const tm_table *table, const char *name)
{
    if (!table || !name)
        return NULL;
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return &table->columns[i];
    return NULL;
}

static const tm__column *named_typed(const tm_table *table, const char *name, int type)
{
    const tm__column *column = tm__column_named(table, name);

    return column && column->type == type ? column : NULL;
}

static const void *values(const tm_table *table, const char *name, int type)
{
    const tm__column *column = named_typed(table, name, type);

    return column ? tm__column_values(column) : NULL;
}

const char *tm_table_name(const tm_table *table)
{
    return table ? table->name : NULL;
}

size_t tm_table_row_count(const tm_table *table)
{
    return table ? table->row_count : 0;
}

size_t tm_table_column_count(const tm_table *table)
{
    return table ? table->column_count : 0;
}

const char *tm_table_column_name(const tm_table *table, size_t column)
{
    const tm__column *found = tm__table_column(table, column);

    return found ? found->name : NULL;
}

int tm_table_column_type(const tm_table *table, size_t column)
{
    const tm__column *found = tm__table_column(table, column);

    return found ? found->type
                 : tm__fail(TM_EINVAL,
                            "column %zu is out of range: the table has %zu columns",
                            column, tm_table_column_count(table));
}

const int32_t *tm_table_int32(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_INT32);
}

const int64_t *tm_table_int64(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_INT64);
}

const uint64_t *tm_table_uint64(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_UINT64);
}

const double *tm_table_double(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_DOUBLE);
}

const uint8_t *tm_table_bool(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_BOOL);
}

const int32_t *tm_table_codes(const tm_table *table, const char *column)
{
    return values(table, column, TM_TYPE_STRING);
}

size_t tm_table_category_count(const tm_table *table, const char *column)
{
    const tm__column *found = named_typed(table, column, TM_TYPE_STRING);

    return found ? found->dictionary.count : 0;
}

const char *tm_table_category(const tm_table *table, const char *column, int32_t code)
{
    const tm__column *found = named_typed(table, column, TM_TYPE_STRING);

    return found ? tm__dictionary_text(&found->dictionary, code) : NULL;
}

static const char *string_in(const tm_table *table, const tm__column *column,
                             size_t row)
{
    if (!column || column->type != TM_TYPE_STRING || row >= table->row_count)
        return NULL;
    return tm__dictionary_text(&column->dictionary,
                               ((const int32_t *)column->values)[row]);
}

static int is_null(const tm_table *table, const tm__column *column, size_t row)
{
    return !column || row >= table->row_count || tm__column_is_null(column, row);
}

const char *tm_table_string(const tm_table *table, const char *column, size_t row)
{
    return string_in(table, tm__column_named(table, column), row);
}

int tm_table_is_null(const tm_table *table, const char *column, size_t row)
{
    return is_null(table, tm__column_named(table, column), row);
}

const uint8_t *tm_table_validity(const tm_table *table, const char *column)
{
    const tm__column *found = tm__column_named(table, column);

    return found ? found->validity : NULL;
}

int tm_table_column(const tm_table *table, const char *column)
{
    const tm__column *found;

    TM__CHECK(table);
    TM__CHECK(column);
    found = tm__column_named(table, column);
    return found ? (int)(found - table->columns)
                 : tm__fail(TM_ENOTFOUND, "table %s has no column %.200s", table->name,
                            column);
}

/* A column in which a row has a value; NULL: it has none. */
static const tm__column *with_value(const tm_table *table, int column, size_t row)
{
    const tm__column *found =
        column < 0 ? NULL : tm__table_column(table, (size_t)column);

    return is_null(table, found, row) ? NULL : found;
}

int64_t tm_table_cell_int64(const tm_table *table, int column, size_t row)
{
    const tm__column *found = with_value(table, column, row);

    if (!found)
        return 0;
    switch (found->type) {
    case TM_TYPE_INT32: return ((const int32_t *)found->values)[row];
    case TM_TYPE_INT64: return ((const int64_t *)found->values)[row];
    case TM_TYPE_BOOL: return ((const uint8_t *)found->values)[row / 8] >> row % 8 & 1;
    default: return 0;
    }
}

uint64_t tm_table_cell_uint64(const tm_table *table, int column, size_t row)
{
    const tm__column *found = with_value(table, column, row);

    return found && found->type == TM_TYPE_UINT64
               ? ((const uint64_t *)found->values)[row]
               : 0;
}

double tm_table_cell_double(const tm_table *table, int column, size_t row)
{
    const tm__column *found = with_value(table, column, row);

    if (!found)
        return 0;
    switch (found->type) {
    case TM_TYPE_DOUBLE: return ((const double *)found->values)[row];
    case TM_TYPE_UINT64: return (double)((const uint64_t *)found->values)[row];
    default: return (double)tm_table_cell_int64(table, column, row);
    }
}

const char *tm_table_cell_string(const tm_table *table, int column, size_t row)
{
    return string_in(table, with_value(table, column, row), row);
}

int tm_table_cell_is_null(const tm_table *table, int column, size_t row)
{
    return !with_value(table, column, row);
}

size_t tm_table_caveat_count(const tm_table *table)
{
    return table ? table->caveats.count : 0;
}

const char *tm_table_caveat(const tm_table *table, size_t index)
{
    return table && index < table->caveats.count
               ? tm__strings_get(&table->caveats, (uint32_t)index)
               : NULL;
}

void tm_table_free(tm_table *table)
{
    tm__memory memory;

    if (!table ||
        atomic_fetch_sub_explicit(&table->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < table->column_count; i++) {
        tm__column *column = &table->columns[i];

        tm__dictionary_free(&column->dictionary, &table->memory);
        if (column->blank)
            continue;
        tm__free(&table->memory, column->values,
                 tm__column_bytes(column->type, column->capacity));
        tm__free(&table->memory, column->validity,
                 tm__bitmap_bytes(column->validity_capacity));
    }
    tm__free(&table->memory, table->blank, table->row_count * sizeof(int64_t));
    tm__free(&table->memory, table->no_codes,
             tm__column_bytes(TM_TYPE_STRING, table->row_count));
    tm__free(&table->memory, table->columns,
             table->column_count * sizeof(*table->columns));
    tm__strings_clear(&table->caveats);
    memory = table->memory;
    tm__free(&memory, table, sizeof(*table));
}
