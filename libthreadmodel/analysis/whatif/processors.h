/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far the processors limited a run. A thread that runs has a processor, waits for
 * one, or is in native code that needs none, and few producers tell which.
 */
#ifndef TM_ANALYSIS_WHATIF_PROCESSORS_H
#define TM_ANALYSIS_WHATIF_PROCESSORS_H

#include "model/entities/thread.h"
#include "model/state/model.h"

/** A stretch of the recording in which each thread that ran did the same share of its
 * work. */
typedef struct tm__pace {
    int64_t from_ns;
    double done_ns; ///< what one that had run since the begin had done by then
    double share;   ///< of a processor; 1: nothing kept it
} tm__pace;

typedef struct tm__processors {
    tm__memory *memory;
    double most;  ///< threads that run without slowing one another; 0: any number
    int is_known; ///< how many there were, and for how long threads had them
    TM__ARRAY(tm__pace, paces);
} tm__processors;

/**
 * Find out how many threads could run at once.
 * @param it  0, with memory set
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__processors_find(tm__processors *it, const tm_model *model, int64_t begin_ns);

/** Whether a thread takes turns with others at the processors. Carriers do so as the
 * virtual threads that they carry, and a daemon that never did anything else than run
 * most likely waits in native code. */
static inline int tm__takes_processor(const tm__thread *thread)
{
    return !(thread->flags & (TM_THREAD_CARRIER | TM_THREAD_AGENT)) &&
           !(thread->flags & TM_THREAD_DAEMON && thread->interval_count <= 1);
}

/** The activity of a thread that ran from one instant to another.
 * @param near  paces[] that may be near, and the nearest from then on; TM__NONE at
 * first
 */
int64_t tm__processors_work_ns(const tm__processors *it, int64_t from_ns, int64_t to_ns,
                               uint32_t *near);

void tm__processors_free(tm__processors *it);

#endif
