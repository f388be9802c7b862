/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has which lock: fed by every event that says so, one fact at a time. Most enters
 * and exits of a JVM's monitors are never reported, so what is kept of an owner are the
 * instants at which it is known to have had the lock; tenure_bounds.c says what
 * follows from them.
 *
 * The last record of a lock is written over while nobody queues for it, so that a lock
 * that is taken a million times and never fought for costs one record.
 */
#include "model/tenure.h"

#include "model/binding.h"
#include "model/hold_sums.h"
#include "model/interval.h"
#include "model/lost_events.h"
#include "model/object.h"
#include "model/owner_facts.h"

static tm__tenure *last_of(const tm_model *model, uint32_t object)
{
    return tm__tenure_at(model, model->objects[object].tenure);
}

/* So many records of readers are looked at, from the first that has it still on; of
 * more readers at once nothing is known. */
enum { READERS_MAX = 256 };

/* The record of a reader that has it still. @param thread  TM__NONE: any */
static tm__tenure *reader_of(const tm_model *model, uint32_t object, uint32_t thread)
{
    tm__tenure *it = tm__tenure_at(model, model->details[object].first_reader);

    for (uint32_t seen = 0; it && seen < READERS_MAX;
         it = tm__tenure_at(model, it->next), seen++)
        if (!(it->flags & TM__TENURE_OVER) &&
            (thread == TM__NONE || it->owner == thread))
            return it;
    return NULL;
}

/* Whether somebody shares an object, by its last record. */
static int is_shared_at(const tm_model *model, uint32_t object, const tm__tenure *last)
{
    return last && last->flags & TM__TENURE_SHARED &&
           reader_of(model, object, TM__NONE) != NULL;
}

/* The same, as far as that is reported. */
static int is_shared(const tm_model *model, uint32_t object)
{
    return is_shared_at(model, object, last_of(model, object));
}

/* How a record begins; each field is written where it stays. */
static void fill(tm__tenure *it, const tm__had *fact, uint32_t before_ns, int flags)
{
    it->got_ns = it->had_ns = fact->time_ns;
    it->before_ns = before_ns;
    it->after_ns = TM__UNLIMITED;
    it->owner = fact->thread;
    it->stack = fact->stack;
    it->got_provenance = it->had_provenance = (uint8_t)fact->provenance;
    it->flags = (uint16_t)flags;
}

/* Begin a record. What nobody has seen gives way to it. */
static void append(tm_model *model, uint32_t object, tm__tenure *last,
                   const tm__had *fact, uint32_t before_ns, int flags)
{
    tm__object *it = &model->objects[object];

    /* Blocks that look back on it are there while somebody queues. */
    if (it->wanted)
        flags |= TM__TENURE_SEEN;
    if (last && !(last->flags & (TM__TENURE_SEEN | TM__TENURE_HANDED)) &&
        !is_shared_at(model, object, last)) {
        if (tm__tenure_is_reported_over(last) && tm__tenure_is_begun(last))
            tm__hold_sum_add(model, object, last, last->had_ns - last->got_ns);
        fill(last, fact, before_ns, flags);
        return;
    }
    fill(&model->tenures[model->tenures_count++], fact, before_ns, flags);
    it->tenure = model->tenures_first + model->tenures_count;
    tm__tenure_at(model, it->tenure)->next = 0;
    if (last)
        last->next = it->tenure;
    else
        model->details[object].first_tenure = it->tenure;
}

static uint32_t slack(int64_t from_ns, int64_t to_ns)
{
    if (to_ns <= from_ns)
        return 0;
    return to_ns - from_ns < TM__UNLIMITED ? (uint32_t)(to_ns - from_ns)
                                           : TM__UNLIMITED;
}

void tm__tenure_unknown(tm_model *model, uint32_t object, int64_t time_ns)
{
    tm__tenure *last = last_of(model, object);
    tm__had nobody = {.time_ns = time_ns, .thread = TM__NONE, .stack = TM__NONE};

    if (!last || last->flags & TM__TENURE_OVER)
        append(model, object, last, &nobody, TM__UNLIMITED, TM__TENURE_UNKNOWN);
}

/* All who share it stay, and whoever comes after them. @return the first of them */
static uint32_t see_readers(tm_model *model, uint32_t object)
{
    uint32_t first = model->details[object].first_reader;

    while (tm__tenure_at(model, first)->flags & TM__TENURE_OVER)
        first = tm__tenure_at(model, first)->next;
    for (tm__tenure *it = tm__tenure_at(model, first); it;
         it = tm__tenure_at(model, it->next))
        it->flags |= TM__TENURE_SEEN;
    return first;
}

uint32_t tm__tenure_wanted(tm_model *model, uint32_t object, int64_t time_ns)
{
    tm__tenure *last = last_of(model, object);

    if (!last) {
        tm__tenure_unknown(model, object, time_ns);
        last = last_of(model, object);
    }
    last->flags |= TM__TENURE_SEEN;
    if (is_shared_at(model, object, last))
        return see_readers(model, object);
    return model->objects[object].tenure;
}

/* The owner cannot have let go since the last fact: it has been blocked all the time.
 */
static int is_certain(const tm_model *model, uint32_t object)
{
    const tm__object *it = &model->objects[object];

    return it->owner != TM__NONE &&
           tm__owner_provenance(model, it) > TM_PROVENANCE_INFERRED;
}

/* Those who shared it have let go by now, seen or not.
 * @param flags  TM__TENURE_LOST: or it is not known whether they have */
static void end_readers(tm_model *model, uint32_t object, int64_t time_ns, int flags)
{
    uint32_t *first = &model->details[object].first_reader;

    for (tm__tenure *it = tm__tenure_at(model, *first); it;
         it = tm__tenure_at(model, it->next)) {
        if (it->flags & TM__TENURE_OVER)
            continue;
        if (!(flags & TM__TENURE_LOST))
            it->after_ns = slack(it->had_ns, time_ns);
        it->flags |= (uint16_t)(TM__TENURE_OVER | flags);
    }
    *first = 0;
}

/* It has another owner now, so the last one has let go, seen or not. */
static void pass_on(tm_model *model, uint32_t object, tm__tenure *last, uint32_t to,
                    int64_t time_ns)
{
    if (is_shared_at(model, object, last))
        end_readers(model, object, time_ns, 0);
    if (!last || last->owner == TM__NONE || last->flags & TM__TENURE_OVER)
        return;
    if (last->owner != to && is_certain(model, object)) {
        model->diagnostics[TM_DIAGNOSTIC_TWO_OWNERS]++;
        last->flags |= TM__TENURE_CONTESTED;
    }
    last->after_ns = slack(last->had_ns, time_ns);
    last->flags |= TM__TENURE_OVER;
}

static void set_flag(tm__tenure *it, int flag, int is_set)
{
    it->flags = (uint16_t)(is_set ? it->flags | flag : it->flags & ~flag);
}

/* Whether the block that begins in the instant of a fact was there before it. */
static void note_blocked(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = last_of(model, object);
    int is_blocked = tm__is_blocked(&model->threads[fact->thread]);

    if (last->had_ns == fact->time_ns)
        set_flag(last, TM__TENURE_HAD_BLOCKED, is_blocked);
    if (last->got_ns == fact->time_ns)
        set_flag(last, TM__TENURE_GOT_BLOCKED, is_blocked);
}

void tm__tenure_had(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = last_of(model, object);

    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        if (fact->time_ns >= last->had_ns) {
            last->had_ns = fact->time_ns;
            last->had_provenance = (uint8_t)fact->provenance;
        }
        /* Where it waits or notifies is inside of where it entered. */
        if (fact->stack != TM__NONE &&
            (last->stack == TM__NONE || !(last->flags & TM__TENURE_HANDED)))
            last->stack = fact->stack;
        last->flags &= (uint16_t)~TM__TENURE_PROVISIONAL;
    } else if (!last || fact->time_ns >= last->got_ns) {
        pass_on(model, object, last, fact->thread, fact->time_ns);
        append(model, object, last, fact, TM__UNLIMITED, 0);
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
    tm__tenure *last = last_of(model, object);
    uint32_t before_ns =
        earliest_ns == INT64_MIN ? TM__UNLIMITED : slack(earliest_ns, fact->time_ns);

    if (last && last->owner == fact->thread && !(last->flags & TM__TENURE_OVER)) {
        /* Another was told that it has the lock before its own event came. */
        if (last->stack == TM__NONE || fact->stack != TM__NONE)
            last->stack = fact->stack;
        last->had_ns = fact->time_ns > last->had_ns ? fact->time_ns : last->had_ns;
        last->had_provenance = (uint8_t)fact->provenance;
        last->flags &= (uint16_t)~TM__TENURE_PROVISIONAL;
        last->flags |= (uint16_t)flags;
    } else if (flags & TM__TENURE_SHARED && is_shared_at(model, object, last)) {
        append(model, object, last, fact, before_ns, flags);
        return;
    } else {
        pass_on(model, object, last, fact->thread, fact->time_ns);
        append(model, object, last, fact, before_ns, flags);
        if (flags & TM__TENURE_SHARED)
            model->details[object].first_reader = model->objects[object].tenure;
    }
    note_blocked(model, object, fact);
    tm__own(model, object, fact->thread, fact->time_ns,
            fact->provenance > TM_PROVENANCE_INFERRED ? TM_PROVENANCE_INFERRED
                                                      : fact->provenance);
}

/* ---- several owners at once ---- */

/* A record of a reader that has left while nobody waited, to be written over.
 * @param[out] count  how many records there are of this run of readers */
static tm__tenure *unseen_reader(const tm_model *model, uint32_t object,
                                 uint32_t *count)
{
    tm__tenure *it = tm__tenure_at(model, model->details[object].first_reader);

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
    tm__tenure *spare =
        model->objects[object].wanted ? NULL : unseen_reader(model, object, &count);

    if (spare) {
        if (tm__tenure_is_reported_over(spare))
            tm__hold_sum_add(model, object, spare, spare->had_ns - spare->got_ns);
        fill(spare, fact, 0, TM__TENURE_SHARED);
    } else if (count < READERS_MAX) {
        append(model, object, last_of(model, object), fact, 0, TM__TENURE_SHARED);
    }
}

/* A reader is gone: another stands for those who have it still. */
static void one_left(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns)
{
    uint32_t *first = &model->details[object].first_reader;
    tm__tenure *it;

    /* Records that nobody has seen are for the next readers. */
    while ((it = tm__tenure_at(model, *first)) && it->flags & TM__TENURE_OVER &&
           it->flags & TM__TENURE_SEEN)
        *first = it->next;
    if (model->objects[object].owner != thread)
        return;
    tm__disown(model, object);
    it = reader_of(model, object, TM__NONE);
    if (it)
        tm__own(model, object, it->owner, time_ns, TM_PROVENANCE_INFERRED);
}

void tm__tenure_shared(tm_model *model, uint32_t object, const tm__had *fact)
{
    tm__tenure *last = last_of(model, object), *mine;

    if (last && last->flags & TM__TENURE_SHARED &&
        model->details[object].first_reader) {
        mine = reader_of(model, object, fact->thread);
        if (mine)
            mine->had_ns = fact->time_ns;
        else
            add_reader(model, object, fact);
        if (model->objects[object].owner == TM__NONE)
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
    tm__tenure *last = last_of(model, object), *mine = NULL;

    if (is_shared(model, object))
        mine = reader_of(model, object, fact->thread);
    if (!mine) {
        /* A writer that read besides goes on to write. */
        if (last && last->owner == fact->thread)
            set_flag(last, TM__TENURE_READS, 0);
        return;
    }
    mine->had_ns = fact->time_ns;
    mine->had_provenance = (uint8_t)fact->provenance;
    mine->after_ns = 0;
    mine->flags |= TM__TENURE_OVER | TM__TENURE_RELEASED;
    set_flag(mine, TM__TENURE_HAD_BLOCKED, 0);
    one_left(model, object, fact->thread, fact->time_ns);
}

void tm__tenure_released(tm_model *model, uint32_t object, const tm__had *fact)
{
    int reads_on;
    tm__tenure *last;

    /* Who lets go had it, though no event may have told so. */
    tm__tenure_had(model, object, fact);
    last = last_of(model, object);
    if (last->owner != fact->thread)
        return;
    reads_on = last->flags & TM__TENURE_READS;
    last->after_ns = 0;
    last->flags |= TM__TENURE_OVER | TM__TENURE_RELEASED;
    set_flag(last, TM__TENURE_READS, 0);
    tm__disown(model, object);
    if (reads_on)
        tm__tenure_got(model, object, fact, fact->time_ns, TM__TENURE_SHARED);
}

void tm__tenure_over(tm_model *model, uint32_t object, uint32_t thread, int64_t time_ns)
{
    int shares = is_shared(model, object);
    tm__tenure *it = shares ? reader_of(model, object, thread) : last_of(model, object);

    if (it && it->owner == thread && !(it->flags & TM__TENURE_OVER)) {
        it->after_ns = slack(it->had_ns, time_ns);
        it->flags |= TM__TENURE_OVER;
    }
    if (shares)
        one_left(model, object, thread, time_ns);
    else if (model->objects[object].owner == thread)
        tm__disown(model, object);
}

void tm__tenure_all_over(tm_model *model, uint32_t thread, int64_t time_ns)
{
    while (model->threads[thread].owned != TM__NONE)
        tm__tenure_over(model, model->threads[thread].owned, thread, time_ns);
}

/* Where each release is reported, the owner had it until events are missing. */
static void had_until(const tm_model *model, tm__tenure *it, int64_t time_ns)
{
    if (time_ns <= it->had_ns || !tm__owners_are_reported(model) ||
        it->flags & TM__TENURE_LOST || it->got_provenance <= TM_PROVENANCE_INFERRED ||
        it->had_provenance <= TM_PROVENANCE_INFERRED)
        return;
    it->had_ns = time_ns;
    it->had_provenance = TM_PROVENANCE_EXACT;
    set_flag(it, TM__TENURE_HAD_BLOCKED, 0);
}

void tm__tenure_all_unseen(tm_model *model, uint32_t thread, int64_t time_ns)
{
    for (uint32_t object = model->threads[thread].owned; object != TM__NONE;
         object = model->links[object].next) {
        tm__tenure *it = last_of(model, object);

        if (it && it->owner == thread && !(it->flags & TM__TENURE_OVER))
            had_until(model, it, time_ns);
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
        it->stack = TM__NONE;
        if (before && before->flags & TM__TENURE_UNREAD && !it->next)
            owner = before->owner;
    }
    return owner;
}

void tm__object_refresh(tm_model *model, uint32_t object)
{
    tm__object *it = &model->objects[object];
    tm__tenure *last;

    it->losses = model->losses;
    if (is_shared(model, object))
        end_readers(model, object, 0, TM__TENURE_LOST);
    last = last_of(model, object);
    if (last && last->owner == it->owner && !(last->flags & TM__TENURE_OVER))
        had_until(model, last, tm__lost_first_ns(model, last->had_ns));
    if (last && !(last->flags & TM__TENURE_OVER))
        last->flags |= TM__TENURE_LOST | TM__TENURE_OVER;
    tm__disown(model, object);
    tm__bind_abandon(model, object);
    it->doubt = TM__DOUBT_LOSS;
}

/* ---- what was said of an owner ---- */

/* What was not stated at this very time is not held; of synchronizers, too, where all
 * were told. */
static void end_all_before(tm_model *model, uint32_t thread, int64_t time_ns, int all)
{
    uint32_t object = model->threads[thread].owned;

    while (object != TM__NONE) {
        uint32_t next = model->links[object].next;

        if (model->objects[object].owner_ns < time_ns &&
            (all || !(model->objects[object].flags & TM_OBJECT_SYNCHRONIZER)))
            tm__tenure_over(model, object, thread, time_ns);
        object = next;
    }
}

int tm__reported_provenance(const tm__fact *fact)
{
    return fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                : TM_PROVENANCE_REPORTED;
}

void tm__on_held(tm_model *model, const tm__fact *fact)
{
    if (fact->object == TM__NONE) {
        /* A VM that was asked tells of monitors alone; a dump, of all when it says so.
         */
        end_all_before(model, fact->thread, fact->time_ns,
                       fact->flags & TM_EVENT_CONFIRMED &&
                           tm__model_is_of_dumps(model));
        return;
    }
    tm__object_fresh(model, fact->object);
    tm__tenure_had(model, fact->object,
                   &(tm__had){.time_ns = fact->time_ns,
                              .thread = fact->thread,
                              .stack = fact->stack,
                              .provenance = tm__reported_provenance(fact)});
}
