/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of both trace formats: threads, their states, wake-ups, and the path. */
#ifndef TM_EXPORT_STORY_H
#define TM_EXPORT_STORY_H

#include <threadmodel/table.h>

#include "base/map.h"
#include "export/export_state.h"

/** The columns that a slice is read from. */
typedef struct tm__slice_columns {
    const tm_table *table;
    const int64_t *start_ns;
    const int64_t *end_ns;
    const uint64_t *thread_id;
    int name, object, class_name, method, peer, via; ///< numbers
} tm__slice_columns;

typedef struct tm__story {
    tm_table *threads;
    tm_table *timeline;
    tm_table *interactions;
    tm_table *path;
    tm_table *context;
    tm__slice_columns states, segments, facts; ///< of timeline, path and context
    tm__map numbers;                           ///< id: row of `threads`
    int64_t least_ns; ///< the earliest time of all; formats know no negative ones
} tm__story;

/** A stretch of time on a track, with what is known of it; NULL: not known. */
typedef struct tm__story_slice {
    int64_t start_ns;
    int64_t end_ns;
    const char *name;
    const char *object;
    const char *class_name;
    const char *method;
    const char *peer;
    const char *via;
} tm__story_slice;

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__story_open(tm__story *story, const tm__export *to);

/** @return the number of a thread, its row; TM__NONE */
uint32_t tm__story_thread(const tm__story *story, uint64_t id);

/** "main", or "#17" where it has no name: of a thread's row. */
const char *tm__story_thread_name(const tm__story *story, size_t row, char *buffer,
                                  size_t bytes);

/**
 * A row of the timeline.
 * @param[out] thread  its number
 * @return 1; 0: there is nothing to show, the thread is dead
 */
int tm__story_state(const tm__story *story, size_t row, tm__story_slice *slice,
                    uint32_t *thread);

/** A row of the critical path, named by its thread. */
void tm__story_segment(const tm__story *story, size_t row, tm__story_slice *slice);

/** A row of the context. @param[out] thread  TM__NONE: all */
void tm__story_context(const tm__story *story, size_t row, tm__story_slice *slice,
                       uint32_t *thread);

/** A wake-up whose two threads are both known. */
typedef struct tm__flow {
    const char *kind;
    const char *class_name;
    const char *provenance;
    uint32_t from, to; ///< numbers of threads
    int64_t from_ns, to_ns;
} tm__flow;

/** @return 1; 0: the row is not such */
int tm__story_flow(const tm__story *story, size_t row, tm__flow *flow);

void tm__story_close(tm__story *story);

#endif
