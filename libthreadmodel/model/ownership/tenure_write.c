/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owners of locks, written by every event that states one, one fact at a time. Most
 * enters and exits of a JVM's monitors are never reported, so a record keeps the
 * instants at which its owner is known to have had the lock; tenure_bounds.c derives
 * the rest.
 */
#include "model/entities/reports.h"
#include "model/ownership/tenure.h"

#include "model/entities/object.h"
#include "model/intervals/interval.h"
#include "model/ownership/owner_facts.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/readers.h"
#include "model/ownership/tenure_record.h"
#include "model/ownership/tenure_write.h"

void tm__tenure_unknown(tm_model *model, uint32_t object, int64_t time_ns)
{
    tm__tenure *last = tm__tenure_last(model, object);
    tm__had nobody = {.time_ns = time_ns, .thread = TM__NONE, .stack = TM__NONE};

    if (!last || last->flags & TM__TENURE_OVER)
        tm__tenure_append(model, object, last, &nobody, TM__UNLIMITED,
                          TM__TENURE_UNKNOWN);
}

uint32_t tm__tenure_wanted(tm_model *model, uint32_t object, int64_t time_ns)
{
    tm__tenure *last = tm__tenure_last(model, object);

    if (!last) {
        tm__tenure_unknown(model, object, time_ns);
        last = tm__tenure_last(model, object);
    }
    last->flags |= TM__TENURE_SEEN;
    if (tm__is_shared_at(model, object, last))
        return tm__readers_see(model, object);
    return model->entities.objects[object].tenure;
}

/* The owner cannot have released it since the last fact: it has been blocked all the
 * time.
 */
static int is_certain(const tm_model *model, uint32_t object)
{
    const tm__object *it = &model->entities.objects[object];

    return it->owner != TM__NONE &&
           tm__owner_provenance(model, it) > TM_PROVENANCE_INFERRED;
}

/* It has another owner now, so the last one has released it, seen or not. */
static void pass_on(tm_model *model, uint32_t object, tm__tenure *last, uint32_t to,
                    int64_t time_ns)
{
    if (tm__is_shared_at(model, object, last))
        tm__readers_end(model, object, time_ns, 0);
    if (!last || last->owner == TM__NONE || last->flags & TM__TENURE_OVER)
        return;
    if (last->owner != to && is_certain(model, object)) {
        model->diagnostics[TM_DIAGNOSTIC_TWO_OWNERS]++;
        last->flags |= TM__TENURE_CONTESTED;
    }
    last->after_ns = tm__tenure_slack(last->had_ns, time_ns);
    last->flags |= TM__TENURE_OVER;
}

/* Whether the block that begins in the instant of a fact was there before it. */
static void note_blocked(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object);
    int is_blocked = tm__is_blocked(&model->entities.threads[fact->thread]);

    if (last->had_ns == fact->time_ns)
        tm__tenure_set_flag(last, TM__TENURE_HAD_BLOCKED, is_blocked);
    if (last->got_ns == fact->time_ns)
        tm__tenure_set_flag(last, TM__TENURE_GOT_BLOCKED, is_blocked);
}

void tm__tenure_had(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = tm__tenure_last(model, object);

    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        if (fact->time_ns >= last->had_ns) {
            last->had_ns = fact->time_ns;
            last->had_provenance = (uint8_t)fact->provenance;
        }
        /* Where it waits or notifies is inside of where it entered. */
        if (fact->stack != TM__NONE && (tm__tenure_own_stack(last) == TM__NONE ||
                                        !(last->flags & TM__TENURE_HANDED)))
            tm__tenure_set_stack(last, fact);
        last->flags &= (uint16_t)~TM__TENURE_PROVISIONAL;
    } else if (!last || fact->time_ns >= last->got_ns) {
        pass_on(model, object, last, fact->thread, fact->time_ns);
        tm__tenure_append(model, object, last, fact, TM__UNLIMITED, 0);
    } else {
        model->diagnostics[TM_DIAGNOSTIC_LATE_OWNER]++;
        return;
    }
    note_blocked(model, object, fact);
    tm__own(model, object, fact->thread, fact->time_ns, fact->provenance);
}

void tm__tenure_got(tm_model *model, uint32_t object, const tm__had *fact,
                    int64_t earliest_ns, int flags)
{
    tm__tenure *last = tm__tenure_last(model, object);
    uint32_t before_ns = earliest_ns == INT64_MIN
                             ? TM__UNLIMITED
                             : tm__tenure_slack(earliest_ns, fact->time_ns);
    int most;

    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        /* An event of another thread named it as the owner before its own event came.
         */
        if (last->stack == TM__NONE || fact->stack != TM__NONE)
            tm__tenure_set_stack(last, fact);
        last->had_ns = fact->time_ns > last->had_ns ? fact->time_ns : last->had_ns;
        last->had_provenance = (uint8_t)fact->provenance;
        last->flags &= (uint16_t)~TM__TENURE_PROVISIONAL;
        last->flags |= (uint16_t)flags;
    } else if (flags & TM__TENURE_SHARED && tm__is_shared_at(model, object, last)) {
        tm__tenure_append(model, object, last, fact, before_ns, flags);
        return;
    } else {
        pass_on(model, object, last, fact->thread, fact->time_ns);
        tm__tenure_append(model, object, last, fact, before_ns, flags);
        if (flags & TM__TENURE_SHARED)
            model->entities.details[object].first_reader =
                model->entities.objects[object].tenure;
    }
    note_blocked(model, object, fact);
    /* It runs on, and keeps it for certain where each release is reported. */
    most =
        tm__owners_are_reported(model) ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
    tm__own(model, object, fact->thread, fact->time_ns,
            fact->provenance > most ? most : fact->provenance);
}

void tm__tenure_released(tm_model *model, uint32_t object, const tm__had *fact)
{
    int reads_on;
    tm__tenure *last;

    /* The last one of several: the others have released it before. */
    if (tm__is_shared(model, object) && tm__reader_of(model, object, fact->thread)) {
        tm__tenure_left(model, object, fact);
        tm__tenure_nobody_shares(model, object, fact->time_ns);
        return;
    }
    /* A thread that releases it had it, though perhaps no event said so. */
    tm__tenure_had(model, object, fact);
    last = tm__tenure_last(model, object);
    if (last->owner != fact->thread)
        return;
    reads_on = last->flags & TM__TENURE_READS;
    last->after_ns = 0;
    last->flags |= TM__TENURE_OVER | TM__TENURE_RELEASED;
    tm__tenure_set_flag(last, TM__TENURE_READS, 0);
    tm__disown(model, object);
    if (reads_on)
        tm__tenure_got(model, object, fact, fact->time_ns, TM__TENURE_SHARED);
}

void tm__tenure_over(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns)
{
    int shares = tm__is_shared(model, object);
    tm__tenure *it =
        shares ? tm__reader_of(model, object, thread) : tm__tenure_last(model, object);

    if (it && it->owner == thread && !(it->flags & TM__TENURE_OVER)) {
        it->after_ns = tm__tenure_slack(it->had_ns, time_ns);
        it->flags |= TM__TENURE_OVER;
    }
    if (shares)
        tm__reader_left(model, object, thread, time_ns);
    else if (model->entities.objects[object].owner == thread)
        tm__disown(model, object);
}

void tm__tenure_all_over(tm_model *model, uint32_t thread, int64_t time_ns)
{
    while (model->entities.threads[thread].owned != TM__NONE)
        tm__tenure_over(model, model->entities.threads[thread].owned, thread, time_ns);
}

void tm__tenure_all_unseen(tm_model *model, uint32_t thread, int64_t time_ns)
{
    for (uint32_t object = model->entities.threads[thread].owned; object != TM__NONE;
         object = model->entities.links[object].next) {
        tm__tenure *it = tm__tenure_last(model, object);

        if (it && it->owner == thread && !(it->flags & TM__TENURE_OVER))
            tm__had_until(model, it, time_ns);
    }
    tm__tenure_all_over(model, thread, time_ns);
}

uint32_t tm__tenure_revoke(tm_model *model, uint32_t thread, uint32_t from)
{
    const tm__tenure *before = NULL;
    uint32_t owner = TM__NONE;

    for (tm__tenure *it = tm__tenure_at(model, from); it;
         before = it, it = tm__tenure_at(model, it->next)) {
        if (it->owner != thread || !(it->flags & TM__TENURE_PROVISIONAL))
            continue;
        it->owner = TM__NONE;
        it->got_provenance = it->had_provenance = TM_PROVENANCE_UNKNOWN;
        it->flags &= (uint16_t) ~(TM__TENURE_PROVISIONAL | TM__TENURE_HANDED);
        if (it->flags & TM__TENURE_SHARED)
            it->flags |= TM__TENURE_OVER;
        it->stack = TM__NONE;
        if (before && before->flags & TM__TENURE_UNREAD && !it->next)
            owner = before->owner;
    }
    return owner;
}

int tm__reported_provenance(const tm__fact *fact)
{
    return fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                : TM_PROVENANCE_REPORTED;
}
