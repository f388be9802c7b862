/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV as RFC 4180 has it. A null is an empty field, an empty string "" in quotes,
 * so that the two can be distinguished by those who care.
 */
#include <string.h>

#include "base/error.h"
#include "table/chunks.h"
#include "table/table.h"

/* What spreadsheets take for a formula, and begin at a tab or a line's end anew. */
static int runs_in_a_sheet(const char *text)
{
    return *text && strchr("=+-@\t\r\n", *text);
}

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

static int write_all(const tm_table *table, tm_write_fn write, void *payload,
                     void (*put_text)(tm__chunks *chunks, const char *text))
{
    const tm__spelling spelling = {put_text, "", "NaN", "inf", "-inf"};
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
            tm__chunks_value(&chunks, &table->columns[i], row, &spelling);
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
