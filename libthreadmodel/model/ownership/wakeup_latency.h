/* SPDX-License-Identifier: Apache-2.0 */
/* From a release to the instant at which the next one has the lock. */
#ifndef TM_MODEL_WAKEUP_LATENCY_H
#define TM_MODEL_WAKEUP_LATENCY_H

#include <threadmodel/model.h>

#include "model/state/ownership_state.h"

/** A wake-up that takes so many times as long as the median was more than that. */
enum { TM__WAKEUP_MUCH_LONGER = 8 };

void tm__latency_add(tm__latency *latency, int64_t ns);
/** The median of a run's wake-ups; of the other kind's where there is none; 0. */
int64_t tm__wakeup_ns(const tm__ownership *ownership, int kind);

#endif
