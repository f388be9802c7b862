/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON: an array of objects, one a line. Strings are valid UTF-8 since they were
 * put into the table. 64-bit integers are numbers in full; a reader that holds
 * numbers as doubles rounds those beyond 2^53, and ids in practice are smaller.
 */
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "table/chunks.h"
#include "table/table.h"

static void write_escape(tm__chunks *chunks, unsigned char byte)
{
    static const char hexadecimal[] = "0123456789abcdef";
    char escape[6] = {'\\', 'u', '0', '0', 0, 0};

    switch (byte) {
    case '"': tm__chunks_bytes(chunks, "\\\"", 2); return;
    case '\\': tm__chunks_bytes(chunks, "\\\\", 2); return;
    case '\n': tm__chunks_bytes(chunks, "\\n", 2); return;
    case '\r': tm__chunks_bytes(chunks, "\\r", 2); return;
    case '\t': tm__chunks_bytes(chunks, "\\t", 2); return;
    default: break;
    }
    escape[4] = hexadecimal[byte >> 4];
    escape[5] = hexadecimal[byte & 15];
    tm__chunks_bytes(chunks, escape, sizeof(escape));
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte != '"' && byte != '\\';
}

/* Whether all of eight bytes are plain. Less than 0x20 are those whose upper bit comes
 * of taking that away, and had not been set; equal are those that differ by 0. */
static bool are_plain(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), upper = ones << 7;
    uint64_t quotes = bytes ^ ones * '"', backslashes = bytes ^ ones * '\\';

    return !((((bytes - ones * 0x20) & ~bytes) | ((quotes - ones) & ~quotes) |
              ((backslashes - ones) & ~backslashes)) &
             upper);
}

static size_t count_plain(const char *text, size_t length)
{
    size_t count = 0;
    uint64_t bytes;

    for (; count + sizeof(bytes) <= length; count += sizeof(bytes)) {
        memcpy(&bytes, text + count, sizeof(bytes));
        if (!are_plain(bytes))
            break;
    }
    while (count < length && is_plain((unsigned char)text[count]))
        count++;
    return count;
}

/* A name is in a million rows, and hardly ever has anything to escape. */
static void write_text(tm__chunks *chunks, const char *text)
{
    size_t length = strlen(text);

    tm__chunks_char(chunks, '"');
    while (length > 0) {
        size_t plain = count_plain(text, length);

        tm__chunks_bytes(chunks, text, plain);
        text += plain;
        length -= plain;
        if (length > 0) {
            write_escape(chunks, (unsigned char)*text++);
            length--;
        }
    }
    tm__chunks_char(chunks, '"');
}

int tm_table_write_json(const tm_table *table, tm_write_fn write, void *payload)
{
    static const tm__spelling spelling = {write_text, "null", "null", "null", "null"};
    tm__chunks chunks;

    TM__CHECK(table);
    TM__CHECK(write);
    tm__chunks_start(&chunks, write, payload);
    tm__chunks_char(&chunks, '[');
    for (size_t row = 0; row < table->row_count && !chunks.failed; row++) {
        tm__chunks_text(&chunks, row > 0 ? ",\n" : "\n");
        for (size_t i = 0; i < table->column_count; i++) {
            tm__chunks_char(&chunks, i > 0 ? ',' : '{');
            write_text(&chunks, table->columns[i].name);
            tm__chunks_char(&chunks, ':');
            tm__chunks_value(&chunks, &table->columns[i], row, &spelling);
        }
        tm__chunks_char(&chunks, '}');
    }
    tm__chunks_text(&chunks, table->row_count > 0 ? "\n]" : "]");
    return tm__chunks_finish(&chunks);
}
