/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that shares a lock with others, and had it alone before perhaps. */
#ifndef TM_MODEL_TENURE_SHARED_H
#define TM_MODEL_TENURE_SHARED_H

#include "model/ownership/owner_facts.h"

/** A thread has it from now on as one of several. */
void tm__tenure_shared(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread that was woken to take an object wakes the next one while it owns it: it
 * shares it. @param fact  of that instant */
void tm__tenure_shares(tm_model *model, uint32_t object, const tm__had *fact);

#endif
