/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of a record in a lock's timeline that follow from what its owner did meanwhile
 * and from the next owner. Computed for a few records at a time, when a block is looked
 * at, and never while events come in.
 *
 *     known    ········x════════════x·········           had it at both x
 *     owner    ────[ asleep      ]──────[ waits ]        so it had it in all its sleep
 *     next                                 e─────        entered: released before
 *     so        ···[════════════x······~~~]              ~ to wake up the next one
 */
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/wakeup_latency.h"
#include "model/state/model.h"

/* ---- what an owner did ---- */

/* How many of its intervals are looked at: in them it blocks for what else it needs. */
enum { LOOK_AHEAD = 16 };

/* The stretch round an instant in which the owner was blocked by something else, so
 * that it had the lock all the time if it had it then.
 * @param first  the interval at the instant, or TM__NONE */
static tm__stay stay_at(const tm_model *model, uint32_t owner, uint32_t object,
                        int64_t time_ns, uint32_t first)
{
    const tm__thread *thread = &model->entities.threads[owner];
    uint32_t last = first;
    tm__stay none = {time_ns, time_ns};

    if (first == TM__NONE || !tm__is_stopped(thread->intervals[first].state) ||
        thread->intervals[first].object == object)
        return none;
    while (first > 0 && (thread->intervals[first].flags & TM__INTERVAL_CONTINUES ||
                         (thread->intervals[first].state == TM_STATE_REENTERING &&
                          thread->intervals[first - 1].state == TM_STATE_WAITING)))
        first--;
    while (last + 1 < thread->interval_count &&
           tm__is_stopped(thread->intervals[last + 1].state) &&
           thread->intervals[last + 1].object == thread->intervals[last].object)
        last++;
    /* Where its end is not reported, it may have been over by then. */
    for (uint32_t i = first; i <= last; i++)
        if (thread->intervals[i].flags & TM__INTERVAL_END_UNSEEN)
            return none;
    if (last + 1 == thread->interval_count &&
        (!tm__end_is_reported(model, thread) ||
         thread->losses != model->intervals.losses))
        return none;
    return (tm__stay){thread->intervals[first].start_ns,
                      tm__interval_end_ns(model, thread, last)};
}

/* A thread that has ended owns nothing. */
static int64_t ended_by(const tm_model *model, uint32_t thread, int64_t end_ns)
{
    int64_t own_ns = model->entities.threads[thread].end_ns;

    return own_ns != INT64_MIN && own_ns < end_ns ? own_ns : end_ns;
}

/* By when an owner that is known to have had the lock at had_ns had released it, as its
 * later states show: it was blocked at the end, or elsewhere than where it had acquired
 * the lock. */
static int64_t released_by(const tm_model *model, uint32_t object, const tm__tenure *it,
                           int64_t had_ns, int64_t end_ns, uint32_t near)
{
    const tm__thread *owner = &model->entities.threads[it->owner];
    uint32_t i = tm__interval_near(owner, had_ns, near);

    end_ns = ended_by(model, it->owner, end_ns);
    for (uint32_t seen = 0; seen < LOOK_AHEAD && ++i < owner->interval_count; seen++) {
        const tm__interval *at = &owner->intervals[i];

        if (at->start_ns >= end_ns)
            break;
        if (!tm__is_stopped(at->state) || at->flags & TM__INTERVAL_CONTINUES)
            continue;
        /* It queues for the lock itself, or has gone on from where it took it. */
        if (at->object == object ||
            tm__has_left(model, object, tm__tenure_own_stack(it), at))
            return at->start_ns;
    }
    /* A blocked thread cannot release. */
    i = tm__interval_near(owner, end_ns, i);
    if (i != TM__NONE && tm__is_stopped(owner->intervals[i].state)) {
        tm__stay stay = stay_at(model, it->owner, object, end_ns, i);

        if (stay.from_ns > had_ns && stay.from_ns < end_ns)
            return stay.from_ns;
    }
    return end_ns;
}

int tm__has_left(const tm_model *model, uint32_t object, uint32_t taken,
                 const tm__interval *blocked)
{
    if (blocked->stack == TM__NONE || blocked->flags & TM__INTERVAL_SAMPLED)
        return 0;
    /* A synchronizer may be left to be given up elsewhere. */
    if (!(model->entities.objects[object].flags & TM_OBJECT_SYNCHRONIZER) &&
        tm__stacks_compare(model, taken, blocked->stack) == TM__LEFT)
        return 1;
    return tm__frame_is_idle(model, tm__stack_caller(model, blocked->stack));
}

static void be_sure(tm__bounds *bounds, int which, tm__stay stay, int provenance)
{
    bounds->sure[which] = stay;
    bounds->sure_provenance[which] = (uint8_t)provenance;
}

void tm__tenure_bounds(tm__bounds *b, const tm_model *model, uint32_t object,
                       const tm__tenure *it, const tm__tenure *next, int64_t end_ns,
                       uint32_t near)
{
    int kind = model->entities.objects[object].flags & TM_OBJECT_SYNCHRONIZER
                   ? TM__WAKEUP_PARK
                   : TM__WAKEUP_MONITOR;
    const tm__thread *owner;
    tm__stay got, had;

    *b = (tm__bounds){.got_earliest_ns = it->before_ns == TM__UNLIMITED
                                             ? INT64_MIN
                                             : it->got_ns - (int64_t)it->before_ns,
                      .got_latest_ns = it->got_ns,
                      .released_earliest_ns = it->had_ns,
                      .released_latest_ns = it->had_ns,
                      .at = TM__NONE};
    if (it->owner == TM__NONE)
        return;
    owner = &model->entities.threads[it->owner];
    b->at = tm__interval_near(owner, it->got_ns, near);
    got = stay_at(model, it->owner, object, it->got_ns, b->at);
    had = stay_at(model, it->owner, object, it->had_ns,
                  tm__interval_near(owner, it->had_ns, b->at));
    /* A fact that came before the block in its instant does not last through it. */
    if (!(it->flags & TM__TENURE_GOT_BLOCKED) && got.from_ns == it->got_ns)
        got.to_ns = it->got_ns;
    if (!(it->flags & TM__TENURE_HAD_BLOCKED) && had.from_ns == it->had_ns)
        had.to_ns = it->had_ns;
    if (it->flags & TM__TENURE_OVER && it->after_ns != TM__UNLIMITED) {
        if (it->had_ns + (int64_t)it->after_ns < end_ns)
            end_ns = it->had_ns + (int64_t)it->after_ns;
        if (had.to_ns > end_ns)
            had.to_ns = end_ns > it->had_ns ? end_ns : it->had_ns;
    }
    if (!(it->flags & TM__TENURE_HANDED) && got.from_ns < b->got_latest_ns)
        b->got_latest_ns = got.from_ns;
    be_sure(b, 0, got, it->got_provenance);
    if (tm__owners_are_reported(model) && it->got_provenance > TM_PROVENANCE_INFERRED &&
        it->had_provenance > TM_PROVENANCE_INFERRED)
        be_sure(b, 0, (tm__stay){it->got_ns, it->had_ns}, TM_PROVENANCE_EXACT);
    be_sure(b, 1, had, it->had_provenance);
    if (had.to_ns > b->released_earliest_ns)
        b->released_earliest_ns = had.to_ns;
    if (next && !(it->flags & next->flags & TM__TENURE_SHARED) && next->got_ns < end_ns)
        end_ns = next->got_ns;
    if (end_ns > b->released_earliest_ns && tm__owners_are_reported(model))
        b->released_latest_ns = ended_by(model, it->owner, end_ns);
    else if (end_ns > b->released_earliest_ns)
        b->released_latest_ns =
            released_by(model, object, it, b->released_earliest_ns, end_ns, b->at);
    if (b->released_latest_ns < b->released_earliest_ns)
        b->released_latest_ns = b->released_earliest_ns;
    b->released_ns = b->released_latest_ns;
    if (!next || next->owner == TM__NONE || it->flags & next->flags & TM__TENURE_SHARED)
        return;
    if (next->flags & TM__TENURE_HANDED) {
        int64_t woken_ns = next->got_ns - tm__wakeup_ns(&model->ownership, kind);

        if (woken_ns < b->released_ns)
            b->released_ns = woken_ns;
    } else if (!tm__tenure_is_reported_over(it)) {
        /* Nothing tells when the next one took it, between two instants. */
        b->released_ns = b->released_earliest_ns;
    }
    if (b->released_ns < b->released_earliest_ns)
        b->released_ns = b->released_earliest_ns;
}

int64_t tm__tenure_queued_ns(const tm_model *model, const tm__tenure *it)
{
    const tm__thread *owner = &model->entities.threads[it->owner];
    uint32_t i = tm__interval_at(owner, it->got_ns);

    if (i == TM__NONE || i == 0 || owner->intervals[i].start_ns != it->got_ns)
        return INT64_MIN;
    while (--i > 0 && owner->intervals[i].flags & TM__INTERVAL_CONTINUES)
        continue;
    return owner->intervals[i].start_ns;
}

/* ---- who was said to have what a thread is blocked by ---- */

uint32_t tm__stated_owner(const tm_model *model, const tm__thread *thread,
                          uint32_t interval, int *provenance)
{
    const tm__interval *block = &thread->intervals[interval];
    const tm__tenure *it;
    tm__stay stay;

    if (block->state != TM_STATE_BLOCKED || block->peer != TM__NONE ||
        thread->wants == TM__NONE || interval != tm__blocking_index(thread))
        return block->peer;
    it = tm__tenure_at(model, block->tenure);
    if (!it)
        return TM__NONE;
    if (it->owner == TM__NONE || it->flags & TM__TENURE_OVER)
        it = tm__tenure_next(model, it);
    if (!it || it->owner == TM__NONE || it->flags & TM__TENURE_HANDED ||
        &model->entities.threads[it->owner] == thread)
        return TM__NONE;
    stay = stay_at(model, it->owner, block->object, it->had_ns,
                   tm__interval_at(&model->entities.threads[it->owner], it->had_ns));
    *provenance = stay.from_ns <= block->start_ns && stay.from_ns < stay.to_ns
                      ? it->had_provenance
                      : TM_PROVENANCE_INFERRED;
    return it->owner;
}

void tm__name_owner(tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t interval = tm__blocking_index(it);
    tm__interval *block = &it->intervals[interval];
    int provenance = block->provenance;

    block->peer = tm__stated_owner(model, it, interval, &provenance);
    block->provenance = (uint8_t)provenance;
}
