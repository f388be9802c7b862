/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of LZ4. A block is decoded whole, behind the 64 KiB that it may refer to. */
#include <string.h>

#include "formats/unpack/packed.h"

enum { HISTORY_BYTES = 64 << 10, BLOCK_BYTES = 4 << 20 };

typedef struct frame {
    int is_open;
    int has_block_sum, has_sum;
    uint32_t most;              ///< bytes of a block
    uint8_t *room;              ///< history, a block
    uint8_t *block;             ///< as it is packed
    uint32_t history, from, to; ///< of `room`
} frame;

static uint32_t little(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static int is_lz4(const uint8_t *bytes, size_t length)
{
    return length > 7 && little(bytes) == UINT32_C(0x184d2204);
}

static int begin(tm__packed *packed)
{
    frame *it = packed->state;

    it->room = tm__resize(packed->memory, NULL, 0, HISTORY_BYTES + BLOCK_BYTES);
    it->block = tm__resize(packed->memory, NULL, 0, BLOCK_BYTES);
    return it->room && it->block ? TM_OK : TM_ENOMEM;
}

static void end(tm__packed *packed)
{
    frame *it = packed->state;

    tm__free(packed->memory, it->room, HISTORY_BYTES + BLOCK_BYTES);
    tm__free(packed->memory, it->block, BLOCK_BYTES);
}

static int open_frame(tm__packed *packed)
{
    frame *it = packed->state;
    uint8_t head[7];
    int rc = tm__packed_refill(packed);

    if (rc == TM_OK && packed->at == packed->end) {
        packed->is_over = 1;
        return TM_OK;
    }
    if (rc == TM_OK)
        rc = tm__packed_get(packed, head, sizeof(head));
    if (rc < 0)
        return rc;
    if (!is_lz4(head, 8) || head[4] >> 6 != 1 || (head[5] >> 4 & 7) < 4)
        return tm__packed_damage(packed, "no frame");
    it->has_block_sum = head[4] >> 4 & 1;
    it->has_sum = head[4] >> 2 & 1;
    it->most = UINT32_C(1) << (8 + 2 * (head[5] >> 4 & 7));
    if (it->most > BLOCK_BYTES)
        return tm__packed_damage(packed, "no frame");
    it->history = 0;
    it->is_open = 1;
    /* The size of the content, a dictionary's number; a byte of sum was taken. */
    return tm__packed_skip(packed, (head[4] & 8 ? 8u : 0u) + (head[4] & 1 ? 4u : 0u));
}

/* A length of 15 goes on in more bytes. @return 0: the block ends before */
static int more(const uint8_t **at, const uint8_t *end, uint32_t *length)
{
    uint8_t byte = 255;

    if (*length < 15)
        return 1;
    while (byte == 255) {
        if (*at == end || *length > BLOCK_BYTES)
            return 0;
        byte = *(*at)++;
        *length += byte;
    }
    return 1;
}

/* Decode a block behind the history. @return 0: it is damaged */
static int decode(frame *it, uint32_t bytes)
{
    const uint8_t *at = it->block, *end = at + bytes;
    uint32_t out = it->history, most = it->history + it->most;

    while (at < end) {
        uint32_t literals = *at >> 4, length = *at & 15, distance;

        at++;
        if (!more(&at, end, &literals) || literals > (uint32_t)(end - at) ||
            literals > most - out)
            return 0;
        memcpy(it->room + out, at, literals);
        at += literals;
        out += literals;
        if (at == end)
            break;
        if (end - at < 2)
            return 0;
        distance = at[0] | (uint32_t)at[1] << 8;
        at += 2;
        if (!more(&at, end, &length) || distance == 0 || distance > out ||
            length + 4 > most - out)
            return 0;
        for (length += 4; length > 0; length--, out++)
            it->room[out] = it->room[out - distance];
    }
    it->to = out;
    return 1;
}

static int read_block(tm__packed *packed)
{
    frame *it = packed->state;
    uint8_t head[4];
    uint32_t bytes, is_stored;
    int rc = tm__packed_get(packed, head, 4);

    if (rc < 0)
        return rc;
    bytes = little(head) & INT32_MAX;
    is_stored = head[3] >> 7;
    if (bytes == 0) {
        it->is_open = 0;
        return tm__packed_skip(packed, it->has_sum ? 4 : 0);
    }
    if (bytes > it->most)
        return tm__packed_damage(packed, "a block that is too long");
    if (it->to > HISTORY_BYTES) {
        memmove(it->room, it->room + it->to - HISTORY_BYTES, HISTORY_BYTES);
        it->to = HISTORY_BYTES;
    }
    it->history = it->from = it->to;
    rc = tm__packed_get(packed, it->block, bytes);
    if (rc < 0)
        return rc;
    if (is_stored) {
        memcpy(it->room + it->history, it->block, bytes);
        it->to = it->history + bytes;
    } else if (!decode(it, bytes)) {
        return tm__packed_damage(packed, "a damaged block");
    }
    return tm__packed_skip(packed, it->has_block_sum ? 4 : 0);
}

static int read_lz4(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    frame *it = packed->state;
    int rc = TM_OK;

    while (rc == TM_OK && it->from == it->to && !packed->is_over)
        rc = it->is_open ? read_block(packed) : open_frame(packed);
    if (rc < 0)
        return rc;
    *count = it->to - it->from < room ? it->to - it->from : room;
    memcpy(to, it->room + it->from, *count);
    it->from += (uint32_t)*count;
    return TM_OK;
}

const tm__packing tm__packing_lz4 = {"lz4", sizeof(frame), is_lz4,
                                     begin, read_lz4,      end};
