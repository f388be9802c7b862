/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that let a thread go on: the edges of the graph that paths, slack and
 * what-if walk over. Its nodes are the beginnings of intervals and the wake-ups that
 * threads cause.
 */
#ifndef TM_ANALYSIS_TIMELINE_WAKEUP_EDGE_H
#define TM_ANALYSIS_TIMELINE_WAKEUP_EDGE_H

#include <threadmodel/interaction.h>

#include "model/entities/thread.h"
#include "model/intervals/interval.h"

typedef struct tm__wakeup_edge {
    uint32_t from; ///< threads[]; TM__NONE: nobody, or not known
    uint32_t row;  ///< interactions, by number; TM__NONE: none
    int64_t
        from_ns;  ///< when it acted; INT64_MIN: not known; else not after the to-side
    uint8_t kind; ///< enum tm_interaction_kind; 0: not known what it was
    uint8_t provenance;
} tm__wakeup_edge;

/** The cause of the thread's interval that begins at it. */
tm__wakeup_edge tm__wakeup_edge_to(const tm_model *model, uint32_t thread,
                                   uint32_t interval);

/**
 * The event that ends a blocking interval, the intervals [first, end) of a thread. One
 * that has not ended with the data owes it to nobody, but for a join, which waits for a
 * thread that is known.
 */
tm__wakeup_edge tm__wakeup_edge_out(const tm_model *model, uint32_t thread,
                                    uint32_t first, uint32_t end);

/**
 * The thread that was there before one that nobody is known to have started: it had
 * the same thread of the operating system. A JVM ends so, in what was its main thread.
 * @return threads[], or TM__NONE; looks at every thread
 */
uint32_t tm__thread_predecessor(const tm_model *model, uint32_t thread);

/** The event that started a thread: a thread, by a row; both TM__NONE where that is not
 * known. */
tm__wakeup_edge tm__thread_start_edge(const tm_model *model, uint32_t thread);
/** @return threads[] that started a thread; TM__NONE: not known */
uint32_t tm__thread_starter(const tm_model *model, uint32_t thread);

/** A thread in this state can do nothing to another. */
static inline int tm__is_inert(int state)
{
    return tm__is_stopped(state) || state == TM_STATE_NEW || state == TM_STATE_DEAD;
}

/** The interval after the blocking interval that `interval` is part of. */
uint32_t tm__interval_after_blocking(const tm__thread *thread, uint32_t interval);
/** The one with which that blocking interval begins. */
uint32_t tm__interval_first_blocking(const tm__thread *thread, uint32_t interval);

#endif
