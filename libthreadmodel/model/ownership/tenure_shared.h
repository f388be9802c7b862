/* SPDX-License-Identifier: Apache-2.0 */
/* Records of those who share a lock, several at once; and how records are written. */
#ifndef TM_MODEL_TENURE_SHARED_H
#define TM_MODEL_TENURE_SHARED_H

#include "model/entities/object.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/tenure.h"

/* tenure_write.c: one record */

/** Begin a record of an object; each field is written where it stays. */
void tm__tenure_fill(tm__tenure *it, const tm__had *fact, uint32_t before_ns,
                     int flags);
/** The same as the last of an object. What nobody has seen gives way to it.
 * @param last  that of now, or NULL */
void tm__tenure_append(tm_model *model, uint32_t object, tm__tenure *last,
                       const tm__had *fact, uint32_t before_ns, int flags);

/** Where each release is reported, the owner of a record had it until events are
 * missing. */
void tm__had_until(const tm_model *model, tm__tenure *it, int64_t time_ns);

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

/* tenure_shared.c: several at once */

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
/** All who share it stay, and whoever comes after them. @return the first of them */
uint32_t tm__readers_see(tm_model *model, uint32_t object);
/** Those who shared it have let go by now, seen or not.
 * @param flags  TM__TENURE_LOST: or it is not known whether they have */
void tm__readers_end(tm_model *model, uint32_t object, int64_t time_ns, int flags);
/** A reader is gone: another stands for those who have it still. */
void tm__reader_left(tm_model *model, uint32_t object, uint32_t thread,
                     int64_t time_ns);

#endif
