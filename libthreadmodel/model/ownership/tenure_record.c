/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last record of a lock is overwritten while nobody queues for it, so that a lock
 * that is taken a million times and never contended costs one record.
 */
#include "model/ownership/tenure_record.h"

#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/ownership/hold_sums.h"

void tm__tenure_fill(tm__tenure *it, const tm__had *fact, uint32_t before_ns, int flags)
{
    it->got_ns = it->had_ns = fact->time_ns;
    it->before_ns = before_ns;
    it->after_ns = TM__UNLIMITED;
    it->owner = fact->thread;
    it->got_provenance = it->had_provenance = (uint8_t)fact->provenance;
    it->stack = fact->stack;
    it->flags = (uint16_t)flags;
    if (__builtin_expect(fact->is_sampled, 0))
        it->flags |= TM__TENURE_SAMPLED;
}

void tm__tenure_set_stack(tm__tenure *it, const tm__had *fact)
{
    it->stack = fact->stack;
    tm__tenure_set_flag(it, TM__TENURE_SAMPLED, fact->is_sampled);
}

tm__tenure *tm__reader_of(const tm_model *model, uint32_t object, uint32_t thread)
{
    tm__tenure *it = tm__tenure_at(model, model->entities.details[object].first_reader);

    for (uint32_t seen = 0; it && seen < TM__READERS_MAX;
         it = tm__tenure_at(model, it->next), seen++)
        if (!(it->flags & TM__TENURE_OVER) &&
            (thread == TM__NONE || it->owner == thread))
            return it;
    return NULL;
}

void tm__tenure_append(tm_model *model, uint32_t object, tm__tenure *last,
                       const tm__had *fact, uint32_t before_ns, int flags)
{
    tm__object *it = &model->entities.objects[object];

    /* Blocks that look back on it are there while somebody queues. */
    if (it->wanted)
        flags |= TM__TENURE_SEEN;
    if (last && !(last->flags & (TM__TENURE_SEEN | TM__TENURE_HANDED)) &&
        !tm__is_shared_at(model, object, last)) {
        if (tm__tenure_is_reported_over(last) && tm__tenure_is_begun(last))
            tm__hold_sum_add(model, object, last, last->had_ns - last->got_ns);
        tm__tenure_fill(last, fact, before_ns, flags);
        return;
    }
    tm__tenure_fill(&model->ownership.tenures[model->ownership.tenures_count++], fact,
                    before_ns, flags);
    it->tenure = model->ownership.tenures_first + model->ownership.tenures_count;
    tm__tenure_at(model, it->tenure)->next = 0;
    if (last)
        last->next = it->tenure;
    else
        model->entities.details[object].first_tenure = it->tenure;
}

void tm__had_until(const tm_model *model, tm__tenure *it, int64_t time_ns)
{
    if (time_ns <= it->had_ns || !tm__owners_are_reported(model) ||
        it->flags & TM__TENURE_LOST || it->got_provenance <= TM_PROVENANCE_INFERRED ||
        it->had_provenance <= TM_PROVENANCE_INFERRED)
        return;
    it->had_ns = time_ns;
    it->had_provenance = TM_PROVENANCE_EXACT;
    tm__tenure_set_flag(it, TM__TENURE_HAD_BLOCKED, 0);
}
