/* SPDX-License-Identifier: Apache-2.0 */
/* The return of a waiter that was waiting before recording began. */
#ifndef TM_MODEL_WAKEUPS_BINDING_LATE_H
#define TM_MODEL_WAKEUPS_BINDING_LATE_H

#include "model/wakeups/bindings.h"

/**
 * A waiter came back, and it was not known until now what it waited for.
 * @param fact  with the object, as the end names it
 * @return interactions[] that woke it, or TM__NONE
 */
uint32_t tm__bind_late(tm_model *model, const tm__fact *fact);

#endif
