/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading numbers out of a chunk. JFR writes integers seven bits a byte, least
 * significant first, the top bit set where more follow; a ninth byte has eight.
 *
 * Events are decoded by the million, so bounds are checked against the end of all
 * that is in memory, for each read, and against the end of the event once, by
 * whoever reads it.
 */
#ifndef TM_FORMATS_JFR_CURSOR_H
#define TM_FORMATS_JFR_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tm__jfr_cursor {
    const uint8_t *at;
    const uint8_t *limit; ///< behind the last byte that is in memory
    int is_broken;        ///< something was to be read from behind it
} tm__jfr_cursor;

enum { TM__JFR_NUMBER_BYTES = 9 };

static inline void tm__jfr_break(tm__jfr_cursor *cursor)
{
    cursor->at = cursor->limit;
    cursor->is_broken = 1;
}

/* Near the end of memory, a byte at a time. */
static inline uint64_t tm__jfr_number_bytewise(tm__jfr_cursor *cursor)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < TM__JFR_NUMBER_BYTES; i++) {
        uint64_t byte;

        if (cursor->at == cursor->limit) {
            cursor->is_broken = 1;
            return 0;
        }
        byte = *cursor->at++;
        if (i == TM__JFR_NUMBER_BYTES - 1)
            return value | byte << 56;
        value |= (byte & 0x7f) << 7 * i;
        if (byte < 0x80)
            break;
    }
    return value;
}

/* The next number. Two to eight bytes are taken as one word and squeezed. */
static inline uint64_t tm__jfr_number(tm__jfr_cursor *cursor)
{
    const uint8_t *at = cursor->at;
    uint64_t word, stops, last = 0;

    if (cursor->limit - at < TM__JFR_NUMBER_BYTES)
        return tm__jfr_number_bytewise(cursor);
    if (*at < 0x80) {
        cursor->at = at + 1;
        return *at;
    }
    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    stops = ~word & UINT64_C(0x8080808080808080);
    if (stops) {
        word &= stops ^ (stops - 1);
        cursor->at = at + (__builtin_ctzll(stops) + 1) / 8;
    } else {
        last = (uint64_t)at[8] << 56;
        cursor->at = at + TM__JFR_NUMBER_BYTES;
    }
    word = (word & UINT64_C(0x007f007f007f007f)) |
           (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) |
           (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    word = (word & UINT64_C(0x000000000fffffff)) |
           (word & UINT64_C(0x0fffffff00000000)) >> 4;
    return word | last;
}

static inline uint8_t tm__jfr_byte(tm__jfr_cursor *cursor)
{
    if (cursor->at == cursor->limit) {
        cursor->is_broken = 1;
        return 0;
    }
    return *cursor->at++;
}

static inline void tm__jfr_skip(tm__jfr_cursor *cursor, uint64_t bytes)
{
    if (bytes > (uint64_t)(cursor->limit - cursor->at))
        tm__jfr_break(cursor);
    else
        cursor->at += bytes;
}

static inline void tm__jfr_skip_numbers(tm__jfr_cursor *cursor, uint64_t count)
{
    for (; count > 0 && !cursor->is_broken; count--)
        tm__jfr_number(cursor);
}

#endif
