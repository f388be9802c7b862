/* SPDX-License-Identifier: Apache-2.0 */
/* The notify that woke each waiter. */
#ifndef TM_MODEL_BINDING_H
#define TM_MODEL_BINDING_H

#include "model/wakeups/bindings.h"

/** @return TM_OK or TM_ENOMEM, and then nothing has changed */
int tm__bind_notify(tm_model *model, const tm__fact *fact);
/** Wake all waiters of an object. @return TM_OK or TM_ENOMEM, nothing changed */
int tm__bind_all(tm_model *model, const tm__fact *fact, uint32_t object, int kind);
/**
 * A waiter came back.
 * @param[out] certain  whether it is certain, where no notify woke it, that none did
 * @return interactions[] that woke it, or TM__NONE
 */
uint32_t tm__bind_waited(tm_model *model, const tm__fact *fact, int *certain);
/** A woken waiter was seen to run without a Waited; settle what it was bound to. */
void tm__bind_unseen_return(tm_model *model, const tm__fact *fact);

#endif
