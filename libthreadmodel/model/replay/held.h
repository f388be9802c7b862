/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that a thread is said to own. */
#ifndef TM_MODEL_HELD_H
#define TM_MODEL_HELD_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_held(tm_model *model, const tm__fact *fact);

#endif
