/* SPDX-License-Identifier: Apache-2.0 */
/* From a release to the instant at which the next one has the lock. */
#ifndef TM_MODEL_WAKEUP_LATENCY_H
#define TM_MODEL_WAKEUP_LATENCY_H

#include <threadmodel/model.h>

/** From an exact release to the instant at which the next one had it: counts by
 * length, four to an octave. */
typedef struct tm__latency {
    uint32_t counts[4 * 42];
    uint32_t count;
} tm__latency;

/** Which wake-ups are alike. */
enum {
    TM__WAKEUP_MONITOR, ///< of a thread that queues for a monitor
    TM__WAKEUP_PARK,    ///< of a parked thread
    TM__WAKEUP_END
};

/** A wake-up that takes so many times as long as the median was none alone. */
enum { TM__WAKEUP_MUCH_LONGER = 8 };

void tm__latency_add(tm__latency *latency, int64_t ns);
/** The median of a run's wake-ups; of the other kind's where there is none; 0. */
int64_t tm__wakeup_ns(const tm_model *model, int kind);

#endif
