/* SPDX-License-Identifier: Apache-2.0 */
/* Parks, unparks, and the carriers of virtual threads. */
#ifndef TM_MODEL_PARK_PERMIT_H
#define TM_MODEL_PARK_PERMIT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_park(tm_model *model, const tm__fact *fact);
void tm__on_unparked(tm_model *model, const tm__fact *fact);
/** A virtual thread is on a carrier, or ended on it. */
void tm__on_mount(tm_model *model, const tm__fact *fact);
void tm__on_unpark_called(tm_model *model, const tm__fact *fact);

#endif
