/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a chunk the events stand that matter. */
#ifndef TM_FORMATS_JFR_EVENT_INDEX_H
#define TM_FORMATS_JFR_EVENT_INDEX_H

#include "formats/jfr/settings.h"
#include "formats/jfr/walk.h"

/** Types with higher ids are looked up; the JVM's own are some two hundred. */
enum { TM__JFR_DENSE_TYPES = 4096 };

/** An event that matters, by offsets in its chunk. */
typedef struct tm__jfr_entry {
    uint32_t body; ///< behind its size and type
    uint32_t end;
    uint8_t what; ///< enum tm__jfr_what
    uint8_t head; ///< bytes of its size and type
    uint16_t reserved;
} tm__jfr_entry;

typedef struct tm__jfr_index {
    tm__memory *memory;
    const tm__jfr_metadata *metadata;
    uint8_t whats[TM__JFR_DENSE_TYPES]; ///< enum tm__jfr_what of a type, or unknown
    uint8_t is_wanted[TM__JFR_WHAT_COUNT];
    uint32_t passed[TM__JFR_DENSE_TYPES]; ///< events of a type that are not read
    tm__jfr_entry *entries;               ///< of the timeline
    uint32_t entry_count;
    uint32_t entry_capacity;
    tm__jfr_entry *abouts; ///< of the recording: settings, JVM, losses
    uint32_t about_count;
    uint32_t about_capacity;
    uint32_t *checkpoints; ///< where they begin
    uint32_t checkpoint_count;
    uint32_t checkpoint_capacity;
} tm__jfr_index;

/**
 * Walk over a chunk by the sizes of its events.
 * @param walk    at the chunk's begin; moves to where its events end
 * @param counts  of events by enum tm__jfr_what, added to
 * @param notes   gets types that the chunk does not have
 * @param offset  of the chunk in the file
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_index_build(tm__jfr_index *index, tm__jfr_walk *walk, uint64_t *counts,
                        tm__notes *notes, uint64_t offset);

/** @return enum tm__jfr_what of a type of events; -1: the chunk has no such type */
int tm__jfr_what_of(const tm__jfr_metadata *metadata, uint64_t type);

void tm__jfr_index_free(tm__jfr_index *index);

#endif
