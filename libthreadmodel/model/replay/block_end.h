/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a block, reported or not. */
#ifndef TM_MODEL_BLOCK_END_H
#define TM_MODEL_BLOCK_END_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/** The thread's blocking interval is over: it leaves its queue and its deadlock. */
void tm__blocking_end(tm_model *model, uint32_t thread, int64_t time_ns);
/** The event proves that the thread runs; count an end that was missing. */
void tm__must_run(tm_model *model, const tm__fact *fact);

#endif
