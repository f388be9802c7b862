/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each instant of a thread would have been, in lanes: one for each what-if that
 * is worked out at the same time.
 */
#ifndef TM_ANALYSIS_WHATIF_CLOCKS_H
#define TM_ANALYSIS_WHATIF_CLOCKS_H

#include "analysis/whatif/holds.h"
#include "model/model.h"

/** A scaled hold that its thread is in. */
typedef struct tm__active {
    int64_t end_ns;
    uint32_t mask;
    uint32_t next; ///< actives[] of the same thread, or the next free one
} tm__active;

typedef struct tm__clock {
    int64_t at_ns;   ///< lanes tell what this instant became; INT64_MIN: not begun
    uint32_t hold;   ///< the next to begin, or TM__NONE
    uint32_t active; ///< head of a list
    uint32_t active_count;
    uint32_t mask; ///< of all active ones
} tm__clock;

typedef struct tm__clocks {
    const tm__holds *holds;
    const uint32_t *masks; ///< a place: bit l: its holds are scaled in lane l
    tm__memory *memory;
    double factor;
    uint32_t lanes;
    uint32_t thread_count;
    tm__clock *items; ///< a thread
    int64_t *now_ns;  ///< a thread's lanes
    TM__ARRAY(tm__active, actives);
    uint32_t active_free;
    int failed; ///< there was no memory
} tm__clocks;

/** Open with holds, masks, memory, factor, lanes and thread_count set, the rest 0.
 * @return TM_OK or TM_ENOMEM; to be closed whatever is returned */
int tm__clocks_open(tm__clocks *clocks);

static inline int64_t *tm__clock_lanes(const tm__clocks *clocks, uint32_t thread)
{
    return clocks->now_ns + (size_t)thread * clocks->lanes;
}

/** A thread of which nothing was seen yet is at an instant, as early as it was. */
void tm__clock_begin(tm__clocks *clocks, uint32_t thread, int64_t time_ns);

/** Bring a thread to a later instant: by own time if it works, else lanes stay. */
void tm__clock_pass(tm__clocks *clocks, uint32_t thread, int64_t to_ns, int works);

void tm__clocks_close(tm__clocks *clocks);

#endif
