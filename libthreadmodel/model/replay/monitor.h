/* SPDX-License-Identifier: Apache-2.0 */
/* Contended enters, and what producers report of every owner. */
#ifndef TM_MODEL_MONITOR_H
#define TM_MODEL_MONITOR_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_enter(tm_model *model, const tm__fact *fact);
void tm__on_entered(tm_model *model, const tm__fact *fact);
void tm__on_acquired(tm_model *model, const tm__fact *fact);
void tm__on_released(tm_model *model, const tm__fact *fact);

#endif
