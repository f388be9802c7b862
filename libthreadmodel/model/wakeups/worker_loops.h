/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of a program's own that wait for work and do it. */
#ifndef TM_MODEL_WORKER_LOOPS_H
#define TM_MODEL_WORKER_LOOPS_H

#include <threadmodel/model.h>

/** Infer them, unless the model keeps them already. @return TM_OK or TM_ENOMEM */
int tm__worker_loops_find(const tm_model *model);

/** Whether a thread that waits where this is the caller, frames[] or TM__NONE, waits
 * for work: in a method that is known to, or in a loop that was found. */
int tm__frame_waits_for_work(const tm_model *model, uint32_t frame);

#endif
