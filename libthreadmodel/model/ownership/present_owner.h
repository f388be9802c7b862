/* SPDX-License-Identifier: Apache-2.0 */
/* The present owner of a lock, and the locks that a thread owns now. */
#ifndef TM_MODEL_OWNERSHIP_PRESENT_OWNER_H
#define TM_MODEL_OWNERSHIP_PRESENT_OWNER_H

#include "model/ownership/owner_facts.h"

/**
 * Whether the producer reports the end of the thread's blocking interval: only then is
 * the thread known to be where it was seen. A producer that does not state what it
 * reports is taken to report the ends of all intervals whose beginnings it reported.
 */
int tm__end_is_reported(const tm_model *model, const tm__thread *thread);
/** A thread is the object's owner from now on, as far as is known. */
void tm__own(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns,
             int provenance);
/** Nobody is known to own the object. */
void tm__disown(tm_model *model, uint32_t object);

/** Whether an owner, stated at the model's present time, is one of a thread dump. */
int tm__is_of_a_dump(const tm_model *model, const tm__object *object);

/** How sure it is that the owner still owns it. @return enum tm_provenance */
static inline int tm__owner_provenance(const tm_model *model, const tm__object *object)
{
    const tm__thread *owner;

    if (object->owner == TM__NONE)
        return TM_PROVENANCE_UNKNOWN;
    owner = &model->entities.threads[object->owner];
    if (object->owner_interval == TM__NONE)
        return object->owner_ns == model->last_ns && tm__is_of_a_dump(model, object)
                   ? object->owner_provenance
                   : TM_PROVENANCE_INFERRED;
    /* Events were lost since it was known to be blocked. */
    if (owner->losses != model->intervals.losses)
        return TM_PROVENANCE_INFERRED;
    /* A notified waiter goes from WAITING to REENTERING without running. */
    return object->owner_interval == owner->interval_first + tm__blocking_first(owner)
               ? object->owner_provenance
               : TM_PROVENANCE_INFERRED;
}

#endif
