/* SPDX-License-Identifier: Apache-2.0 */
/* A critical path in memory, for the questions that ask for it or go on from it. */
#ifndef TM_ANALYSIS_PATH_PATH_H
#define TM_ANALYSIS_PATH_PATH_H

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
    uint8_t is_latency; ///< it was let go on by then, and was not running yet
} tm__segment;

typedef struct tm__path {
    tm__memory memory;
    int64_t begin_ns; ///< on the model's clock
    int64_t end_ns;
    uint32_t thread;    ///< threads[] that it leads to
    uint32_t destroyer; ///< threads[] that the runtime ended in, or TM__NONE
    int others_hold; ///< the end is the last one's: other threads may put it off, too
    TM__ARRAY(tm__segment, segments); ///< the latest first
} tm__path;

/**
 * Walk a path.
 * @param path     to be freed, whatever is returned
 * @param options  checked here
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 */
int tm__path_walk(tm__path *path, const tm_model *model,
                  const tm_path_options *options);

/** Fill a path but for its segments; the same returns. */
int tm__path_end(tm__path *path, const tm_model *model, const tm_path_options *options);

static inline int64_t tm__segment_end_ns(const tm__path *path, uint32_t segment)
{
    return segment ? path->segments[segment - 1].start_ns : path->end_ns;
}

/**
 * Why nothing says who ended a blocking interval, the intervals [first, end) of a
 * thread.
 * @return enum tm__why, never TM__WHY_EXPLAINED
 */
int tm__path_why(const tm_model *model, uint32_t thread, uint32_t first, uint32_t end);

/**
 * Who released the monitor that a thread wanted back after a wait, the intervals
 * [first, end), where that is what ended them: not a wake-up alone.
 * @param edge  stays as it is where it was not
 */
void tm__path_reentry(const tm_model *model, uint32_t thread, uint32_t first,
                      uint32_t end, tm__wakeup_edge *edge);

/**
 * Call in doubt what is before unexplained blocks that are more than a hundredth of the
 * path: who was blocked for long was not what others waited for.
 */
void tm__path_doubt(tm__path *path);

/** In words; NULL for what is explained. */
const char *tm__why_name(int why);

/** @return the time of the path that nothing explains */
int64_t tm__path_unexplained_ns(const tm__path *path);

/** objects[] and stacks[] that a segment is about, or TM__NONE. */
void tm__segment_subject(const tm_model *model, const tm__segment *segment,
                         uint32_t *object, uint32_t *stack);

/** Add the model's caveats, and how much of the path is unexplained, and why. */
void tm__path_put_caveats(const tm__path *path, const tm_model *model,
                          tm__builder *builder);

void tm__path_free(tm__path *path);

#endif
