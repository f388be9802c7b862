/* SPDX-License-Identifier: Apache-2.0 */
/* Waits and notifies of monitors and conditions. */
#ifndef TM_MODEL_WAIT_H
#define TM_MODEL_WAIT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_wait(tm_model *model, const tm__fact *fact);
void tm__on_waited(tm_model *model, const tm__fact *fact);
int tm__on_notify(tm_model *model, const tm__fact *fact);

#endif
