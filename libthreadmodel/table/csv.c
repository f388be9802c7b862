/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV as RFC 4180 has it. A null is an empty field, an empty string "" in quotes,
 * so that the two can be told apart by those who care.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "table/chunks.h"
#include "table/table.h"

/* What spreadsheets take for a formula, and begin at a tab or a line's end anew. */
static int runs_in_a_sheet(const char *text)
{
    return *text && strchr("=+-@\t\r\n", *text);
}

typedef void (*text_fn)(tm__chunks *chunks, const char *text);

/* The rest of a text in quotes, and the quote behind it. */
static void write_quoted(tm__chunks *chunks, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "\"");

        tm__chunks_bytes(chunks, text, plain);
        text += plain;
        if (*text) {
            tm__chunks_bytes(chunks, "\"\"", 2);
            text++;
        }
    }
    tm__chunks_char(chunks, '"');
}

static void write_text(tm__chunks *chunks, const char *text)
{
    if (*text && !text[strcspn(text, ",\"\r\n")]) {
        tm__chunks_text(chunks, text);
        return;
    }
    tm__chunks_char(chunks, '"');
    write_quoted(chunks, text);
}

static void write_double(tm__chunks *chunks, double value)
{
    if (isnan(value))
        tm__chunks_text(chunks, "NaN");
    else if (isinf(value))
        tm__chunks_text(chunks, value < 0 ? "-inf" : "inf");
    else
        tm__chunks_double(chunks, value);
}

/* The apostrophe says that what follows is text; it goes into the quotes. */
static void write_sheet_text(tm__chunks *chunks, const char *text)
{
    if (!runs_in_a_sheet(text)) {
        write_text(chunks, text);
        return;
    }
    tm__chunks_text(chunks, "\"'");
    write_quoted(chunks, text);
}

static void write_value(tm__chunks *chunks, const tm__column *column, size_t row,
                        text_fn put_text)
{
    const void *values = column->values;

    if (tm__column_is_null(column, row))
        return;
    switch (column->type) {
    case TM_TYPE_INT32: tm__chunks_int64(chunks, ((const int32_t *)values)[row]); break;
    case TM_TYPE_INT64: tm__chunks_int64(chunks, ((const int64_t *)values)[row]); break;
    case TM_TYPE_UINT64:
        tm__chunks_uint64(chunks, ((const uint64_t *)values)[row]);
        break;
    case TM_TYPE_DOUBLE: write_double(chunks, ((const double *)values)[row]); break;
    case TM_TYPE_BOOL:
        tm__chunks_text(chunks, ((const uint8_t *)values)[row / 8] >> row % 8 & 1
                                    ? "true"
                                    : "false");
        break;
    default:
        put_text(chunks, tm__dictionary_text(&column->dictionary,
                                             ((const int32_t *)values)[row]));
    }
}

static int write_all(const tm_table *table, tm_write_fn write, void *payload,
                     text_fn put_text)
{
    tm__chunks chunks;

    TM__CHECK(table);
    TM__CHECK(write);
    tm__chunks_start(&chunks, write, payload);
    for (size_t i = 0; i < table->column_count; i++) {
        if (i > 0)
            tm__chunks_char(&chunks, ',');
        write_text(&chunks, table->columns[i].name);
    }
    tm__chunks_bytes(&chunks, "\r\n", 2);
    for (size_t row = 0; row < table->row_count && !chunks.failed; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            if (i > 0)
                tm__chunks_char(&chunks, ',');
            write_value(&chunks, &table->columns[i], row, put_text);
        }
        tm__chunks_bytes(&chunks, "\r\n", 2);
    }
    return tm__chunks_finish(&chunks);
}

int tm_table_write_csv(const tm_table *table, tm_write_fn write, void *payload)
{
    return write_all(table, write, payload, write_text);
}

int tm_table_write_sheet(const tm_table *table, tm_write_fn write, void *payload)
{
    return write_all(table, write, payload, write_sheet_text);
}
