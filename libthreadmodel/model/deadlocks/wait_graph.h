/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for whom: the edges along which deadlocks are searched for. */
#ifndef TM_MODEL_WAIT_GRAPH_H
#define TM_MODEL_WAIT_GRAPH_H

#include <threadmodel/model.h>

/** A thread cannot go on without an object. */
void tm__want(tm_model *model, uint32_t thread, uint32_t object);
/** It cannot go on before another has ended. */
void tm__want_end_of(tm_model *model, uint32_t thread, uint32_t joined);
/** It waits for that no more. */
void tm__want_no_end(tm_model *model, uint32_t thread);
/** A block ends: its thread leaves the queue that it stands in, and its deadlock. What
 * is known by then of the owner and of the locks that it held is noted. */
void tm__leave_queue(tm_model *model, uint32_t thread, int64_t time_ns);

#endif
