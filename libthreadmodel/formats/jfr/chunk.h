/* SPDX-License-Identifier: Apache-2.0 */
/* A recording is a row of chunks, each complete in itself: where they are. */
#ifndef TM_FORMATS_JFR_CHUNK_H
#define TM_FORMATS_JFR_CHUNK_H

#include "base/input.h"
#include "formats/notes.h"

enum { TM__JFR_HEADER_BYTES = 68 };

typedef struct tm__jfr_chunk {
    uint64_t offset;          ///< of its header
    uint64_t bytes;           ///< that may be read of it, with the header
    uint64_t stated_bytes;    ///< by the header
    uint64_t metadata_offset; ///< in the chunk, by the header
    int64_t start_ns;         ///< since 1970-01-01 UTC, at start_ticks
    int64_t duration_ns;
    int64_t start_ticks;
    int64_t ticks_per_second;
    uint16_t major;
    uint16_t minor;
    uint8_t state; ///< 0: finished
    uint8_t flags;
    uint8_t is_cut; ///< the file ends within it
} tm__jfr_chunk;

/** @return 1: a header that can be believed, else 0 */
int tm__jfr_chunk_get(tm__jfr_chunk *chunk, const uint8_t *bytes);

/** The chunks of an input, found one after the other. */
typedef struct tm__jfr_finder {
    tm__input *input;
    tm__notes *notes;
    uint64_t offset;        ///< where the next chunk should begin
    tm__jfr_chunk previous; ///< with bytes 0: none
} tm__jfr_finder;

/**
 * Find the next chunk; bytes that are not a chunk are passed over and noted, but for
 * zeros.
 * @return TM_MORE: `chunk` is it; TM_OK: there is none; TM_EIO, TM_ENOMEM
 */
int tm__jfr_chunk_find(tm__jfr_finder *finder, tm__jfr_chunk *chunk);

#endif
