/* SPDX-License-Identifier: Apache-2.0 */
/* Deflate, of RFC 1951, decoded as far as there is room for what comes out. */
#ifndef TM_FORMATS_UNPACK_INFLATE_H
#define TM_FORMATS_UNPACK_INFLATE_H

#include "formats/unpack/packed.h"

enum { TM__INFLATE_BITS = 15, TM__INFLATE_FAST = 9, TM__INFLATE_CODES = 288 };

/** A Huffman code: by length how many symbols, and these in order. */
typedef struct tm__inflate_code {
    uint16_t counts[TM__INFLATE_BITS + 1];
    uint16_t symbols[TM__INFLATE_CODES];
    uint16_t fast[1 << TM__INFLATE_FAST]; ///< by the next bits: symbol << 4 | length; 0
} tm__inflate_code;

typedef struct tm__inflate {
    uint32_t bits; ///< taken and not used yet
    uint32_t bit_count;
    enum {
        TM__INFLATE_HEAD,
        TM__INFLATE_STORED,
        TM__INFLATE_BLOCK,
        TM__INFLATE_OVER
    } at;
    int is_last;
    uint32_t stored;           ///< bytes left of a stored block
    uint32_t length, distance; ///< left of a match
    uint32_t window_at;
    uint64_t written;
    tm__inflate_code lengths, distances;
    uint8_t window[32768];
} tm__inflate;

void tm__inflate_start(tm__inflate *it);

/** Decode. `it->at` is TM__INFLATE_OVER behind the last byte. @return TM_OK or a code
 */
int tm__inflate_read(tm__inflate *it, tm__packed *packed, uint8_t *to, size_t room,
                     size_t *count);

#endif
