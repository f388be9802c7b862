/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that ended and objects that nothing names any more, under a memory limit. */
#ifndef TM_MODEL_FORGET_H
#define TM_MODEL_FORGET_H

#include <threadmodel/model.h>

/**
 * Forget threads that ended by an instant, and objects, that nothing which is kept
 * refers to, if entities take more than their share of the limit. Indexes change: not
 * inside the replay of an event. Without memory for it nothing is forgotten.
 * @return how many were forgotten
 */
uint64_t tm__forget_ended(tm_model *model, int64_t cut_ns);

#endif
