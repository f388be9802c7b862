/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all ways of packing: bytes in, bytes out, and its bounds. */
#ifndef TM_FORMATS_UNPACK_PACKED_H
#define TM_FORMATS_UNPACK_PACKED_H

#include "base/input.h"

typedef struct tm__packed {
    tm__memory *memory;
    tm__input inner;
    uint64_t offset;   ///< of `at` in it
    const uint8_t *at; ///< what was seen of it and not taken yet
    const uint8_t *end;
    uint64_t written; ///< bytes handed on
    const struct tm__packing *packing;
    void *state; ///< the packing's own
    int is_over;
    char damage[240]; ///< what ended it too early
} tm__packed;

typedef struct tm__packing {
    const char *name;
    size_t state_bytes;

    /** @return 1: a file that begins so is packed in this way */
    int (*probe)(const uint8_t *bytes, size_t length);

    /** Begin, with the state all zero. NULL: nothing is to be done.
     *  @return TM_OK or a code; end() is called in any case */
    int (*begin)(tm__packed *packed);

    /** Write the next bytes, at least one unless it is over.
     *  @return TM_OK, or a code */
    int (*read)(tm__packed *packed, uint8_t *to, size_t room, size_t *count);

    /** NULL: nothing is to be freed. */
    void (*end)(tm__packed *packed);
} tm__packing;

extern const tm__packing tm__packing_gzip;
extern const tm__packing tm__packing_zip;
extern const tm__packing tm__packing_tar;
extern const tm__packing tm__packing_lz4;
extern const tm__packing tm__packing_zstd;
extern const tm__packing tm__packing_xz;
extern const tm__packing tm__packing_utf16;
extern const tm__packing tm__packing_mac;
extern const tm__packing tm__packing_mail;

/** See more of what is packed, once all of it was taken. `at == end`: there is none. */
int tm__packed_refill(tm__packed *packed);

/** Take some bytes. @return TM_OK; TM_EDAMAGED: it ends before; or what went wrong */
int tm__packed_get(tm__packed *packed, uint8_t *to, size_t bytes);

int tm__packed_skip(tm__packed *packed, uint64_t bytes);

/** @return TM_EDAMAGED, with what is wrong at which byte */
int tm__packed_damage(tm__packed *packed, const char *what);

#endif
