/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a table. A put is a few ns, as a timeline of ten million rows has a
 * hundred million of them: all columns grow together, once for many rows; the bit
 * that says "not null" is set when its memory is made, so only a null writes it.
 */
#include "table/builder.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "table/table.h"
#include "table/table_room.h"

/* Arrow counts rows in 64 bits, but an int32 row number must reach every row. */
static const size_t MAX_ROWS = INT32_MAX;

static void fail(tm__builder *builder, int code)
{
    tm_table_free(builder->table);
    builder->table = NULL;
    builder->failed = code;
}

void tm__builder_start(tm__builder *builder, const tm__table_spec *spec, uint32_t keys,
                       const tm_allocator *hook)
{
    *builder = (tm__builder){0};
    builder->table = tm__table_new(spec, keys, hook);
    if (!builder->table)
        builder->failed = TM_ENOMEM;
}

static int grow(tm__builder *builder, size_t rows)
{
    tm_table *table = builder->table;
    size_t grown = builder->capacity + builder->capacity / 2 + 16;

    if (rows > MAX_ROWS)
        return tm__fail(TM_ELIMIT, "table %s: more than %zu rows", table->name,
                        MAX_ROWS);
    if (grown < rows)
        grown = rows;
    if (grown > MAX_ROWS)
        grown = MAX_ROWS;
    for (size_t i = 0; i < table->column_count; i++)
        if (!table->columns[i].blank &&
            tm__column_grow(&table->columns[i], &table->memory, (uint32_t)grown) < 0)
            return tm__fail(TM_ENOMEM, "table %s: out of memory: %zu rows, %zu bytes",
                            table->name, grown, tm__rows_bytes(table, grown));
    builder->capacity = (uint32_t)grown;
    return TM_OK;
}

void tm__builder_expect(tm__builder *builder, size_t rows)
{
    size_t needed;
    int status;

    if (builder->failed)
        return;
    needed = rows > MAX_ROWS ? SIZE_MAX : builder->table->row_count + rows;
    status = needed > builder->capacity ? grow(builder, needed) : TM_OK;
    if (status < 0)
        fail(builder, status);
}

static void advance(tm__builder *builder)
{
    if (++builder->column == builder->table->column_count) {
        builder->column = 0;
        builder->table->row_count++;
    }
}

/* A column that is not as a value wants it: its value is passed over, or is a fault.
 * Not inlined, for that is seldom, and the way around it is gone for each value. */
static __attribute__((noinline)) void pass_or_fail(tm__builder *builder, int is_blank)
{
    const tm__column *column = &builder->table->columns[builder->column];

    if (column->blank == TM__UNWANTED)
        advance(builder);
    else
        fail(builder,
             tm__fail(TM_EINVAL, "table %s: column %s is %sblank", builder->table->name,
                      column->name, is_blank ? "not " : ""));
}

/* The column that the next value goes to, with room for it; NULL after a failure, and
 * where the value is passed over. */
static tm__column *next_column(tm__builder *builder, int is_blank)
{
    tm_table *table = builder->table;
    tm__column *column;

    if (builder->failed)
        return NULL;
    if (table->row_count >= builder->capacity) {
        int status = grow(builder, table->row_count + 1);

        if (status < 0) {
            fail(builder, status);
            return NULL;
        }
    }
    column = &table->columns[builder->column];
    if ((column->blank != TM__NOT_BLANK) == is_blank && column->blank != TM__UNWANTED)
        return column;
    pass_or_fail(builder, is_blank);
    return NULL;
}

static tm__column *next_column_of(tm__builder *builder, int type)
{
    tm__column *column = next_column(builder, 0);

    if (column && column->type != type) {
        fail(builder, tm__fail(TM_EINVAL, "table %s: column %s is of type %d, not %d",
                               builder->table->name, column->name, column->type, type));
        return NULL;
    }
    return column;
}

void tm__put_int32(tm__builder *builder, int32_t value)
{
    tm__column *column = next_column_of(builder, TM_TYPE_INT32);

    if (!column)
        return;
    ((int32_t *)column->values)[builder->table->row_count] = value;
    advance(builder);
}

void tm__put_int64(tm__builder *builder, int64_t value)
{
    tm__column *column = next_column_of(builder, TM_TYPE_INT64);

    if (!column)
        return;
    ((int64_t *)column->values)[builder->table->row_count] = value;
    advance(builder);
}

void tm__put_uint64(tm__builder *builder, uint64_t value)
{
    tm__column *column = next_column_of(builder, TM_TYPE_UINT64);

    if (!column)
        return;
    ((uint64_t *)column->values)[builder->table->row_count] = value;
    advance(builder);
}

void tm__put_double(tm__builder *builder, double value)
{
    tm__column *column = next_column_of(builder, TM_TYPE_DOUBLE);

    if (!column)
        return;
    ((double *)column->values)[builder->table->row_count] = value;
    advance(builder);
}

static void write_bit(uint8_t *bits, size_t row, int value)
{
    /* The first bit of a byte clears those after it, which nobody wrote yet. */
    if (row % 8 == 0)
        bits[row / 8] = 0;
    bits[row / 8] |= (uint8_t)((value != 0) << row % 8);
}

void tm__put_bool(tm__builder *builder, int value)
{
    tm__column *column = next_column_of(builder, TM_TYPE_BOOL);

    if (!column)
        return;
    write_bit(column->values, builder->table->row_count, value);
    advance(builder);
}

static void put_code(tm__builder *builder, tm__column *column, int32_t code)
{
    if (code < 0) {
        fail(builder, code);
        return;
    }
    ((int32_t *)column->values)[builder->table->row_count] = code;
    advance(builder);
}

void tm__put_string(tm__builder *builder, const char *text)
{
    tm__column *column = next_column_of(builder, TM_TYPE_STRING);

    if (!column)
        return;
    if (text)
        put_code(builder, column,
                 tm__dictionary_put_address(&column->dictionary,
                                            &builder->table->memory, text));
    else
        tm__put_null(builder);
}

void tm__put_text(tm__builder *builder, const char *text)
{
    tm__column *column = next_column_of(builder, TM_TYPE_STRING);

    if (!column)
        return;
    if (text)
        put_code(
            builder, column,
            tm__dictionary_put(&column->dictionary, &builder->table->memory, text));
    else
        tm__put_null(builder);
}

void tm__put_null(tm__builder *builder)
{
    tm__column *column = next_column(builder, 0);
    size_t row;

    if (!column)
        return;
    row = builder->table->row_count;
    if (!column->validity && tm__column_grow_validity(column, &builder->table->memory,
                                                      column->capacity) < 0) {
        fail(builder, tm__failure());
        return;
    }
    column->validity[row / 8] &= (uint8_t) ~(1u << row % 8);
    column->null_count++;
    switch (column->type) {
    case TM_TYPE_BOOL: write_bit(column->values, row, 0); break;
    case TM_TYPE_STRING: ((int32_t *)column->values)[row] = -1; break;
    case TM_TYPE_INT32: ((int32_t *)column->values)[row] = 0; break;
    default: memset((int64_t *)column->values + row, 0, sizeof(int64_t));
    }
    advance(builder);
}

void tm__builder_blank(tm__builder *builder, size_t column, int is_null)
{
    if (!builder->failed)
        builder->table->columns[column].blank = is_null ? TM__ALL_NULL : TM__ALL_ZERO;
}

void tm__pass_blank(tm__builder *builder, uint32_t count)
{
    for (; count > 0 && next_column(builder, 1); count--)
        advance(builder);
}

void tm__builder_want(tm__builder *builder, const char *const *names, size_t count)
{
    tm_table *table = builder->table;

    if (builder->failed)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].blank = TM__UNWANTED;
    for (size_t i = 0; i < count; i++) {
        const tm__column *column = tm__column_named(table, names[i]);

        if (!column) {
            fail(builder, tm__fail(TM_ENOTFOUND, "table %s has no column %.200s",
                                   table->name, names[i] ? names[i] : "NULL"));
            return;
        }
        table->columns[column - table->columns].blank = TM__NOT_BLANK;
    }
    for (size_t i = table->column_count, run = 0; i-- > 0;) {
        run = table->columns[i].blank == TM__UNWANTED ? run + 1 : 0;
        table->columns[i].unwanted = (uint32_t)run;
    }
}

int tm__pass_unwanted(tm__builder *builder, uint32_t count)
{
    if (builder->failed || builder->table->columns[builder->column].unwanted < count)
        return 0;
    builder->column += count - 1;
    advance(builder);
    return 1;
}

static int fill_no_codes(tm_table *table)
{
    size_t bytes = tm__column_bytes(TM_TYPE_STRING, table->row_count);

    table->no_codes = tm__resize(&table->memory, NULL, 0, bytes);
    if (!table->no_codes)
        return TM_ENOMEM;
    memset(table->no_codes, 0xff, bytes);
    return TM_OK;
}

/* Columns that are the same in every row share their memory. */
static int fill_blanks(tm_table *table)
{
    size_t bytes = table->row_count * sizeof(int64_t);

    for (size_t i = 0; bytes > 0 && i < table->column_count; i++) {
        tm__column *column = &table->columns[i];
        int is_text = column->type == TM_TYPE_STRING;

        if (!column->blank)
            continue;
        if (!table->blank)
            table->blank = tm__zalloc(&table->memory, bytes);
        if (!table->blank)
            return TM_ENOMEM;
        if (is_text && !table->no_codes && fill_no_codes(table) < 0)
            return tm__failure();
        column->values = is_text ? table->no_codes : table->blank;
        if (column->blank == TM__ALL_ZERO)
            continue;
        column->validity = table->blank;
        column->null_count = table->row_count;
    }
    return TM_OK;
}

void tm__builder_caveat(tm__builder *builder, const char *sentence)
{
    size_t bytes = strlen(sentence), repaired_bytes;
    uint32_t index;
    char *repaired;
    int status;

    if (builder->failed)
        return;
    repaired_bytes = tm__utf8_repair(NULL, sentence, bytes);
    repaired = tm__resize(&builder->table->memory, NULL, 0, repaired_bytes + 1);
    if (!repaired) {
        fail(builder, tm__failure());
        return;
    }
    tm__utf8_repair(repaired, sentence, bytes);
    status = tm__strings_intern_bytes(&builder->table->caveats, &index, repaired,
                                      repaired_bytes);
    tm__free(&builder->table->memory, repaired, repaired_bytes + 1);
    if (status < 0)
        fail(builder, status);
}

int tm__builder_finish(tm__builder *builder, tm_table **out)
{
    tm_table *table = builder->table;

    *out = NULL;
    if (!builder->failed && builder->column != 0)
        fail(builder,
             tm__fail(TM_EINVAL, "table %s: row %zu ends before column %s", table->name,
                      table->row_count, table->columns[builder->column].name));
    for (size_t i = 0; !builder->failed && i < table->column_count; i++)
        if (table->columns[i].type == TM_TYPE_STRING &&
            tm__dictionary_finish(&table->columns[i].dictionary, &table->memory) < 0)
            fail(builder, tm__failure());
    if (!builder->failed && fill_blanks(table) < 0)
        fail(builder, tm__failure());
    if (builder->failed)
        return builder->failed;
    *out = table;
    builder->table = NULL;
    return TM_OK;
}

int tm__builder_close(tm__builder *builder, tm_table **out, int rc)
{
    if (rc < 0)
        fail(builder, rc);
    return tm__builder_finish(builder, out);
}
