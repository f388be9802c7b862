/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies of a producer that names the notifier when the waiter returns. */
#ifndef TM_MODEL_WAKEUPS_BINDING_REPORTED_H
#define TM_MODEL_WAKEUPS_BINDING_REPORTED_H

#include "model/wakeups/bindings.h"

int tm__bind_notify_reported(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_reported(tm_model *model, const tm__fact *fact);

#endif
