/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a table. It is written once, by a builder; from then on it is read
 * only, but for the count of those who hold it: its owner and every piece of it
 * that an Arrow consumer has not released yet.
 */
#ifndef TM_TABLE_TABLE_H
#define TM_TABLE_TABLE_H

#include <stdatomic.h>

#include <threadmodel/table.h>

#include "base/memory.h"
#include "base/strings.h"
#include "table/dictionary.h"

typedef struct tm__column {
    const char *name;
    int type;          ///< enum tm_type
    uint32_t capacity; ///< rows for which values has room
    uint32_t validity_capacity;
    uint32_t unwanted; ///< so many from here on are TM__UNWANTED
    size_t null_count;
    void *values;              ///< NULL while no row was put
    uint8_t *validity;         ///< NULL while no row is null
    tm__dictionary dictionary; ///< of a string column
    uint8_t blank;             ///< enum tm__blank: its memory is the table's blank
} tm__column;

/** Columns that are the same in every row. A value for a column that is not wanted is
 * ignored, and the column is null. */
enum tm__blank { TM__NOT_BLANK, TM__ALL_ZERO, TM__ALL_NULL, TM__UNWANTED };

struct tm_table {
    atomic_size_t holders;
    tm__memory memory;
    const char *name;
    tm__column *columns;
    size_t column_count;
    size_t row_count;
    void *blank;       ///< zeros, a word a row; NULL where no column is blank
    int32_t *no_codes; ///< -1 a row; NULL where no column of strings is blank
    tm__strings caveats;
};

/** A column by its number. @return NULL when out of range */
const tm__column *tm__table_column(const tm_table *table, size_t column);

/** @return whether a row that exists is null */
int tm__column_is_null(const tm__column *column, size_t row);

/** Bytes that `rows` values of a column take. */
size_t tm__column_bytes(int type, size_t rows);

/** Bytes that one bit a row takes. */
size_t tm__bitmap_bytes(size_t rows);

/** A column's values, or a readable nothing when it has none. */
const void *tm__column_values(const tm__column *column);

/** @return the column of a name, or NULL. Either may be NULL */
const tm__column *tm__column_named(const tm_table *table, const char *name);

/** Hold a table: it lives until as many tm_table_free() as there are holders. */
const tm_table *tm__table_hold(const tm_table *table);

#endif
