/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of an event on a model. */
#ifndef TM_MODEL_REPLAY_H
#define TM_MODEL_REPLAY_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/**
 * Take one event.
 * @param fact  the result of tm__fact_resolve() for it; its time may be put in order
 * @return TM_OK, TM_ENOMEM, or the status of the callback for deadlocks
 */
int tm__replay(tm_model *model, const tm_event *event, tm__fact *fact);

/** No time is so far out that differences overflow. @return it, moved if need be */
int64_t tm__settle_time(tm_model *model, int64_t time_ns);

#endif
