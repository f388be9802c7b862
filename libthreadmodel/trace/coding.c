/* SPDX-License-Identifier: Apache-2.0 */
/* The seldom cases of the coding: long numbers, strings, checksums of headers. */
#include "trace/coding.h"

#include <string.h>

#include "base/error.h"

static uint64_t spoil(tm__cursor *cursor)
{
    cursor->bad = 1;
    cursor->at = cursor->end;
    return 0;
}

uint64_t tm__get_long_varint(tm__cursor *cursor)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;

        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return spoil(cursor);
}

int32_t tm__get_signed32(tm__cursor *cursor)
{
    int64_t value = tm__get_signed(cursor);

    if (value < INT32_MIN || value > INT32_MAX)
        return (int32_t)spoil(cursor);
    return (int32_t)value;
}

size_t tm__string_room(const char *text)
{
    return TM__VARINT_BYTES + (text ? strlen(text) + 1 : 0);
}

uint8_t *tm__encode_string(uint8_t *at, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;

    at = tm__encode_varint(at, bytes);
    if (bytes > 0)
        memcpy(at, text, bytes);
    return at + bytes;
}

const char *tm__get_string(tm__cursor *cursor)
{
    uint64_t bytes = tm__get_varint(cursor);
    const uint8_t *text = cursor->at;

    if (bytes == 0)
        return NULL;
    if (bytes > (uint64_t)(cursor->end - text) ||
        memchr(text, 0, (size_t)bytes) != text + bytes - 1) {
        spoil(cursor);
        return NULL;
    }
    cursor->at += bytes;
    return (const char *)text;
}

tm__cursor tm__get_bytes(tm__cursor *cursor, uint64_t length)
{
    tm__cursor part = {cursor->at, cursor->at, 0};

    if (length > (uint64_t)(cursor->end - cursor->at)) {
        spoil(cursor);
        part.bad = 1;
        return part;
    }
    cursor->at += length;
    part.end = cursor->at;
    return part;
}

/* Half a byte at a time: sixteen words of table, and headers are all it is for. */
uint32_t tm__crc32(const uint8_t *bytes, size_t length)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc = table[(crc ^ bytes[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ bytes[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}
