/* SPDX-License-Identifier: Apache-2.0 */
/* From one event of a chunk to the next: size, type, and what lies between. */
#ifndef TM_FORMATS_JFR_WALK_H
#define TM_FORMATS_JFR_WALK_H

#include "formats/jfr/chunk.h"
#include "formats/jfr/cursor.h"

/** Types of events that every chunk has. */
enum { TM__JFR_METADATA_TYPE = 0, TM__JFR_CHECKPOINT_TYPE = 1 };

typedef struct tm__jfr_walk {
    const uint8_t *base;  ///< of the chunk
    const uint8_t *at;    ///< of the event
    const uint8_t *limit; ///< behind the last one
    const uint8_t *body;  ///< behind the event's size and type
    const uint8_t *end;   ///< of the event
    uint64_t size;
    uint64_t type;
} tm__jfr_walk;

/** @param bytes  of the chunk, with its header */
static inline void tm__jfr_walk_start(tm__jfr_walk *walk, const uint8_t *base,
                                      size_t bytes)
{
    *walk = (tm__jfr_walk){
        .base = base, .end = base + TM__JFR_HEADER_BYTES, .limit = base + bytes};
}

/** @return 1: there is a next event; 0: not, or none that can be, at `at` */
static inline int tm__jfr_walk_next(tm__jfr_walk *walk)
{
    tm__jfr_cursor cursor = {.at = walk->end, .limit = walk->limit};

    walk->at = walk->end;
    walk->size = tm__jfr_number(&cursor);
    walk->type = tm__jfr_number(&cursor);
    walk->body = cursor.at;
    if (cursor.is_broken || walk->size > (uint64_t)(walk->limit - walk->at) ||
        walk->size < (uint64_t)(walk->body - walk->at))
        return 0;
    walk->end = walk->at + walk->size;
    return 1;
}

#endif
