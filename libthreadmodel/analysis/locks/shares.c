/* SPDX-License-Identifier: Apache-2.0 */
/* A block's time, dealt out to the tenures that it lies in. */
#include "analysis/locks/shares.h"

#include "analysis/listing/timeline.h"
#include "analysis/locks/share_bounds.h"
#include "model/entities/reports.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/wakeup_latency.h"

const char *tm__share_name(int kind)
{
    static const char *const names[TM__SHARE_END] = {"owner", "latency", "unknown"};

    return names[kind];
}

int tm__is_block(const tm_model *model, const tm__interval *it)
{
    if (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING)
        return 1;
    return it->state == TM_STATE_PARKED &&
           (it->tenure ||
            (it->object != TM__NONE && model->entities.objects[it->object].is_owned));
}

/* The `next` of the record in which the block itself ends, which has no number here. */
#define OWN UINT32_MAX

/* One block in work: up to where it has been dealt out. */
typedef struct block {
    tm__dealer *dealer;
    tm__share share;
    int64_t began_ns; ///< be that before the window
    int64_t at_ns;
    int is_handed;            ///< it ended because its thread got the lock
    const tm__tenure *record; ///< of `share`
    int is_pending;           ///< it is not handed on yet, for it may go on
    int failed;
} block;

static void hand_on(block *b)
{
    tm__share *share = &b->share;

    if (!b->is_pending || b->failed < 0)
        return;
    b->is_pending = 0;
    share->is_last = share->to_ns == share->end_ns;
    b->failed = b->dealer->add_share(b->dealer->payload, share);
    share->is_first = 0;
}

/* The stretch up to an instant is of this kind; what only goes on is one share. */
static void deal(block *b, int64_t to_ns, int kind, const tm__tenure *owner,
                 int provenance)
{
    tm__share *share = &b->share;
    int64_t from_ns = b->at_ns > share->start_ns ? b->at_ns : share->start_ns;

    if (to_ns > b->at_ns)
        b->at_ns = to_ns;
    if (to_ns > share->end_ns)
        to_ns = share->end_ns;
    if (to_ns < from_ns || (to_ns == from_ns && share->start_ns != share->end_ns))
        return;
    if (b->is_pending && share->kind == kind && share->provenance == provenance &&
        b->record == owner) {
        share->to_ns = to_ns;
        return;
    }
    hand_on(b);
    /* A block without length gets one share, the first that shows something. */
    if (to_ns == from_ns && !share->is_first)
        return;
    share->from_ns = from_ns;
    share->to_ns = to_ns;
    share->kind = (uint8_t)kind;
    share->owner = owner ? owner->owner : TM__NONE;
    share->owner_stack = owner ? owner->stack : TM__NONE;
    share->provenance = (uint8_t)provenance;
    share->is_stated = owner && owner->had_ns >= b->began_ns &&
                       owner->had_provenance > TM_PROVENANCE_INFERRED;
    b->record = owner;
    b->is_pending = 1;
}

/* The stretch in which the owner surely had the lock is a share of its own; the rest is
 * inferred. */
static void deal_owner(block *b, const tm__tenure *it, const tm__bounds *bounds,
                       int64_t to_ns)
{
    for (int i = 0; i < 2; i++) {
        const tm__stay *sure = &bounds->sure[i];
        int64_t end_ns = sure->to_ns < to_ns ? sure->to_ns : to_ns;

        if (sure->from_ns >= sure->to_ns || end_ns <= b->at_ns)
            continue;
        if (sure->from_ns > b->at_ns)
            deal(b, sure->from_ns < to_ns ? sure->from_ns : to_ns, TM__SHARE_OWNER, it,
                 TM_PROVENANCE_INFERRED);
        deal(b, end_ns, TM__SHARE_OWNER, it, bounds->sure_provenance[i]);
    }
    if (to_ns > b->at_ns)
        deal(b, to_ns, TM__SHARE_OWNER, it, TM_PROVENANCE_INFERRED);
}

/* The time until the next owner had the lock is that of waking it up, as far as that
 * takes as long as it does elsewhere, and it was there to be woken. */
static void deal_wakeup(block *b, const tm__tenure *before, int64_t to_ns,
                        int64_t queued_ns)
{
    const tm_model *model = b->dealer->model;
    int is_exact = tm__tenure_is_reported_over(before) &&
                   before->had_provenance > TM_PROVENANCE_INFERRED;
    int is_parked =
        model->entities.objects[b->share.object].flags & TM_OBJECT_SYNCHRONIZER;
    int is_reported = is_parked || tm__owners_are_reported(model);
    int64_t usual_ns = tm__wakeup_ns(&model->ownership,
                                     is_parked ? TM__WAKEUP_PARK : TM__WAKEUP_MONITOR);
    int64_t from_ns = b->at_ns;

    /* An event shows a thread that parks again while it is overtaken; a thread that
     * queues for a monitor is overtaken unseen. */
    if (queued_ns > b->at_ns ||
        (!is_reported && to_ns - from_ns > TM__WAKEUP_MUCH_LONGER * usual_ns))
        from_ns = to_ns - usual_ns;
    if (from_ns > b->at_ns)
        deal(b, from_ns, TM__SHARE_UNKNOWN, NULL, TM_PROVENANCE_UNKNOWN);
    deal(b, to_ns, TM__SHARE_LATENCY, NULL,
         is_exact && is_reported ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED);
}

/* The time between two owners. */
static void deal_gap(block *b, const tm__tenure *before, const tm__tenure *next,
                     int64_t to_ns)
{
    if (to_ns <= b->at_ns)
        return;
    if (before->owner != TM__NONE && next->flags & TM__TENURE_HANDED)
        deal_wakeup(b, before, to_ns,
                    next->next == OWN ? b->began_ns
                                      : tm__tenure_queued_ns(b->dealer->model, next));
    else
        deal(b, to_ns, TM__SHARE_UNKNOWN, NULL, TM_PROVENANCE_UNKNOWN);
}

/* The next owner took the lock unseen, and was named some time later. */
static void deal_unseen(block *b, const tm__tenure *it, const tm__bounds *bounds,
                        const tm__tenure *next)
{
    int64_t next_ns = tm__share_begins_ns(b->dealer, b->share.object, next);
    int64_t likely_ns = tm__short_hold_ns(b->dealer, b->share.object);
    int64_t until_ns = it->got_ns + likely_ns;

    if (tm__tenure_is_reported_over(it) || likely_ns == 0) {
        deal_gap(b, it, next, next_ns);
        return;
    }
    if (until_ns > bounds->released_latest_ns)
        until_ns = bounds->released_latest_ns;
    if (it->flags & TM__TENURE_HANDED && until_ns > b->at_ns)
        deal(b, until_ns, TM__SHARE_OWNER, it, TM_PROVENANCE_INFERRED);
    if (next_ns - likely_ns > b->at_ns)
        deal_gap(b, it, next, next_ns - likely_ns);
    /* By then the one before had released it: the next one has it, or had it soon. */
    if (bounds->released_latest_ns <= b->at_ns && next->owner != b->share.thread)
        deal(b, next_ns, TM__SHARE_OWNER, next, TM_PROVENANCE_INFERRED);
    deal_gap(b, it, next, next_ns);
}

/* Whether the block ends before another record begins, or with it. */
static int is_last_of(const block *b, const tm__tenure *next, int64_t end_ns)
{
    return !next || next->got_ns >= end_ns ||
           (next->owner == b->share.thread && next->flags & TM__TENURE_HANDED);
}

/* Whether the block ended because its thread got to share the lock. */
static int ends_as_reader(const block *b, const tm__tenure *it, int64_t end_ns)
{
    if (!b->is_handed)
        return 0;
    while (it && it->got_ns <= end_ns && it->flags & TM__TENURE_SHARED &&
           (it->got_ns < end_ns || it->owner != b->share.thread))
        it = tm__tenure_next(b->dealer->model, it);
    return it && it->got_ns == end_ns && it->flags & TM__TENURE_SHARED;
}

static void deal_all(block *b, const tm__tenure *it, int64_t end_ns)
{
    const tm_model *model = b->dealer->model;
    uint32_t object = b->share.object, thread = b->share.thread;
    /* A stand-in for the record in which this block ends. */
    tm__tenure own = {
        .got_ns = end_ns, .owner = thread, .next = OWN, .flags = TM__TENURE_HANDED};
    const tm__tenure *before = NULL, *next;
    tm__bounds bounds;
    uint32_t owners = 0;
    int is_last;

    while (it && b->at_ns < end_ns) {
        /* Readers do not block the next one, which the writer before them did. */
        if (before && it->flags & TM__TENURE_SHARED &&
            !(before->flags & TM__TENURE_SHARED) && ends_as_reader(b, it, end_ns)) {
            deal_gap(b, before, &own, end_ns);
            break;
        }
        before = it;
        next = tm__tenure_next(model, it);
        is_last = is_last_of(b, next, end_ns);

        if (++owners > TM__OWNERS_OF_A_BLOCK) {
            b->dealer->capped++;
            break;
        }
        if (it->owner == TM__NONE || it->owner == thread) {
            if (is_last)
                break;
            /* A thread reported later as the owner had it all the time, as far as
             * possible, unless it was quicker than those that queued. */
            if (it->flags & TM__TENURE_UNKNOWN && !(next->flags & TM__TENURE_HANDED) &&
                next->owner != thread && next->owner != TM__NONE) {
                if (next->before_ns != TM__UNLIMITED)
                    deal_gap(b, it, next, next->got_ns - (int64_t)next->before_ns);
                deal(b, tm__share_begins_ns(b->dealer, object, next), TM__SHARE_OWNER,
                     next, TM_PROVENANCE_INFERRED);
            } else {
                deal_gap(b, it, next, tm__share_begins_ns(b->dealer, object, next));
            }
            it = next;
            continue;
        }
        tm__share_bounds(b->dealer, &bounds, object, it,
                         is_last ? (b->is_handed ? &own : NULL) : next, end_ns);
        if (it->flags & TM__TENURE_SHARED)
            it = tm__last_to_leave(b->dealer, object, it, b->at_ns, end_ns, &bounds,
                                   &next);
        is_last = is_last_of(b, next, end_ns);
        deal_owner(b, it, &bounds,
                   bounds.released_ns < end_ns ? bounds.released_ns : end_ns);
        if (is_last) {
            if (b->is_handed)
                deal_gap(b, it, &own, end_ns);
            break;
        }
        if (next->flags & TM__TENURE_HANDED || next->owner == TM__NONE)
            deal_gap(b, it, next, next->got_ns);
        else
            deal_unseen(b, it, &bounds, next);
        it = next;
    }
    if (b->at_ns < end_ns || (b->share.is_first && !b->is_pending))
        deal(b, end_ns, TM__SHARE_UNKNOWN, NULL, TM_PROVENANCE_UNKNOWN);
    hand_on(b);
}

/* Whether a block ended because its thread got the lock. */
static int is_handed(const tm__thread *thread, uint32_t interval)
{
    const tm__interval *began = &thread->intervals[interval];
    uint32_t end = interval + 1;

    while (end < thread->interval_count &&
           thread->intervals[end].flags & TM__INTERVAL_CONTINUES)
        end++;
    return end < thread->interval_count &&
           thread->intervals[end].state == TM_STATE_RUNNING &&
           !(began->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED)) &&
           (began->state != TM_STATE_PARKED ||
            thread->intervals[end].cause != TM__NONE);
}

/* The record in which a block began. A notify that was bound late found later ones. */
static const tm__tenure *first_record(const tm_model *model, const tm__thread *thread,
                                      uint32_t interval)
{
    const tm__interval *it = &thread->intervals[interval];
    const tm__tenure *from = tm__tenure_at(model, it->tenure), *next;

    if (it->object == TM__NONE)
        return NULL;
    if (from && from->got_ns > it->start_ns && it->state == TM_STATE_REENTERING &&
        interval > 0 && it[-1].object == it->object && it[-1].tenure)
        from = tm__tenure_at(model, it[-1].tenure);
    /* If there are several owners at once, the first is as good as the last. */
    while (from && (next = tm__tenure_next(model, from)) &&
           next->got_ns <= it->start_ns &&
           !(from->flags & next->flags & TM__TENURE_SHARED))
        from = next;
    return from;
}

/* A thread dump shows a block at one instant, so it has no length: the owner that the
 * dump names is the whole answer. */
static void deal_instant(block *b, const tm__interval *it, const tm__tenure *record)
{
    tm__tenure named = {.owner = it->peer, .stack = TM__NONE};
    int provenance = it->provenance;

    /* The dump may state only later that the park is for a lock. */
    if (!record && it->object != TM__NONE)
        record =
            tm__tenure_at(b->dealer->model,
                          b->dealer->model->entities.details[it->object].first_tenure);
    while (record && (record->owner != it->peer || record->had_ns < it->start_ns))
        record = tm__tenure_next(b->dealer->model, record);
    /* An owner that runs may release the lock later, but not in this instant. */
    if (record && record->had_ns == it->start_ns && record->had_provenance > provenance)
        provenance = record->had_provenance;
    deal(b, it->start_ns, TM__SHARE_OWNER, record ? record : &named, provenance);
    b->share.is_stated = provenance > TM_PROVENANCE_INFERRED;
    hand_on(b);
}

int tm__deal_block(tm__dealer *dealer, uint32_t thread, uint32_t interval,
                   int64_t end_ns, uint32_t queued)
{
    const tm_model *model = dealer->model;
    const tm__thread *blocked = &model->entities.threads[thread];
    const tm__interval *it = &blocked->intervals[interval];
    block b = {.dealer = dealer,
               .share = {.start_ns = it->start_ns,
                         .end_ns = end_ns,
                         .thread = thread,
                         .object = it->object,
                         .stack = it->stack,
                         .state = it->state,
                         .is_first = 1,
                         .queued = queued},
               .began_ns = it->start_ns,
               .at_ns = it->start_ns,
               .is_handed = !dealer->is_whole && is_handed(blocked, interval)};

    if ((dealer->scope->threads && !dealer->scope->threads[thread]) ||
        !tm__interval_cut(model, dealer->scope, it, &b.share.start_ns, &b.share.end_ns))
        return TM_OK;
    if (dealer->is_whole) {
        deal(&b, end_ns, TM__SHARE_UNKNOWN, NULL, TM_PROVENANCE_UNKNOWN);
        hand_on(&b);
    } else if (end_ns == it->start_ns && it->peer != TM__NONE) {
        deal_instant(&b, it, first_record(model, blocked, interval));
    } else {
        deal_all(&b, first_record(model, blocked, interval), end_ns);
    }
    return b.failed;
}
