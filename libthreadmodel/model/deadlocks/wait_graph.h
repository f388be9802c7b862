/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of waits: edges along which deadlocks are searched for. */
#ifndef TM_MODEL_WAIT_GRAPH_H
#define TM_MODEL_WAIT_GRAPH_H

#include <threadmodel/model.h>

#include "model/deadlocks/deadlock_search.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/tenure_bounds.h"
#include "model/state/model.h"

/** A thread cannot go on without an object. */
void tm__want(tm_model *model, uint32_t thread, uint32_t object);
/** It cannot go on before another has ended. */
void tm__want_end_of(tm_model *model, uint32_t thread, uint32_t joined);
/** It waits for that no more. */
void tm__want_no_end(tm_model *model, uint32_t thread);
/** Where others wait for the thread, chains that led over it lead elsewhere. */
static inline void tm__edge_goes(tm_model *model, const tm__thread *thread)
{
    model->ownership.edges_gone += thread->wanted > 0;
}

/** A block ends: its thread leaves the queue that it stands in, and its deadlock. The
 * owner and the locks that the thread held, as far as known by then, are noted. Each
 * end of a block calls it, so it is inline. */
static inline void tm__leave_queue(tm_model *model, uint32_t thread, int64_t time_ns)
{
    tm__thread *it = &model->entities.threads[thread];
    tm__object *wanted;

    if (it->owned != TM__NONE && it->wants != TM__NONE)
        tm__order_note(model, thread);
    if (it->deadlock != TM__NONE)
        tm__deadlock_leave(model, thread, time_ns);
    if (it->wants == TM__NONE)
        return;
    tm__name_owner(model, thread);
    wanted = &model->entities.objects[it->wants];
    tm__edge_goes(model, it);
    it->wants = TM__NONE;
    model->deadlocks.blocked_count--;
    wanted->wanted--;
    if (wanted->owner != TM__NONE)
        model->entities.threads[wanted->owner].wanted--;
}

#endif
