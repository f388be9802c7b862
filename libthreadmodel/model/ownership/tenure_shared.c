/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several owners of a lock at once, readers for instance: a record each, one run of
 * them in the lock's timeline. They are few, and looked at one by one.
 *
 *     W   [ ···· ]
 *     R1          [ ········· ]          first_reader: R1, while it has the lock
 *     R2          [ ·············· ]     the last to leave
 */
#include "model/ownership/tenure_shared.h"

#include "model/ownership/hold_sums.h"

/* So many records of readers are looked at, from the first that has it still on; of
 * more readers at once nothing is known. */
enum { READERS_MAX = 256 };

tm__tenure *tm__reader_of(const tm_model *model, uint32_t object, uint32_t thread)
{
    tm__tenure *it = tm__tenure_at(model, model->entities.details[object].first_reader);

    for (uint32_t seen = 0; it && seen < READERS_MAX;
         it = tm__tenure_at(model, it->next), seen++)
        if (!(it->flags & TM__TENURE_OVER) &&
            (thread == TM__NONE || it->owner == thread))
            return it;
    return NULL;
}

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

    for (*count = 0; it && *count < READERS_MAX;
         it = tm__tenure_at(model, it->next), ++*count)
        if (it->flags & TM__TENURE_OVER && it->flags & TM__TENURE_SHARED &&
            !(it->flags & (TM__TENURE_SEEN | TM__TENURE_HANDED)))
            return it;
    return NULL;
}

static void add_reader(tm_model *model, uint32_t object, const tm__had *fact)
{
    uint32_t count = 0;
    tm__tenure *spare = model->entities.objects[object].wanted
                            ? NULL
                            : unseen_reader(model, object, &count);

    if (spare) {
        if (tm__tenure_is_reported_over(spare))
            tm__hold_sum_add(model, object, spare, spare->had_ns - spare->got_ns);
        tm__tenure_fill(spare, fact, 0, TM__TENURE_SHARED);
    } else if (count < READERS_MAX) {
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

void tm__tenure_shared(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object), *mine;

    if (last && last->flags & TM__TENURE_SHARED &&
        model->entities.details[object].first_reader) {
        mine = tm__reader_of(model, object, fact->thread);
        if (mine)
            mine->had_ns = fact->time_ns;
        else
            add_reader(model, object, fact);
        if (model->entities.objects[object].owner == TM__NONE)
            tm__own(model, object, fact->thread, fact->time_ns, TM_PROVENANCE_INFERRED);
        return;
    }
    /* A writer that reads besides: it has it on when it stops to write. */
    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        last->flags |= TM__TENURE_READS;
        return;
    }
    tm__tenure_got(model, object, fact, fact->time_ns, TM__TENURE_SHARED);
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

/* It had it alone as far as that is told: then it has let others in, and reads on. */
void tm__tenure_shares(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object);

    if (tm__is_shared_at(model, object, last))
        last = tm__reader_of(model, object, fact->thread);
    if (!last || last->owner != fact->thread || last->flags & TM__TENURE_OVER)
        return;
    model->entities.objects[object].is_shared = 1;
    if (!(last->flags & TM__TENURE_SHARED) &&
        last->had_provenance > TM_PROVENANCE_INFERRED) {
        last->flags |= TM__TENURE_READS;
        tm__tenure_released(model, object, fact);
        return;
    }
    if (!(last->flags & TM__TENURE_SHARED))
        model->entities.details[object].first_reader =
            model->entities.objects[object].tenure;
    last->had_ns = fact->time_ns;
    last->had_provenance = (uint8_t)fact->provenance;
    tm__tenure_set_flag(last, TM__TENURE_HAD_BLOCKED, 0);
    tm__tenure_set_flag(last, TM__TENURE_PROVISIONAL, 0);
    tm__tenure_set_flag(last, TM__TENURE_SHARED, 1);
}

void tm__tenure_nobody_shares(tm_model *model, uint32_t object, int64_t time_ns)
{
    if (!tm__is_shared(model, object))
        return;
    tm__readers_end(model, object, time_ns, 0);
    tm__disown(model, object);
}
