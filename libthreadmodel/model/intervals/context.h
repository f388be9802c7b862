/* SPDX-License-Identifier: Apache-2.0 */
/* Facts beside the states of threads. */
#ifndef TM_MODEL_CONTEXT_H
#define TM_MODEL_CONTEXT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"
#include "model/state/interval_state.h"

/** A fact beside the states of threads, reported when it was over; see
 * threadmodel/context.h. */
typedef struct tm__context {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread; ///< threads[]; TM__NONE: all
    uint32_t object; ///< objects[] or TM__NONE
    uint32_t stack;  ///< stacks[] or TM__NONE
    uint16_t kind;   ///< enum tm_event_kind
    uint16_t cause;  ///< enum tm_inflation, of an inflation
} tm__context;

/** Room for one more fact. @return TM_OK or TM_ENOMEM */
int tm__context_reserve(tm_model *model);
/** Keep a fact that was reported at its end; its value is how long it lasted. */
void tm__context_add(tm__intervals *intervals, const tm__fact *fact);

#endif
