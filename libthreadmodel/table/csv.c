/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV as RFC 4180 has it. A null is an empty field, an empty string "" in quotes,
 * so that the two can be distinguished by those who care.
 */
#include <string.h>

#include "base/error.h"
#include "table/chunks.h"
#include "table/table.h"

/*
 * Behind these a spreadsheet may begin another cell, also within our quotes: where ';'
 * separates columns a quote that does not begin a cell is a letter.
 */
#define BREAKS ";\t\r\n"

/* Beginnings that a spreadsheet takes for a formula: = + - @, in full width as well. */
static int runs_in_a_sheet(const char *text)
{
    static const char wide[][4] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                   "\xef\xbc\xa0"};

    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
        if (strncmp(text, wide[i], 3) == 0)
            return 1;
    return *text && strchr("=+-@\t\r", *text);
}

/* The same of what is behind a break. Quotes there are those of the cell. */
static int runs_behind(const char *text)
{
    return runs_in_a_sheet(text + strspn(text, "\""));
}

static int is_harmless(const char *text)
{
    if (*text == '\n' || runs_in_a_sheet(text))
        return 0;
    while (*(text += strcspn(text, BREAKS)))
        if (runs_behind(++text))
            return 0;
    return 1;
}

static void write_text(tm__chunks *chunks, const char *text)
{
    if (*text && !text[strcspn(text, ",\"\r\n")]) {
        tm__chunks_text(chunks, text);
        return;
    }
    tm__chunks_char(chunks, '"');
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

/* An apostrophe says that what follows is text; it goes into the quotes. */
static void write_sheet_text(tm__chunks *chunks, const char *text)
{
    if (is_harmless(text)) {
        write_text(chunks, text);
        return;
    }
    tm__chunks_char(chunks, '"');
    if (*text == '\n' || runs_in_a_sheet(text))
        tm__chunks_char(chunks, '\'');
    for (;;) {
        size_t plain = strcspn(text, "\"" BREAKS);

        tm__chunks_bytes(chunks, text, plain);
        text += plain;
        if (!*text)
            break;
        tm__chunks_char(chunks, *text);
        if (*text == '"')
            tm__chunks_char(chunks, '"');
        else if (runs_behind(text + 1))
            tm__chunks_char(chunks, '\'');
        text++;
    }
    tm__chunks_char(chunks, '"');
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
