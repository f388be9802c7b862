/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies bound to waiters by the rule of the TPTP 4.5 design. */
#ifndef TM_MODEL_WAKEUPS_BINDING_TPTP_H
#define TM_MODEL_WAKEUPS_BINDING_TPTP_H

#include "model/wakeups/bindings.h"

int tm__bind_notify_tptp(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_tptp(tm_model *model, const tm__fact *fact);

#endif
