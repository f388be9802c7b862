/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that happened in a run in the order of time, forward or backward: beginnings
 * of intervals, and wake-ups of others by threads.
 */
#ifndef TM_ANALYSIS_TIMELINE_TIME_MERGE_H
#define TM_ANALYSIS_TIMELINE_TIME_MERGE_H

#include "model/intervals/interaction.h"

typedef struct tm__time_merge_point {
    int64_t time_ns;
    uint32_t thread; ///< whose interval begins, or who wakes others
    uint32_t number; ///< of the interval, or of the interaction
    int is_wakeup;
} tm__time_merge_point;

/** The next point of a thread, by the key that the heap is sorted by. */
typedef struct tm__time_merge_entry {
    int64_t key_ns;
    uint32_t thread;
    uint32_t turn; ///< how often it has let others of its time go first
} tm__time_merge_entry;

typedef struct tm__time_merge_thread {
    uint32_t interval; ///< the next; backward, one more than the next
    uint32_t wakeup;   ///< the same, in wakeups[]
} tm__time_merge_thread;

typedef struct tm__time_merge {
    const tm_model *model;
    tm__memory *memory;
    uint32_t thread_count;
    uint32_t wakeup_count;
    uint32_t *wakeup_first; ///< a thread's in wakeups[]; thread_count + 1
    uint32_t *wakeups;      ///< interactions, by number, of one thread after the other
    tm__time_merge_thread *threads;
    tm__time_merge_entry *heap;
    uint32_t heap_count;
    int backward;
    int is_visited; ///< the first of the heap was handed out
} tm__time_merge;

/** @return TM_OK or TM_ENOMEM; to be closed whatever is returned */
int tm__time_merge_open(tm__time_merge *merge, const tm_model *model,
                        tm__memory *memory);

/** The same of beginnings of intervals alone. */
int tm__time_merge_open_intervals(tm__time_merge *merge, const tm_model *model,
                                  tm__memory *memory);

/** Begin at the run's beginning, or at its end. */
void tm__time_merge_start(tm__time_merge *merge, int backward);

/** @return 1 and the next point, or 0 after the last */
int tm__time_merge_next(tm__time_merge *merge, tm__time_merge_point *point);

/**
 * Put the point just handed out behind others of the same time.
 * @return 0 when it has waited for them long enough: it is to be taken now
 */
int tm__time_merge_defer(tm__time_merge *merge);

/** Whether a row is a wakeup that the merge hands out. */
int tm__time_merge_has(const tm__interaction *row);

/** Whether a thread will be able to wake others at this very instant, though not yet;
 * forward.
 */
int tm__time_merge_is_coming(const tm__time_merge *merge, uint32_t thread,
                             int64_t time_ns);

/** The index of a row in wakeups[]. @return TM__NONE: the merge does not hand it out */
uint32_t tm__time_merge_wakeup(const tm__time_merge *merge, uint32_t row);

/** When a thread could last have acted, up to the time of a point; forward. */
int64_t tm__time_merge_able_ns(const tm__time_merge *merge, uint32_t thread,
                               int64_t time_ns);

void tm__time_merge_close(tm__time_merge *merge);

#endif
