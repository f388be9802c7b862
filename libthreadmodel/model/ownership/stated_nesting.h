/* SPDX-License-Identifier: Apache-2.0 */
/* Nestings of locks that a producer states. */
#ifndef TM_MODEL_STATED_NESTING_H
#define TM_MODEL_STATED_NESTING_H

#include "model/entities/fact.h"

/** One event of a nesting, see TM_EVENT_NESTED. */
void tm__order_stated(tm_model *model, const tm__fact *fact);

#endif
