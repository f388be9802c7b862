/* SPDX-License-Identifier: Apache-2.0 */
/* What events say of who has what, one fact at a time. */
#ifndef TM_MODEL_OWNER_FACTS_H
#define TM_MODEL_OWNER_FACTS_H

#include "base/map.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/** That a thread had an object at an instant. */
typedef struct tm__had {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; ///< where it got it, or TM__NONE
    int provenance; ///< enum tm_provenance
} tm__had;

/** How sure it is what an event says of an owner. @return enum tm_provenance */
int tm__reported_provenance(const tm__fact *fact);

/**
 * Whether the producer tells when the thread's blocking interval is over: only then is
 * it known to be where it was seen. One that does not say what it tells is taken to
 * tell the ends of what it told the beginnings of.
 */
int tm__end_is_reported(const tm_model *model, const tm__thread *thread);
/**
 * Whether who got an object at a stack must have let go of it by a blocking interval of
 * its.
 * @param taken  stacks[] or TM__NONE
 */
int tm__has_left(const tm_model *model, uint32_t object, uint32_t taken,
                 const tm__interval *blocked);
/** A thread is the object's owner from now on, as far as is known. */
void tm__own(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns,
             int provenance);
/** Nobody is known to own the object. */
void tm__disown(tm_model *model, uint32_t object);
/** A thread begins to queue for an object. @return the record that is then the last */
uint32_t tm__tenure_wanted(tm_model *model, uint32_t object, int64_t time_ns);
/** Somebody has it, for a thread is blocked by it, and nobody is known to. */
void tm__tenure_unknown(tm_model *model, uint32_t object, int64_t time_ns);
/** A thread has it at an instant, and may have had it before. */
void tm__tenure_had(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread has it from now on. @param earliest_ns  or maybe since then; INT64_MIN:
 * since any time  @param flags  TM__TENURE_HANDED, _PROVISIONAL, _SHARED */
void tm__tenure_got(tm_model *model, uint32_t object, const tm__had *fact,
                    int64_t earliest_ns, int flags);
/** A thread has it from now on as one of several, which are told of. */
void tm__tenure_shared(tm_model *model, uint32_t object, const tm__had *fact);
/** One of several owners lets go now. */
void tm__tenure_left(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread that was woken to take an object wakes the next one while it has it: it
 * shares it. @param fact  of that instant */
void tm__tenure_shares(tm_model *model, uint32_t object, const tm__had *fact);
/** Nobody has it now, who shared it. */
void tm__tenure_nobody_shares(tm_model *model, uint32_t object, int64_t time_ns);
/** A thread lets go now. */
void tm__tenure_released(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread that may have had it does not have it now. */
void tm__tenure_over(tm_model *model, uint32_t object, uint32_t thread,
                     int64_t time_ns);
/** The same, of all that it is thought to have. */
void tm__tenure_all_over(tm_model *model, uint32_t thread, int64_t time_ns);
/** The same, where it had all of that until then if releases are reported: from now on
 * nobody tells. */
void tm__tenure_all_unseen(tm_model *model, uint32_t thread, int64_t time_ns);
/** A thread that was woken to take an object did not get it.
 * @param from  a record of that object from which on to look
 * @return who woke it, where that need not have been a release; or TM__NONE */
uint32_t tm__tenure_revoke(tm_model *model, uint32_t thread, uint32_t from);
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
    /* That it is still blocked was known before events were lost. */
    if (owner->losses != model->intervals.losses)
        return TM_PROVENANCE_INFERRED;
    /* A notified waiter goes from WAITING to REENTERING without running. */
    return object->owner_interval == owner->interval_first + tm__blocking_first(owner)
               ? object->owner_provenance
               : TM_PROVENANCE_INFERRED;
}

/** What was said of the owner of what a thread is blocked by becomes the block's. */
void tm__name_owner(tm_model *model, uint32_t thread);

#endif
