/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that an event states of the owner of a lock. */
#ifndef TM_MODEL_OWNER_FACTS_H
#define TM_MODEL_OWNER_FACTS_H

#include "base/map.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/** The fact that a thread had an object at an instant. */
typedef struct tm__had {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; ///< where it got it, or TM__NONE
    int provenance; ///< enum tm_provenance
    int is_sampled; ///< the stack is that of another fact like it
} tm__had;

#endif
