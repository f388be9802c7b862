/* SPDX-License-Identifier: Apache-2.0 */
/* Holds of locks, by what a what-if chooses them by. */
#ifndef TM_ANALYSIS_WHATIF_HOLDS_H
#define TM_ANALYSIS_WHATIF_HOLDS_H

#include "base/triple_map.h"
#include "model/caller_frame.h"
#include "model/model.h"

/** What holds are chosen by: holds of one place are scaled together. */
typedef struct tm__place {
    uint32_t class_name; ///< strings; TM__NONE: not known
    uint32_t method;     ///< strings, of the caller that got it; TM__NONE: not known
    uint32_t is_chosen;  ///< the object is the one asked about
    uint32_t holds;
    int64_t hold_ns;
} tm__place;

typedef struct tm__hold {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t place; ///< places[]
    uint32_t owner; ///< threads[]
    uint32_t next;  ///< of the same thread, beginning later or at once; TM__NONE
} tm__hold;

enum { TM__HOLD_CHUNK = 1024 };

typedef struct tm__holds {
    const tm_model *model;
    tm__memory *memory;
    const uint8_t *chosen;         ///< an object: asked about; NULL: none is
    uint32_t *callers;             ///< frames[] a stack
    tm__triple_map by_place;       ///< (class name, method, chosen): places[] + 1
    uint32_t *first;               ///< holds[] a thread, or TM__NONE
    TM__ARRAY(tm__hold *, chunks); ///< of TM__HOLD_CHUNK each: a hold never moves
    uint32_t count;
    TM__ARRAY(tm__place, places);
} tm__holds;

/**
 * Gather the holds of a run.
 * @param chosen  a byte an object, lent for the call; NULL: none
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__holds_gather(tm__holds *holds, const tm_model *model, tm__memory *memory,
                     const uint8_t *chosen, const tm__libraries *libraries);

static inline tm__hold *tm__hold_at(const tm__holds *holds, uint32_t hold)
{
    return &holds->chunks[hold / TM__HOLD_CHUNK][hold % TM__HOLD_CHUNK];
}

/** Whom a thread that had been notified had to let go first, to have the monitor again
 * when the interval begins. @return threads[]; TM__NONE: nobody, or not known */
uint32_t tm__reentry_behind(const tm_model *model, uint32_t thread, uint32_t interval);

void tm__holds_free(tm__holds *holds);

#endif
