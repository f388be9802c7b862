/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for what no thread owns. */
#ifndef TM_MODEL_AWAIT_H
#define TM_MODEL_AWAIT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/* Ingest calls tm__wake_reserve() before each of these. */
void tm__on_await(tm_model *model, const tm__fact *fact);
void tm__on_awaited(tm_model *model, const tm__fact *fact);
/** @return TM_OK or TM_ENOMEM, and then nobody got a permit */
int tm__on_post(tm_model *model, const tm__fact *fact);

#endif
