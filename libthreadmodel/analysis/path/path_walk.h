/* SPDX-License-Identifier: Apache-2.0 */
/* Where the walk along a path stands in each thread. */
#ifndef TM_ANALYSIS_PATH_PATH_WALK_H
#define TM_ANALYSIS_PATH_PATH_WALK_H

#include "analysis/path/path_state.h"

/** Where the walk stands in a thread, and what it found there. */
typedef struct tm__walk_cursor {
    uint32_t next;           ///< the intervals below this may begin before time_ns
    uint32_t first, end;     ///< the blocking interval around, while `next` lies in it
    uint32_t stopped, ended; ///< the same for intervals in which it can do nothing
    uint32_t crossed;        ///< `step` in which its blocking interval was last crossed
    uint32_t waits;          ///< it is in the stack
} tm__walk_cursor;

/** A thread to come back to. */
typedef struct tm__walk_frame {
    int64_t floor_ns;
    uint32_t thread;
} tm__walk_frame;

typedef struct tm__walk {
    const tm_model *model;
    tm__path *path;
    tm__walk_cursor *cursors; ///< a thread
    TM__ARRAY(tm__walk_frame, frames);
    int64_t time_ns;
    int64_t floor_ns; ///< of the upmost frame, or the path's begin
    uint32_t thread;
    uint32_t leaving; ///< interaction that the next segment ends with, or TM__NONE
    uint32_t step;    ///< grows with every segment
    int comes_back;   ///< the question is what was waited for at each moment
    int failed;
} tm__walk;

/** The last interval of a thread that begins before a time; TM__NONE for none.
 * Intervals that were passed are not looked at again: the search gallops down from
 * there. */
uint32_t tm__walk_locate(tm__walk *w, uint32_t thread, int64_t time_ns);

/** Find the blocking interval around one in which the walk stands. */
void tm__walk_find_blocking(tm__walk *w, uint32_t interval);

/** When a thread could last have acted, up to a time: not while it waits itself. */
int64_t tm__walk_last_able_ns(tm__walk *w, uint32_t thread, int64_t time_ns);

#endif
