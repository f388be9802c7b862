/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and strings as bytes. Eight columns an event pass through here, most of
 * them one byte wide, so the one-byte case is what everything is laid out for.
 *
 * Writers make room for the worst case once and then put without checks; readers
 * trust nothing: a cursor that met its end or nonsense is `bad` from then on and
 * yields zeros, so one test after a record is enough.
 */
#ifndef TM_TRACE_CODING_H
#define TM_TRACE_CODING_H

#include "base/bytes.h"

/** The most bytes that a number takes. */
#define TM__VARINT_BYTES 10

/** The rest of bytes that are being read. */
typedef struct tm__cursor {
    const uint8_t *at;
    const uint8_t *end;
    int bad;
} tm__cursor;

static inline uint8_t *tm__encode_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* Small numbers of either sign get small codes: 0, -1, 1, -2, ... */
static inline uint64_t tm__zigzag(uint64_t value)
{
    return (value << 1) ^ (0 - (value >> 63));
}

static inline uint64_t tm__unzigzag(uint64_t code)
{
    return (code >> 1) ^ (0 - (code & 1));
}

static inline uint8_t *tm__encode_signed(uint8_t *at, int64_t value)
{
    return tm__encode_varint(at, tm__zigzag((uint64_t)value));
}

/** The rest of a number of more than one byte. */
uint64_t tm__get_long_varint(tm__cursor *cursor);

static inline uint64_t tm__get_varint(tm__cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at < 0x80)
        return *cursor->at++;
    return tm__get_long_varint(cursor);
}

/** A number that must not be more than `most`. */
static inline uint64_t tm__get_limited(tm__cursor *cursor, uint64_t most)
{
    uint64_t value = tm__get_varint(cursor);

    if (value > most) {
        cursor->bad = 1;
        return 0;
    }
    return value;
}

static inline int64_t tm__get_signed(tm__cursor *cursor)
{
    return (int64_t)tm__unzigzag(tm__get_varint(cursor));
}

/** A signed number of 32 bits. */
int32_t tm__get_signed32(tm__cursor *cursor);

/** The most bytes that a string takes. */
size_t tm__string_room(const char *text);

/** A string that may be NULL. */
uint8_t *tm__encode_string(uint8_t *at, const char *text);

/** @return lent from the cursor's bytes, zero-ended; NULL is a value, see `bad` */
const char *tm__get_string(tm__cursor *cursor);

/** The next `length` bytes as a cursor of their own. */
tm__cursor tm__get_bytes(tm__cursor *cursor, uint64_t length);

static inline uint8_t *tm__encode_fixed(uint8_t *at, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        *at++ = (uint8_t)(value >> (8 * i));
    return at;
}

static inline uint64_t tm__fixed(const uint8_t *at, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = width; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/** CRC-32 as in zlib, PNG and Ethernet. */
uint32_t tm__crc32(const uint8_t *bytes, size_t length);

#endif
