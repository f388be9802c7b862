/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of threads, joins, sleeps, interrupts. */
#ifndef TM_MODEL_THREAD_LIFE_H
#define TM_MODEL_THREAD_LIFE_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

void tm__on_start_called(tm_model *model, const tm__fact *fact);
void tm__on_start(tm_model *model, const tm__fact *fact);
int tm__on_end(tm_model *model, const tm__fact *fact);
void tm__on_join(tm_model *model, const tm__fact *fact);
void tm__on_joined(tm_model *model, const tm__fact *fact);
void tm__on_sleep(tm_model *model, const tm__fact *fact);
void tm__on_slept(tm_model *model, const tm__fact *fact);
void tm__on_interrupt_called(tm_model *model, const tm__fact *fact);
void tm__on_interrupted(tm_model *model, const tm__fact *fact);

#endif
