/* SPDX-License-Identifier: Apache-2.0 */
/* When events were lost. */
#ifndef TM_MODEL_LOST_EVENTS_H
#define TM_MODEL_LOST_EVENTS_H

#include "model/state/model.h"

/** A stretch of time whose events were lost. */
typedef struct tm__loss {
    int64_t from_ns;
    int64_t to_ns;
} tm__loss;

/** Note that events of this time were lost. @return TM_OK or TM_ENOMEM */
int tm__loss_note(tm_model *model, int64_t from_ns, int64_t to_ns);

/** Whether events were lost within a stretch of time. */
int tm__lost_between(const tm__intervals *intervals, int64_t from_ns, int64_t to_ns);

/** When the first event after a time was lost; INT64_MIN: none was. */
int64_t tm__lost_first_ns(const tm__intervals *intervals, int64_t since_ns);

/** Whether events were lost between a time and now. */
static inline int tm__lost_since(const tm__intervals *intervals, int64_t time_ns)
{
    return intervals->loss_ns >= time_ns && intervals->losses;
}

#endif
