/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several owners of a lock at once, readers for instance: a record each, one run of
 * them in the lock's timeline. They are few, and looked at one by one.
 *
 *     W   [ ···· ]
 *     R1          [ ········· ]          first_reader: R1, while it has the lock
 *     R2          [ ·············· ]     the last to leave
 */
#include "model/ownership/readers.h"

#include "model/ownership/hold_sums.h"
#include "model/ownership/present_owner.h"

uint32_t tm__readers_see(tm_model *model, uint32_t object)
{
    uint32_t first = model->entities.details[object].first_reader;

    while (tm__tenure_at(model, first)->flags & TM__TENURE_OVER)
        first = tm__tenure_at(model, first)->next;
    for (tm__tenure *it = tm__tenure_at(model, first); it;
         it = tm__tenure_at(model, it->next))
        it->flags |= TM__TENURE_SEEN;
    return first;
}

void tm__readers_end(tm_model *model, uint32_t object, int64_t time_ns, int flags)
{
    uint32_t *first = &model->entities.details[object].first_reader;

    for (tm__tenure *it = tm__tenure_at(model, *first); it;
         it = tm__tenure_at(model, it->next)) {
        if (it->flags & TM__TENURE_OVER)
            continue;
        if (!(flags & TM__TENURE_LOST))
            it->after_ns = tm__tenure_slack(it->had_ns, time_ns);
        it->flags |= (uint16_t)(TM__TENURE_OVER | flags);
    }
    *first = 0;
}

/* A record of a reader that has left while nobody waited, to be written over.
 * @param[out] count  how many records there are of this run of readers */
static tm__tenure *unseen_reader(const tm_model *model, uint32_t object,
                                 uint32_t *count)
{
    tm__tenure *it = tm__tenure_at(model, model->entities.details[object].first_reader);

    for (*count = 0; it && *count < TM__READERS_MAX;
         it = tm__tenure_at(model, it->next), ++*count)
        if (it->flags & TM__TENURE_OVER && it->flags & TM__TENURE_SHARED &&
            !(it->flags & (TM__TENURE_SEEN | TM__TENURE_HANDED)))
            return it;
    return NULL;
}

void tm__reader_add(tm_model *model, uint32_t object, const tm__had *fact)
{
    uint32_t count = 0;
    tm__tenure *spare = model->entities.objects[object].wanted
                            ? NULL
                            : unseen_reader(model, object, &count);

    if (spare) {
        if (tm__tenure_is_reported_over(spare))
            tm__hold_sum_add(model, object, spare, spare->had_ns - spare->got_ns);
        tm__tenure_fill(spare, fact, 0, TM__TENURE_SHARED);
    } else if (count < TM__READERS_MAX) {
        tm__tenure_append(model, object, tm__tenure_last(model, object), fact, 0,
                          TM__TENURE_SHARED);
    }
}

void tm__reader_left(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns)
{
    uint32_t *first = &model->entities.details[object].first_reader;
    tm__tenure *it;

    /* Records that nobody has seen are for the next readers. */
    while ((it = tm__tenure_at(model, *first)) && it->flags & TM__TENURE_OVER &&
           it->flags & TM__TENURE_SEEN)
        *first = it->next;
    if (model->entities.objects[object].owner != thread)
        return;
    tm__disown(model, object);
    it = tm__reader_of(model, object, TM__NONE);
    if (it)
        tm__own(model, object, it->owner, time_ns, TM_PROVENANCE_INFERRED);
}

void tm__tenure_left(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object), *mine = NULL;

    if (tm__is_shared(model, object))
        mine = tm__reader_of(model, object, fact->thread);
    if (!mine) {
        /* A writer that read besides goes on to write. */
        if (last && last->owner == fact->thread)
            tm__tenure_set_flag(last, TM__TENURE_READS, 0);
        else
            /* It had no record, or that was evicted. */
            tm__reader_left(model, object, fact->thread, fact->time_ns);
        return;
    }
    mine->had_ns = fact->time_ns;
    mine->had_provenance = (uint8_t)fact->provenance;
    mine->after_ns = 0;
    mine->flags |= TM__TENURE_OVER | TM__TENURE_RELEASED;
    tm__tenure_set_flag(mine, TM__TENURE_HAD_BLOCKED, 0);
    tm__reader_left(model, object, fact->thread, fact->time_ns);
}

void tm__tenure_nobody_shares(tm_model *model, uint32_t object, int64_t time_ns)
{
    if (!tm__is_shared(model, object))
        return;
    tm__readers_end(model, object, time_ns, 0);
    tm__disown(model, object);
}
