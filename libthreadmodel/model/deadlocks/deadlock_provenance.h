/* SPDX-License-Identifier: Apache-2.0 */
/* How certain it is that a thread waits for another. */
#ifndef TM_MODEL_DEADLOCKS_DEADLOCK_PROVENANCE_H
#define TM_MODEL_DEADLOCKS_DEADLOCK_PROVENANCE_H

#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

/** Whether a thread that wants a lock shares it. */
int tm__shares_lock(const tm_model *model, uint32_t thread);

/** How certain it is that a thread that wants something waits for the next one.
 * @return enum tm_provenance */
int tm__edge_provenance(const tm_model *model, const tm__thread *thread);

/** Whether a thread waits for a lock that it shares: a reader that wants to
 * write. Each contended enter asks, and few locks have readers. */
static inline int tm__shares_what_it_wants(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];

    return it->wants != TM__NONE &&
           (it->blocking_state == TM_STATE_PARKED ||
            model->entities.details[it->wants].first_reader) &&
           tm__shares_lock(model, thread);
}

#endif
