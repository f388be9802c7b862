/* SPDX-License-Identifier: Apache-2.0 */
/* States that threads are found in, and pauses of a recording. */
#ifndef TM_MODEL_THREAD_STATE_FACTS_H
#define TM_MODEL_THREAD_STATE_FACTS_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_snapshot(tm_model *model, const tm__fact *fact);
/** Nothing is reported from here on, of any thread. @return TM_OK or TM_ENOMEM */
int tm__on_pause(tm_model *model, int64_t time_ns);

#endif
