/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking intervals, as questions count them: a block that became a deadlock is one
 * block, though the timeline has two intervals of it.
 */
#ifndef TM_ANALYSIS_TIMELINE_BLOCKING_H
#define TM_ANALYSIS_TIMELINE_BLOCKING_H

#include "analysis/listing/selection.h"
#include "model/entities/thread.h"

/** A blocking interval, cut at the edges of a window. */
typedef struct tm__blocking_part {
    int64_t start_ns; ///< on the model's clock
    int64_t end_ns;   ///< the last event's time where it has not ended
    uint32_t object;  ///< objects[]: monitor, blocker, joined thread's own; TM__NONE
    uint32_t stack;   ///< stacks[] where it began, or TM__NONE
    int state;        ///< enum tm_state: as which it began: BLOCKED to PARKED, IO; or
                      ///< RUNNABLE, NATIVE
    int is_idle;      ///< I/O that others begin of their own accord
} tm__blocking_part;

typedef struct tm__blocking_walk {
    const tm_model *model;
    const tm__scope *scope;
    const tm__thread *thread;
    uint32_t next; ///< intervals[] of the thread
} tm__blocking_walk;

/** Begin with the first blocking interval of a thread that lies in the scope's window.
 */
void tm__blocking_start(tm__blocking_walk *walk, const tm_model *model,
                        const tm__scope *scope, uint32_t thread);

/** @return 1 and the next blocking interval by rising time, or 0 after the last */
int tm__blocking_next(tm__blocking_walk *walk, tm__blocking_part *part);

/** Evicted blocking intervals of a thread that lie in the scope's window: it can only
 * be all of them or none. @return head of a list of aggregates[], or TM__NONE */
uint32_t tm__scope_aggregates(const tm__scope *scope, const tm_model *model,
                              const tm__thread *thread);

/**
 * Whether a thread may wait in the end as long as it likes: a daemon, or one of a
 * program whose threads end with it, not its first one, that waits for a condition
 * while no thread waits for it.
 */
int tm__may_wait_for_ever(const tm_model *model, const tm__thread *thread);

/** Whether the scope asks about a class, which may be TM__NONE. */
int tm__scope_has_class(const tm__scope *scope, uint32_t class_index);

/** The same about the class of an object, which may be TM__NONE. */
int tm__scope_has_class_of(const tm__scope *scope, const tm_model *model,
                           uint32_t object);

#endif
