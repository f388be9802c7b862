/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a recording, and of the chunk of it that is in work. */
#ifndef TM_FORMATS_JFR_JFR_RECORDING_H
#define TM_FORMATS_JFR_JFR_RECORDING_H

#include "formats/jfr/events.h"

typedef struct tm__jfr_recording {
    tm__memory *memory;
    tm__notes notes;
    tm__jfr_metadata metadata;
    tm__jfr_pools pools;
    tm__jfr_entities entities;
    tm__jfr_settings settings;
    tm__jfr_events events;
    const uint8_t *bytes; ///< of the chunk
    uint32_t *marks;      ///< offsets in the chunk of metadata events
    uint32_t mark_count;
    uint32_t mark_capacity;
} tm__jfr_recording;

/** @return TM_OK or TM_ENOMEM; to be freed either way, and not to be moved */
int tm__jfr_recording_init(tm__jfr_recording *recording, tm__memory *memory);

/**
 * Read a chunk: its events are then in `events`, to be emitted; where they need no
 * order of time, tm__jfr_recording_next() decodes them.
 * @param bytes  of the whole chunk, lent until the next chunk is read
 * @return TM_OK, also where it is damaged; TM_ENOMEM: it can be tried again
 */
int tm__jfr_recording_load(tm__jfr_recording *recording, const tm__jfr_chunk *chunk,
                           const uint8_t *bytes);

/** Have more of the chunk's events, where tm__jfr_events_are_left(). @return as above
 */
int tm__jfr_recording_next(tm__jfr_recording *recording);

void tm__jfr_recording_free(tm__jfr_recording *recording);

#endif
