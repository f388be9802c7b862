/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes up to nine bits long are looked up at once, longer ones bit by bit. Bytes are
 * taken one at a time, so that what follows the last bit is left where it is.
 */
#include "formats/unpack/inflate.h"

#include <string.h>

void tm__inflate_start(tm__inflate *it)
{
    it->bits = it->bit_count = 0;
    it->at = TM__INFLATE_HEAD;
    it->is_last = 0;
    it->stored = it->length = it->distance = it->window_at = 0;
    it->written = 0;
}

/* Have so many bits, at most 16. */
static int need(tm__inflate *it, tm__packed *packed, uint32_t count)
{
    while (it->bit_count < count) {
        int rc = tm__packed_refill(packed);

        if (rc < 0)
            return rc;
        if (packed->at == packed->end)
            return tm__packed_damage(packed, "it ends too early");
        it->bits |= (uint32_t)*packed->at++ << it->bit_count;
        it->bit_count += 8;
    }
    return TM_OK;
}

static uint32_t drop(tm__inflate *it, uint32_t count)
{
    uint32_t value = it->bits & ((1u << count) - 1);

    it->bits >>= count;
    it->bit_count -= count;
    return value;
}

static int get(tm__inflate *it, tm__packed *packed, uint32_t count, uint32_t *value)
{
    int rc = need(it, packed, count);

    if (rc == TM_OK)
        *value = drop(it, count);
    return rc;
}

/* Make a code of the lengths of its symbols. @return 0: there are too many */
static int make(tm__inflate_code *code, const uint8_t *lengths, uint32_t count)
{
    uint16_t offsets[TM__INFLATE_BITS + 2] = {0};
    uint32_t next = 0, symbol = 0;
    int left = 1;

    memset(code, 0, sizeof(*code));
    for (uint32_t i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (uint32_t i = 1; i <= TM__INFLATE_BITS; i++) {
        left = 2 * left - code->counts[i];
        if (left < 0)
            return 0;
        offsets[i + 1] = (uint16_t)(offsets[i] + code->counts[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (lengths[i])
            code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
    for (uint32_t length = 1; length <= TM__INFLATE_FAST; length++, next <<= 1)
        for (uint32_t i = 0; i < code->counts[length]; i++, next++, symbol++) {
            uint32_t turned = 0;

            for (uint32_t bit = 0; bit < length; bit++)
                turned |= (next >> bit & 1) << (length - 1 - bit);
            for (; turned < 1 << TM__INFLATE_FAST; turned += 1u << length)
                code->fast[turned] = (uint16_t)(code->symbols[symbol] << 4 | length);
        }
    return 1;
}

/* The next symbol. Its bits may be the last of all, so no more are asked for. */
static int decode(tm__inflate *it, tm__packed *packed, const tm__inflate_code *code,
                  uint32_t *symbol)
{
    uint32_t value = 0, first = 0, index = 0;

    if (it->bit_count < TM__INFLATE_FAST && packed->at != packed->end)
        need(it, packed, 8);
    if (it->bit_count < TM__INFLATE_FAST && packed->at != packed->end)
        need(it, packed, TM__INFLATE_FAST);
    value = code->fast[it->bits & ((1u << TM__INFLATE_FAST) - 1)];
    if (value && (value & 15) <= it->bit_count) {
        drop(it, value & 15);
        *symbol = value >> 4;
        return TM_OK;
    }
    value = 0;
    for (uint32_t length = 1; length <= TM__INFLATE_BITS; length++) {
        uint32_t count = code->counts[length];
        int rc = need(it, packed, length);

        if (rc < 0)
            return rc;
        value |= it->bits >> (length - 1) & 1;
        if (value < first + count) {
            drop(it, length);
            *symbol = code->symbols[index + value - first];
            return TM_OK;
        }
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return tm__packed_damage(packed, "an invalid code");
}

static int begin_fixed(tm__inflate *it)
{
    uint8_t lengths[TM__INFLATE_CODES];

    for (uint32_t i = 0; i < TM__INFLATE_CODES; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make(&it->lengths, lengths, TM__INFLATE_CODES);
    memset(lengths, 5, 30);
    make(&it->distances, lengths, 30);
    return TM_OK;
}

/* The lengths of both codes, which are coded themselves. */
static int begin_dynamic(tm__inflate *it, tm__packed *packed)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[320] = {0};
    uint32_t literals, distances, codes, value = 0, at = 0;
    int rc = need(it, packed, 14);

    if (rc < 0)
        return rc;
    literals = drop(it, 5) + 257;
    distances = drop(it, 5) + 1;
    codes = drop(it, 4) + 4;
    for (uint32_t i = 0; i < codes; i++) {
        rc = get(it, packed, 3, &value);
        if (rc < 0)
            return rc;
        lengths[order[i]] = (uint8_t)value;
    }
    if (literals > 286 || distances > 30 || !make(&it->lengths, lengths, 19))
        return tm__packed_damage(packed, "an invalid code");
    memset(lengths, 0, sizeof(lengths));
    while (at < literals + distances) {
        uint32_t symbol = 0, repeat = 1;
        uint8_t length = 0;

        rc = decode(it, packed, &it->lengths, &symbol);
        if (rc == TM_OK && symbol > 15) {
            rc = get(it, packed, symbol == 16 ? 2 : symbol == 17 ? 3 : 7, &repeat);
            repeat += symbol == 18 ? 11 : 3;
            length = symbol == 16 && at > 0 ? lengths[at - 1] : 0;
            if (rc == TM_OK && symbol == 16 && at == 0)
                return tm__packed_damage(packed, "a length that repeats none");
        } else {
            length = (uint8_t)symbol;
        }
        if (rc < 0)
            return rc;
        if (at + repeat > literals + distances)
            return tm__packed_damage(packed, "too many lengths of codes");
        memset(lengths + at, length, repeat);
        at += repeat;
    }
    if (!make(&it->lengths, lengths, literals) ||
        !make(&it->distances, lengths + literals, distances))
        return tm__packed_damage(packed, "an invalid code");
    return TM_OK;
}

static int begin_stored(tm__inflate *it, tm__packed *packed)
{
    uint32_t length = 0, check = 0;
    int rc;

    drop(it, it->bit_count & 7);
    rc = get(it, packed, 16, &length);
    if (rc == TM_OK)
        rc = get(it, packed, 16, &check);
    if (rc < 0)
        return rc;
    if (length != (~check & 0xffff))
        return tm__packed_damage(packed, "a block whose length is damaged");
    it->stored = length;
    return TM_OK;
}

static int begin_block(tm__inflate *it, tm__packed *packed)
{
    uint32_t kind = 0;
    int rc;

    if (it->is_last) {
        it->at = TM__INFLATE_OVER;
        return TM_OK;
    }
    rc = get(it, packed, 3, &kind);
    if (rc < 0)
        return rc;
    it->is_last = kind & 1;
    it->at = kind >> 1 ? TM__INFLATE_BLOCK : TM__INFLATE_STORED;
    switch (kind >> 1) {
    case 0: return begin_stored(it, packed);
    case 1: return begin_fixed(it);
    case 2: return begin_dynamic(it, packed);
    default: return tm__packed_damage(packed, "a block of no kind");
    }
}

static void put(tm__inflate *it, uint8_t *to, uint8_t byte)
{
    *to = it->window[it->window_at] = byte;
    it->window_at = (it->window_at + 1) & 32767;
    it->written++;
}

/* A match: its length was read, and its distance comes. */
static int begin_match(tm__inflate *it, tm__packed *packed, uint32_t symbol)
{
    static const uint16_t lengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distances[] = {
        1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const uint8_t distance_bits[] = {0, 0, 0,  0,  1,  1,  2,  2,  3,  3,
                                            4, 4, 5,  5,  6,  6,  7,  7,  8,  8,
                                            9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    uint32_t more = 0;
    int rc;

    symbol -= 257;
    if (symbol >= sizeof(length_bits))
        return tm__packed_damage(packed, "an invalid length");
    rc = get(it, packed, length_bits[symbol], &more);
    if (rc < 0)
        return rc;
    it->length = lengths[symbol] + more;
    rc = decode(it, packed, &it->distances, &symbol);
    if (rc == TM_OK && symbol >= sizeof(distance_bits))
        rc = tm__packed_damage(packed, "an invalid distance");
    if (rc == TM_OK)
        rc = get(it, packed, distance_bits[symbol], &more);
    if (rc < 0)
        return rc;
    it->distance = distances[symbol] + more;
    if (it->distance > it->written)
        return tm__packed_damage(packed, "a distance to before the beginning");
    return TM_OK;
}

/* A stored byte, a literal, or a match. */
static int read_some(tm__inflate *it, tm__packed *packed, uint8_t *to, size_t *out)
{
    uint32_t symbol = 0;
    int rc;

    if (it->at == TM__INFLATE_STORED) {
        if (it->stored == 0) {
            it->at = TM__INFLATE_HEAD;
            return TM_OK;
        }
        rc = get(it, packed, 8, &symbol);
        if (rc < 0)
            return rc;
        it->stored--;
        put(it, to + (*out)++, (uint8_t)symbol);
        return TM_OK;
    }
    rc = decode(it, packed, &it->lengths, &symbol);
    if (rc < 0)
        return rc;
    if (symbol < 256)
        put(it, to + (*out)++, (uint8_t)symbol);
    else if (symbol == 256)
        it->at = TM__INFLATE_HEAD;
    else
        return begin_match(it, packed, symbol);
    return TM_OK;
}

int tm__inflate_read(tm__inflate *it, tm__packed *packed, uint8_t *to, size_t room,
                     size_t *count)
{
    size_t out = 0;
    int rc = TM_OK;

    while (rc == TM_OK && out < room && it->at != TM__INFLATE_OVER) {
        for (; it->length > 0 && out < room; it->length--, out++)
            put(it, to + out, it->window[(it->window_at - it->distance) & 32767]);
        if (out == room)
            break;
        rc = it->at == TM__INFLATE_HEAD ? begin_block(it, packed)
                                        : read_some(it, packed, to, &out);
    }
    *count = out;
    /* The bytes that were decoded before the damage are handed on first. */
    return out > 0 ? TM_OK : rc;
}
