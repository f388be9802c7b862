/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A string is a byte that names its encoding, followed by:
 *
 *     0 null   1 empty   2 key in the pool of strings
 *     3 bytes of UTF-8   4 UTF-16 units, a number each   5 bytes of Latin-1
 *
 * with the count before the bytes or units. Metadata contain thousands, the longest of
 * them help texts; pools contain names.
 */
#include "formats/jfr/jfr_text.h"

#include "base/error.h"

enum encoding { NONE, EMPTY, CONSTANT, UTF8, UTF16, LATIN1 };

void tm__jfr_skip_text(tm__jfr_cursor *cursor)
{
    switch (tm__jfr_byte(cursor)) {
    case NONE:
    case EMPTY: break;
    case CONSTANT: tm__jfr_number(cursor); break;
    case UTF8:
    case LATIN1: tm__jfr_skip(cursor, tm__jfr_number(cursor)); break;
    case UTF16: tm__jfr_skip_numbers(cursor, tm__jfr_number(cursor)); break;
    default: tm__jfr_break(cursor);
    }
}

/* Room for so many more bytes and the zero behind them. */
static int make_room(tm__jfr_text *text, uint64_t bytes)
{
    uint64_t needed = text->length + bytes + 1;

    if (needed > UINT32_MAX / 2)
        return tm__fail(TM_ELIMIT, "string of %llu bytes, more than %u",
                        (unsigned long long)needed, UINT32_MAX / 2);
    return tm__reserve(text->memory, &text->bytes, &text->capacity, (size_t)needed, 1);
}

int tm__jfr_text_start(tm__jfr_text *text)
{
    text->length = 0;
    if (make_room(text, 0) < 0)
        return tm__failure();
    text->bytes[0] = '\0';
    return TM_OK;
}

int tm__jfr_text_add(tm__jfr_text *text, const char *bytes, size_t count)
{
    if (make_room(text, count) < 0)
        return tm__failure();
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return TM_OK;
}

/* Three bytes at most for what UTF-16 writes as one unit; there is room for them. */
static void put(tm__jfr_text *text, uint32_t character)
{
    char *to = text->bytes + text->length;

    if (character == 0 || (character >= 0xd800 && character < 0xe000))
        character = 0xfffd;
    if (character < 0x80) {
        to[0] = (char)character;
        text->length += 1;
    } else if (character < 0x800) {
        to[0] = (char)(0xc0 | character >> 6);
        to[1] = (char)(0x80 | (character & 0x3f));
        text->length += 2;
    } else if (character < 0x10000) {
        to[0] = (char)(0xe0 | character >> 12);
        to[1] = (char)(0x80 | (character >> 6 & 0x3f));
        to[2] = (char)(0x80 | (character & 0x3f));
        text->length += 3;
    } else {
        to[0] = (char)(0xf0 | character >> 18);
        to[1] = (char)(0x80 | (character >> 12 & 0x3f));
        to[2] = (char)(0x80 | (character >> 6 & 0x3f));
        to[3] = (char)(0x80 | (character & 0x3f));
        text->length += 4;
    }
}

static void get_utf16(tm__jfr_cursor *cursor, tm__jfr_text *text, uint64_t count)
{
    uint32_t high = 0;

    for (; count > 0 && !cursor->is_broken; count--) {
        uint32_t unit = tm__jfr_number(cursor) & 0xffff;

        if (high && unit >= 0xdc00 && unit < 0xe000) {
            put(text, 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff)));
            high = 0;
            continue;
        }
        if (high)
            put(text, high);
        high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
        if (!high)
            put(text, unit);
    }
    if (high)
        put(text, high);
}

/* So many there are. */
static void get_bytes(tm__jfr_cursor *cursor, tm__jfr_text *text, uint64_t count,
                      int is_latin1)
{
    const uint8_t *from = cursor->at;

    cursor->at += count;
    for (uint64_t i = 0; i < count; i++)
        if (is_latin1 || from[i] == 0)
            put(text, from[i]);
        else
            text->bytes[text->length++] = (char)from[i];
}

int tm__jfr_get_text(tm__jfr_cursor *cursor, tm__jfr_text *text)
{
    uint8_t encoding = tm__jfr_byte(cursor);
    uint64_t count;

    if (tm__jfr_text_start(text) < 0)
        return tm__failure();
    switch (encoding) {
    case NONE: return TM__JFR_TEXT_NULL;
    case EMPTY: return TM__JFR_TEXT_PLAIN;
    case CONSTANT:
        text->constant = tm__jfr_number(cursor);
        return TM__JFR_TEXT_CONSTANT;
    case UTF8:
    case UTF16:
    case LATIN1: break;
    default: tm__jfr_break(cursor); return TM__JFR_TEXT_NULL;
    }
    count = tm__jfr_number(cursor);
    if (count > (uint64_t)(cursor->limit - cursor->at)) {
        tm__jfr_break(cursor);
        return TM__JFR_TEXT_NULL;
    }
    if (make_room(text, 3 * count) < 0)
        return tm__failure();
    if (encoding == UTF16)
        get_utf16(cursor, text, count);
    else
        get_bytes(cursor, text, count, encoding == LATIN1);
    text->bytes[text->length] = '\0';
    return TM__JFR_TEXT_PLAIN;
}

void tm__jfr_text_free(tm__jfr_text *text)
{
    tm__free(text->memory, text->bytes, text->capacity);
    *text = (tm__jfr_text){.memory = text->memory};
}
