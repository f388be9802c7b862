/* SPDX-License-Identifier: Apache-2.0 */
/* A record of one owner of a lock, and the last records of a lock. */
#ifndef TM_MODEL_OWNERSHIP_TENURE_RECORD_H
#define TM_MODEL_OWNERSHIP_TENURE_RECORD_H

#include "model/entities/object.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/tenure.h"

/** So many records of readers are looked at, from the first one that still has the
 * lock; further readers at once are not known. */
enum { TM__READERS_MAX = 256 };

/** The last record of an object, or NULL. */
static inline tm__tenure *tm__tenure_last(const tm_model *model, uint32_t object)
{
    return tm__tenure_at(model, model->entities.objects[object].tenure);
}

/** How far it is from one instant to another. @return TM__UNLIMITED: too far to tell */
static inline uint32_t tm__tenure_slack(int64_t from_ns, int64_t to_ns)
{
    if (to_ns <= from_ns)
        return 0;
    return to_ns - from_ns < TM__UNLIMITED ? (uint32_t)(to_ns - from_ns)
                                           : TM__UNLIMITED;
}

static inline void tm__tenure_set_flag(tm__tenure *it, int flag, int is_set)
{
    it->flags = (uint16_t)(is_set ? it->flags | flag : it->flags & ~flag);
}

/** The stack of a fact becomes that of the record. */
void tm__tenure_set_stack(tm__tenure *it, const tm__had *fact);

/** Begin a record of an object; each field is written where it stays. */
void tm__tenure_fill(tm__tenure *it, const tm__had *fact, uint32_t before_ns,
                     int flags);
/** The same as the last of an object. A record of an unseen owner gives way to it.
 * @param last  that of now, or NULL */
void tm__tenure_append(tm_model *model, uint32_t object, tm__tenure *last,
                       const tm__had *fact, uint32_t before_ns, int flags);

/** Where each release is reported, the owner of a record had it until events are
 * missing. */
void tm__had_until(const tm_model *model, tm__tenure *it, int64_t time_ns);

/** The record of a reader that has it still. @param thread  TM__NONE: any */
tm__tenure *tm__reader_of(const tm_model *model, uint32_t object, uint32_t thread);
/** Whether somebody shares an object, by its last record. */
static inline int tm__is_shared_at(const tm_model *model, uint32_t object,
                                   const tm__tenure *last)
{
    return last && last->flags & TM__TENURE_SHARED &&
           tm__reader_of(model, object, TM__NONE) != NULL;
}
/** The same, as far as that is reported. */
static inline int tm__is_shared(const tm_model *model, uint32_t object)
{
    return tm__is_shared_at(model, object, tm__tenure_last(model, object));
}

#endif
