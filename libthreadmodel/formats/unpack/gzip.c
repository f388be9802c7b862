/* SPDX-License-Identifier: Apache-2.0 */
/* gzip, of RFC 1952, and zip archives: deflate with a head. Members and files follow
 * one another as one text. */
#include <string.h>

#include "base/error.h"
#include "formats/unpack/inflate.h"
#include "formats/unpack/archive_members.h"

typedef struct member {
    int is_open;
    int is_deflated;
    int has_sizes;   ///< a zip's head has them
    uint64_t stored; ///< bytes left of a file that is not packed
    uint64_t count;  ///< members so far
    tm__members members;
    tm__inflate inflate;
} member;

static int skip_text(tm__packed *packed)
{
    uint8_t byte = 1;
    int rc = TM_OK;

    while (rc == TM_OK && byte)
        rc = tm__packed_get(packed, &byte, 1);
    return rc;
}

/* @return TM_OK; `packed->is_over` is set where no member follows */
static int open_gzip(tm__packed *packed)
{
    member *it = packed->state;
    uint8_t head[10];
    int rc = tm__packed_refill(packed);

    if (rc < 0)
        return rc;
    if (packed->at == packed->end || (it->count > 0 && *packed->at != 0x1f)) {
        packed->is_over = 1;
        return TM_OK;
    }
    rc = tm__packed_get(packed, head, sizeof(head));
    if (rc == TM_OK && (head[0] != 0x1f || head[1] != 0x8b || head[2] != 8))
        rc = tm__packed_damage(packed, "no member of gzip");
    if (rc == TM_OK && head[3] & 4) {
        uint8_t length[2];

        rc = tm__packed_get(packed, length, 2);
        if (rc == TM_OK)
            rc = tm__packed_skip(packed, length[0] | (uint64_t)length[1] << 8);
    }
    if (rc == TM_OK && head[3] & 8)
        rc = skip_text(packed);
    if (rc == TM_OK && head[3] & 16)
        rc = skip_text(packed);
    if (rc == TM_OK && head[3] & 2)
        rc = tm__packed_skip(packed, 2);
    it->is_open = it->is_deflated = rc == TM_OK;
    it->count++;
    tm__inflate_start(&it->inflate);
    return rc;
}

static int read_gzip(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    member *it = packed->state;
    int rc = TM_OK;

    while (rc == TM_OK && *count == 0 && !packed->is_over) {
        if (!it->is_open) {
            rc = open_gzip(packed);
            continue;
        }
        rc = tm__inflate_read(&it->inflate, packed, to, room, count);
        if (rc == TM_OK && it->inflate.at == TM__INFLATE_OVER) {
            /* Whole bytes that were taken ahead belong to the sum behind. */
            packed->at -= it->inflate.bit_count / 8;
            rc = tm__packed_skip(packed, 8);
            it->is_open = 0;
            if (*count > 0)
                return TM_OK;
        }
    }
    return rc;
}

static int is_gzip(const uint8_t *bytes, size_t length)
{
    return length > 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

enum {
    LOCAL_BYTES = 30,
    NAME_BYTES = 1024,
    IS_ENCRYPTED = 1,
    HAS_DESCRIPTOR = 8,
    STORED = 0,
    DEFLATED = 8
};

static uint64_t little(const uint8_t *bytes, int count)
{
    uint64_t value = 0;

    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Its name, and what else stands before the bytes of a file. */
static int read_name(tm__packed *packed, uint64_t length, uint64_t extra)
{
    member *it = packed->state;
    char name[NAME_BYTES];
    size_t seen = length < sizeof(name) ? (size_t)length : sizeof(name);
    int rc = tm__packed_get(packed, (uint8_t *)name, seen);

    if (rc == TM_OK)
        rc = tm__packed_skip(packed, length - seen + extra);
    if (rc == TM_OK)
        tm__members_begin(&it->members, name, seen);
    return rc;
}

/* The head of the next file; the archive's list, behind all of them, ends it. */
static int open_zip(tm__packed *packed)
{
    member *it = packed->state;
    uint8_t head[LOCAL_BYTES];
    uint64_t flags, method;
    int rc = tm__packed_get(packed, head, 4);

    /* A descriptor, with or without its signature, stands before the next head. */
    if (rc == TM_OK && it->count > 0 && !it->has_sizes) {
        if (memcmp(head, "PK\7\10", 4) == 0)
            rc = tm__packed_skip(packed, 12);
        else
            rc = tm__packed_skip(packed, 8);
        if (rc == TM_OK)
            rc = tm__packed_get(packed, head, 4);
    }
    if (rc == TM_OK && memcmp(head, "PK\3\4", 4) != 0) {
        packed->is_over = 1;
        return TM_OK;
    }
    if (rc == TM_OK)
        rc = tm__packed_get(packed, head + 4, LOCAL_BYTES - 4);
    if (rc < 0)
        return rc;
    flags = little(head + 6, 2);
    method = little(head + 8, 2);
    it->stored = little(head + 18, 4);
    it->has_sizes = !(flags & HAS_DESCRIPTOR);
    it->is_deflated = method == DEFLATED;
    if (flags & IS_ENCRYPTED || (method != STORED && method != DEFLATED) ||
        (method == STORED && !it->has_sizes))
        return tm__fail(TM_EFORMAT,
                        "%s: zip: a file in it is encrypted or packed by method %u, "
                        "which is not read: unpack it first",
                        packed->inner.path, (unsigned)method);
    rc = read_name(packed, little(head + 26, 2), little(head + 28, 2));
    it->is_open = rc == TM_OK;
    it->count++;
    tm__inflate_start(&it->inflate);
    return rc;
}

static int read_stored(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    member *it = packed->state;
    size_t some = it->stored < room ? (size_t)it->stored : room;
    int rc = tm__packed_get(packed, to, some);

    if (rc < 0)
        return rc;
    it->stored -= some;
    it->is_open = it->stored > 0;
    *count = some;
    return TM_OK;
}

static int read_zip(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    member *it = packed->state;
    int rc = TM_OK;

    while (rc == TM_OK && *count == 0 && !packed->is_over) {
        if (!it->is_open) {
            rc = open_zip(packed);
            if (rc == TM_OK && !packed->is_over && !it->members.is_left_out)
                *count = (size_t)tm__members_end_line(&it->members, to);
        } else if (!it->is_deflated) {
            rc = read_stored(packed, to, room, count);
            tm__members_pass(&it->members, to, count);
        } else {
            rc = tm__inflate_read(&it->inflate, packed, to, room, count);
            if (rc == TM_OK && it->inflate.at == TM__INFLATE_OVER) {
                packed->at -= it->inflate.bit_count / 8;
                it->is_open = 0;
            }
            tm__members_pass(&it->members, to, count);
        }
    }
    return rc;
}

static int is_zip(const uint8_t *bytes, size_t length)
{
    return length > LOCAL_BYTES && memcmp(bytes, "PK\3\4", 4) == 0;
}

const tm__packing tm__packing_gzip = {
    "gzip", sizeof(member), is_gzip, NULL, read_gzip, NULL,
};

const tm__packing tm__packing_zip = {
    "zip", sizeof(member), is_zip, NULL, read_zip, NULL,
};
