/* SPDX-License-Identifier: Apache-2.0 */
/* tar, as POSIX and GNU write it: a block that says what follows, before each file. */
#include <string.h>

#include "base/error.h"
#include "formats/unpack/archive_members.h"
#include "formats/unpack/packed.h"

enum {
    BLOCK = 512,
    NAME_BYTES = 100,
    SIZE_AT = 124,
    SIZE_BYTES = 12,
    SUM_AT = 148,
    SUM_BYTES = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    IS_BINARY = 0x80
};

typedef struct archive {
    int is_open;
    uint64_t left; ///< bytes of the present file
    uint64_t fill; ///< zeros behind it, up to a whole block
    tm__members members;
} archive;

/* Digits of base 8; GNU's tar writes what needs more of them as bytes. */
static uint64_t number_of(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    size_t at = 0;

    if (bytes[0] & IS_BINARY) {
        for (at = count - 8; at < count; at++)
            value = value << 8 | bytes[at];
        return value;
    }
    while (at < count && bytes[at] == ' ')
        at++;
    while (at < count && bytes[at] >= '0' && bytes[at] <= '7')
        value = value << 3 | (uint64_t)(bytes[at++] - '0');
    return value;
}

static int is_head(const uint8_t *block)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : block[i];
    return memcmp(block + MAGIC_AT, "ustar", 5) == 0 &&
           sum == number_of(block + SUM_AT, SUM_BYTES);
}

static int open_file(tm__packed *packed)
{
    archive *it = packed->state;
    uint8_t block[BLOCK];
    const uint8_t *end;
    int rc = tm__packed_get(packed, block, BLOCK);

    if (rc < 0)
        return rc;
    if (block[0] == 0) {
        packed->is_over = 1;
        return TM_OK;
    }
    if (!is_head(block))
        return tm__packed_damage(packed, "no head of a file");
    it->left = number_of(block + SIZE_AT, SIZE_BYTES);
    it->fill = (BLOCK - it->left % BLOCK) % BLOCK;
    /* Folders, links, and what pax and GNU say of the next file. */
    if (block[TYPE_AT] != '0' && block[TYPE_AT] != 0) {
        rc = tm__packed_skip(packed, it->left);
        return rc == TM_OK ? tm__packed_skip(packed, it->fill) : rc;
    }
    end = memchr(block, 0, NAME_BYTES);
    tm__members_begin(&it->members, (const char *)block,
                      end ? (size_t)(end - block) : NAME_BYTES);
    it->is_open = 1;
    return TM_OK;
}

static int read_file(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    archive *it = packed->state;
    size_t some;
    int rc = tm__packed_refill(packed);

    if (rc < 0)
        return rc;
    some = (size_t)(packed->end - packed->at);
    some = some < room ? some : room;
    some = some < it->left ? some : (size_t)it->left;
    if (some == 0 && it->left > 0)
        return tm__packed_damage(packed, "it ends too early");
    memcpy(to, packed->at, some);
    packed->at += some;
    it->left -= some;
    *count = some;
    tm__members_pass(&it->members, to, count);
    if (it->left == 0) {
        it->is_open = 0;
        /* An archive that was cut here has lost nothing of a file. */
        rc = tm__packed_skip(packed, it->fill);
        packed->is_over |= rc < 0;
    }
    return TM_OK;
}

static int read_tar(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    archive *it = packed->state;
    int rc = TM_OK;

    while (rc == TM_OK && *count == 0 && !packed->is_over) {
        if (it->is_open) {
            rc = read_file(packed, to, room, count);
            continue;
        }
        rc = open_file(packed);
        if (rc == TM_OK && it->is_open && !it->members.is_left_out)
            *count = (size_t)tm__members_end_line(&it->members, to);
    }
    return rc;
}

static int is_tar(const uint8_t *bytes, size_t length)
{
    return length >= BLOCK && is_head(bytes);
}

const tm__packing tm__packing_tar = {
    "tar", sizeof(archive), is_tar, NULL, read_tar, NULL,
};
