/* SPDX-License-Identifier: Apache-2.0 */
/* A path that is being found: its segments, and what it is found in. */
#ifndef TM_ANALYSIS_PATH_PATH_STATE_H
#define TM_ANALYSIS_PATH_PATH_STATE_H

#include <threadmodel/path.h>

#include "analysis/timeline/wakeup_edge.h"
#include "model/state/model.h"
#include "table/builder.h"

/** Beyond enum tm_interaction_kind: how the path came to a segment. */
enum { TM__VIA_NOTHING = 0, TM__VIA_MEANWHILE = 100 };

/** Why nothing explains a segment. */
enum tm__why {
    TM__WHY_EXPLAINED = 0,
    TM__WHY_NO_WAKER,
    TM__WHY_NO_OWNER,
    TM__WHY_NO_NOTIFIES,
    TM__WHY_NO_UNPARKS,
    TM__WHY_NO_ENDS,
    TM__WHY_NO_INTERRUPTS,
    TM__WHY_NOT_OVER,
    TM__WHY_DEADLOCK,
    TM__WHY_LOST,
    TM__WHY_DROPPED,
    TM__WHY_CIRCLE,
    TM__WHY_BEFORE,
    TM__WHY_NO_STARTER,
    TM__WHY_ENDED,
    TM__WHY_UNKNOWN,
    TM__WHY_BEHIND,
    TM__WHY_END
};

/** It ends where the one before it in the list, which is later, begins. */
typedef struct tm__segment {
    int64_t start_ns;
    uint32_t thread;    ///< threads[]; TM__NONE in a run without threads
    uint32_t interval;  ///< of the thread; TM__NONE: from before its first
    uint32_t left_by;   ///< interactions, by number, with which it ends; TM__NONE
    uint8_t state;      ///< enum tm_state
    uint8_t via;        ///< enum tm_interaction_kind or of those above
    uint8_t provenance; ///< enum tm_provenance of via
    uint8_t why;        ///< enum tm__why
    uint8_t is_latency; ///< it had been released by then, and did not run yet
} tm__segment;

typedef struct tm__path {
    tm__memory memory;
    int64_t begin_ns; ///< of the run, on the model's clock
    int64_t from_ns;  ///< what is before is not asked for; begin_ns: nothing
    int64_t end_ns;
    uint32_t thread;    ///< threads[] that it leads to
    uint32_t destroyer; ///< threads[] that the runtime ended in, or TM__NONE
    int others_hold; ///< the end is the last one's: other threads may put it off, too
    int is_lent;     ///< by the model, which keeps the segments
    TM__ARRAY(tm__segment, segments); ///< the latest first
} tm__path;

/** Its length in the part of the path that is asked for. */
static inline int64_t tm__segment_asked_ns(const tm__path *path, uint32_t segment)
{
    int64_t from_ns = path->segments[segment].start_ns;
    int64_t end_ns = segment ? path->segments[segment - 1].start_ns : path->end_ns;

    if (from_ns < path->from_ns)
        from_ns = path->from_ns;
    return end_ns > from_ns ? end_ns - from_ns : 0;
}

static inline int64_t tm__segment_end_ns(const tm__path *path, uint32_t segment)
{
    return segment ? path->segments[segment - 1].start_ns : path->end_ns;
}

#endif
