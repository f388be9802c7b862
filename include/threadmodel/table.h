/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/table.h: the answer to every question.
 *
 * A table is immutable, columnar and yours: it does not change when the model receives
 * more events, and outlives it. Any number of threads may read one. Its columns are
 * listed at the function that makes it and described in docs/tables.md. Null means not
 * known unless another meaning is stated. Later releases may add columns and never
 * change one, so look columns up by name, once per table.
 */
#ifndef THREADMODEL_TABLE_H
#define THREADMODEL_TABLE_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

typedef struct tm_table tm_table;

/** Types of columns. */
enum tm_type {
    TM_TYPE_INT32 = 1,
    TM_TYPE_INT64 = 2,
    TM_TYPE_UINT64 = 3,
    TM_TYPE_DOUBLE = 4,
    TM_TYPE_BOOL = 5,  ///< one bit a row, lowest first, as Arrow has it
    TM_TYPE_STRING = 6 ///< an int32 code a row into a dictionary of UTF-8 strings
};

/** Where a writer puts its bytes. Returns TM_OK or a negative code. */
typedef int (*tm_write_fn)(void *payload, const char *bytes, size_t count);

/** @return the name of the table, "locks" for instance. @since 0.1 */
TM_API const char *tm_table_name(const tm_table *table);

/** @return how many rows it has. @since 0.1 */
TM_API size_t tm_table_row_count(const tm_table *table);

/** @return how many columns it has. @since 0.1 */
TM_API size_t tm_table_column_count(const tm_table *table);

/** @return the name of a column; NULL when `column` is out of range. @since 0.1 */
TM_API const char *tm_table_column_name(const tm_table *table, size_t column);

/** @return enum tm_type of a column; TM_EINVAL when out of range. @since 0.1 */
TM_API int tm_table_column_type(const tm_table *table, size_t column);

/**
 * The values of a column, one a row, lent until the table is freed. A value
 * whose row is null (tm_table_is_null) is 0.
 *
 * @return NULL when there is no column of that name and type
 * @since 0.1
 */
TM_API const int32_t *tm_table_int32(const tm_table *table, const char *column);
TM_API const int64_t *tm_table_int64(const tm_table *table, const char *column);
TM_API const uint64_t *tm_table_uint64(const tm_table *table, const char *column);
TM_API const double *tm_table_double(const tm_table *table, const char *column);
/** Packed bits: row r is bit r % 8 of byte r / 8. */
TM_API const uint8_t *tm_table_bool(const tm_table *table, const char *column);
/** Codes of a string column, for tm_table_category(); -1 where the row is null. */
TM_API const int32_t *tm_table_codes(const tm_table *table, const char *column);

/** @return how many distinct strings a string column has; 0 for others. @since 0.1 */
TM_API size_t tm_table_category_count(const tm_table *table, const char *column);

/** @return the string of a code, lent; NULL when there is none. @since 0.1 */
TM_API const char *tm_table_category(const tm_table *table, const char *column,
                                     int32_t code);

/** @return the string in a row, lent; NULL when null or not there. @since 0.1 */
TM_API const char *tm_table_string(const tm_table *table, const char *column,
                                   size_t row);

/** @return 1 when the value is null or not there, else 0. @since 0.1 */
TM_API int tm_table_is_null(const tm_table *table, const char *column, size_t row);

/**
 * Bits that say which rows of a column are not null, packed as for bool.
 *
 * @return lent; NULL when no row is null or there is no such column
 * @since 0.1
 */
TM_API const uint8_t *tm_table_validity(const tm_table *table, const char *column);

/**
 * The number of a column, for a loop over rows that is not to look names up:
 *
 *     int thread = tm_table_column(table, "thread");
 *     for (size_t row = 0; row < tm_table_row_count(table); row++)
 *         puts(tm_table_cell_string(table, thread, row));
 *
 * @return from 0 on, as tm_table_column_name() has it; TM_ENOTFOUND, a number with
 *         which every cell is null
 * @since 0.1
 */
TM_API int tm_table_column(const tm_table *table, const char *column);

/**
 * The value in a row of a column by its number; 0 or NULL where it is null, not there
 * or of another type: int64 reads TM_TYPE_INT32, INT64 and BOOL, double reads these,
 * UINT64 and DOUBLE.
 *
 * @since 0.1
 */
TM_API int64_t tm_table_cell_int64(const tm_table *table, int column, size_t row);
TM_API uint64_t tm_table_cell_uint64(const tm_table *table, int column, size_t row);
TM_API double tm_table_cell_double(const tm_table *table, int column, size_t row);
/** Lent until the table is freed. */
TM_API const char *tm_table_cell_string(const tm_table *table, int column, size_t row);

/** @return 1 when the value is null or not there, else 0. @since 0.1 */
TM_API int tm_table_cell_is_null(const tm_table *table, int column, size_t row);

/** @return how many sentences say what this answer cannot show. @since 0.1 */
TM_API size_t tm_table_caveat_count(const tm_table *table);

/** @return one of these sentences, lent; NULL when out of range. @since 0.1 */
TM_API const char *tm_table_caveat(const tm_table *table, size_t index);

/**
 * Gather some rows into a table of their own, in the order of their numbers; a number
 * may come again. Name, columns and caveats are those of the table.
 *
 * @param[out] out  the rows, yours: tm_table_free() it; NULL on failure
 * @param table     may be freed afterwards
 * @param rows      numbers from 0 on; NULL is fine for none
 * @param count     of the numbers
 * @return TM_OK, TM_EINVAL for a row that there is not, TM_ELIMIT or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_table_gather(tm_table **out, const tm_table *table, const uint64_t *rows,
                           size_t count);

/**
 * Take the marks off all rows whose value in a column is none of some. Several columns
 * are conditions that hold together:
 *     memset(marks, 1, tm_table_row_count(table));
 *     tm_table_mark(marks, table, "thread_id", (const int64_t[]){7}, 1, 0);
 * @param marks      a byte a row, 0: it is not marked; changed
 * @param table      asked
 * @param column     of any type but TM_TYPE_DOUBLE
 * @param values     looked for: of strings codes, of TM_TYPE_UINT64 the same bits
 * @param count      of values; they may be NULL for none
 * @param with_null  1: rows without a value keep their marks, too
 * @return TM_OK, TM_EINVAL (no such column) or TM_ENOMEM, and then no mark is changed
 * @since 0.1
 */
TM_API int tm_table_mark(uint8_t *marks, const tm_table *table, const char *column,
                         const int64_t *values, size_t count, int with_null);

/**
 * Write the table as CSV (RFC 4180: a header line, CRLF, quotes where needed;
 * null is an empty field).
 *
 * @return TM_OK, or what `write` returned
 * @since 0.1
 */
TM_API int tm_table_write_csv(const tm_table *table, tm_write_fn write, void *payload);

/**
 * Write the same for a spreadsheet. Names come from the recorded program, and a
 * spreadsheet runs text that begins with = + - or @ as a formula, in full width as
 * well: such text, and what begins with a tab or a line's end, gets an apostrophe
 * before it. So does such text behind a semicolon, a tab or a line's end: another cell
 * may begin there.
 *
 * @return TM_OK, or what `write` returned
 * @since 0.1
 */
TM_API int tm_table_write_sheet(const tm_table *table, tm_write_fn write,
                                void *payload);

/**
 * Write the rows as a JSON array of objects, one a row, keys in column order.
 * Strings that are not UTF-8 are repaired with U+FFFD.
 *
 * @return TM_OK, or what `write` returned
 * @since 0.1
 */
TM_API int tm_table_write_json(const tm_table *table, tm_write_fn write, void *payload);

/** Free a table. NULL is fine. @since 0.1 */
TM_API void tm_table_free(tm_table *table);

TM_END_DECLS

#endif
