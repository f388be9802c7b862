/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tenures of a run as a what-if needs them: with one begin and one end each. The
 * facts known of them are looked up once; holds are gathered from these three times,
 * for an uncertain end has two bounds and a middle.
 *
 *     owner   ══[ A ═══════ had ─ ─ ─ ─]            had: known to have it still
 *     next         ························w[ B      it released it within ─ ─ ─
 */
#include "analysis/whatif/hold_records.h"
#include "analysis/whatif/holds.h"

#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure.h"
#include "model/ownership/wakeup_latency.h"

enum { LOOK_BACK = 16, LOOK_AHEAD = 64 };

/** A lock while its tenures are gone through. */
typedef struct lock {
    tm__holds *holds;
    const tm__tenure *before; ///< the record before the next one, or NULL
    uint32_t object;
    int is_parked;
    int64_t usual_ns;     ///< wake-up
    int64_t exclusive_ns; ///< the end of the last hold that was not shared
    int64_t released_ns;  ///< of all before
    int is_known;         ///< the owner before is
    int is_reported;      ///< that this one released it
} lock;

static int64_t end_ns_of(const lock *l, const tm__tenure *it, const tm__tenure *next,
                         const tm__record_ends *b)
{
    if (tm__tenure_is_reported_over(it))
        return b->released_ns;
    /* Only the thread that is blocked by it still shows something of the last one. */
    if (!next)
        return l->holds->model->entities.objects[l->object].wanted
                   ? b->released_latest_ns
                   : b->released_earliest_ns;
    if (l->holds->bound == TM__HOLDS_SHORT)
        return b->released_earliest_ns;
    if (l->holds->bound == TM__HOLDS_LONG)
        return b->released_latest_ns;
    /* The next one was quicker than those who queued: nobody knows when. */
    if (!(next->flags & TM__TENURE_HANDED) && it->flags & TM__TENURE_SEEN)
        return b->released_latest_ns;
    return b->released_ns;
}

/* A thread that sleeps or is blocked releases nothing: it did before that, or after,
 * whichever is nearer. */
static int64_t awake_ns(const tm_model *model, uint32_t owner, int64_t time_ns,
                        const tm__record_ends *ends)
{
    const tm__thread *thread = &model->entities.threads[owner];
    uint32_t at = tm__interval_near(thread, time_ns, ends->at);
    int64_t end_ns;

    if (at == TM__NONE || !tm__is_inert(thread->intervals[at].state) ||
        thread->intervals[at].start_ns == time_ns)
        return time_ns;
    end_ns = tm__interval_end_ns(model, thread, at);
    return end_ns <= ends->released_latest_ns &&
                   end_ns - time_ns < time_ns - thread->intervals[at].start_ns
               ? end_ns
               : thread->intervals[at].start_ns;
}

/* The block after which the owner of a record had the lock. Another thread may have
 * seen it as the owner before its own block was over: it goes on when that is.
 * @return when the block began, and its end in `went_on_ns`; INT64_MIN: it was not
 *         blocked, or came from a wait without a block */
static int64_t queued_ns_of(const tm_model *model, const tm__tenure *it, uint32_t near,
                            int64_t *went_on_ns)
{
    const tm__thread *owner = &model->entities.threads[it->owner];
    uint32_t at = tm__interval_near(owner, it->got_ns - 1, near), after;

    if (at == TM__NONE || !tm__is_lock_block(&owner->intervals[at]))
        return INT64_MIN;
    for (after = at + 1; after < owner->interval_count; after++)
        if (owner->intervals[after].start_ns == it->got_ns ||
            !tm__is_lock_block(&owner->intervals[after]) ||
            !(owner->intervals[after].flags & TM__INTERVAL_CONTINUES))
            break;
    if (after == owner->interval_count)
        return INT64_MIN;
    *went_on_ns = owner->intervals[after].start_ns;
    for (; at > 0 && owner->intervals[at].flags & TM__INTERVAL_CONTINUES; at--)
        if (!tm__is_lock_block(&owner->intervals[at - 1]))
            break;
    return owner->intervals[at].start_ns;
}

/* When a thread had last been blocked by a lock, as far as it is looked for. */
static int64_t blocked_until_ns(const lock *l, uint32_t thread, int64_t time_ns,
                                uint32_t near)
{
    const tm__thread *it = &l->holds->model->entities.threads[thread];
    uint32_t at = tm__interval_near(it, time_ns, near);

    for (int i = 0; i < LOOK_BACK && at != TM__NONE && at > 0; i++, at--)
        if (it->intervals[at - 1].object == l->object)
            return it->intervals[at].start_ns;
    return at == TM__NONE || at == 0 ? INT64_MIN : it->intervals[at].start_ns;
}

/* A thread was blocked by the lock before an owner was reported: this owner had it
 * since the release before, as far as possible. */
static int64_t since_ns_of(const lock *l, const tm__tenure *it,
                           const tm__tenure *before, int64_t start_ns,
                           const tm__record_ends *b)
{
    int64_t since_ns =
        before->flags & TM__TENURE_UNKNOWN ? before->got_ns : l->released_ns;
    int64_t least_ns = blocked_until_ns(l, it->owner, start_ns, b->at);

    if (least_ns < b->got_earliest_ns)
        least_ns = b->got_earliest_ns;
    if (since_ns < least_ns)
        since_ns = least_ns;
    return since_ns < start_ns ? since_ns : start_ns;
}

/* The length of a hold is estimated where one of its ends was not seen. */
static void stretch(const lock *l, tm__replay_hold *hold, const tm__tenure *it,
                    const tm__tenure *next, const tm__record_ends *b)
{
    int is_end_seen =
        tm__tenure_is_reported_over(it) || (next && next->flags & TM__TENURE_HANDED);
    int64_t length_ns;

    hold->since_ns = hold->start_ns;
    hold->until_ns = hold->end_ns;
    if (l->holds->bound == TM__HOLDS_SHORT || (hold->is_handed && is_end_seen))
        return;
    length_ns = tm__usual_length_ns(l->holds, l->object, hold->owner);
    if (length_ns == 0)
        return;
    if (!hold->is_handed) {
        int64_t since_ns = hold->end_ns - length_ns;
        int64_t least_ns = blocked_until_ns(l, hold->owner, hold->start_ns, b->at);

        if (least_ns < b->got_earliest_ns)
            least_ns = b->got_earliest_ns;
        if (since_ns < least_ns)
            since_ns = least_ns;
        if (since_ns < hold->since_ns)
            hold->since_ns = since_ns;
    }
    if (!is_end_seen) {
        int64_t until_ns = tm__sum(hold->since_ns, length_ns);

        if (until_ns > b->released_latest_ns)
            until_ns = b->released_latest_ns;
        if (until_ns > hold->until_ns)
            hold->until_ns = until_ns;
    }
}

/* How the time from the last release to the instant at which its owner had the lock is
 * to be understood. */
static void explain_gap(const lock *l, tm__replay_hold *hold, int64_t queued_ns)
{
    int64_t from_ns = hold->is_shared ? l->exclusive_ns : l->released_ns, gap_ns;
    int is_waking =
        l->is_known && from_ns > queued_ns &&
        (l->is_parked || !l->is_reported || tm__owners_are_reported(l->holds->model));

    if (!l->is_known || from_ns < queued_ns)
        from_ns = queued_ns;
    gap_ns = hold->start_ns > from_ns ? hold->start_ns - from_ns : 0;
    if (!is_waking && gap_ns > TM__WAKEUP_MUCH_LONGER * l->usual_ns) {
        hold->hidden_ns = gap_ns - l->usual_ns;
        gap_ns = l->usual_ns;
    }
    hold->latency_ns = gap_ns < UINT32_MAX ? (uint32_t)gap_ns : UINT32_MAX;
}

static void add_hold(lock *l, const tm__tenure *it)
{
    const tm__tenure *before = l->before;
    const tm__tenure *next = tm__tenure_next(l->holds->model, it);
    tm__holds *holds = l->holds;
    const tm__record_ends *b = tm__record_ends_of(holds, it);
    tm__replay_hold hold = {.object = l->object,
                            .owner = it->owner,
                            .place = b->place,
                            .is_handed = (it->flags & TM__TENURE_HANDED) != 0,
                            .is_shared = (it->flags & TM__TENURE_SHARED) != 0};

    hold.start_ns = hold.is_handed ? it->got_ns : b->got_latest_ns;
    if (!hold.is_handed && before && holds->bound != TM__HOLDS_SHORT &&
        before->flags & (TM__TENURE_UNKNOWN | TM__TENURE_SEEN))
        hold.start_ns = since_ns_of(l, it, before, hold.start_ns, b);
    hold.end_ns = awake_ns(holds->model, it->owner, end_ns_of(l, it, next, b), b);
    if (hold.is_handed) {
        int64_t queued_ns = queued_ns_of(holds->model, it, b->at, &hold.start_ns);

        if (queued_ns == INT64_MIN)
            hold.is_handed = 0;
        else
            explain_gap(l, &hold, queued_ns);
    }
    if (hold.end_ns < hold.start_ns)
        hold.end_ns = hold.start_ns;
    stretch(l, &hold, it, next, b);
    if (hold.until_ns > hold.since_ns) {
        holds->places[hold.place].holds++;
        holds->places[hold.place].hold_ns =
            tm__sum(holds->places[hold.place].hold_ns, hold.until_ns - hold.since_ns);
    }
    if (!hold.is_shared)
        l->exclusive_ns = hold.end_ns;
    if (!hold.is_shared || !l->is_known || hold.end_ns > l->released_ns)
        l->released_ns = hold.end_ns;
    l->is_known = 1;
    l->is_reported = tm__tenure_is_reported_over(it);
    holds->items[holds->first[it->owner]++] = hold;
    holds->items_count++;
}

static void read_records(tm__holds *holds, lock *locks)
{
    const tm_model *model = holds->model;
    int64_t usual_ns[TM__WAKEUP_END];

    for (int i = 0; i < TM__WAKEUP_END; i++)
        usual_ns[i] = tm__wakeup_ns(&model->ownership, i);
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        int is_parked =
            (model->entities.objects[i].flags & TM_OBJECT_SYNCHRONIZER) != 0;

        locks[i] = (lock){
            .holds = holds,
            .object = i,
            .is_parked = is_parked,
            .usual_ns = usual_ns[is_parked ? TM__WAKEUP_PARK : TM__WAKEUP_MONITOR],
            .exclusive_ns = INT64_MIN,
            .released_ns = INT64_MIN};
    }
    for (uint32_t i = 0; i < model->ownership.tenures_count; i++) {
        const tm__tenure *it = &model->ownership.tenures[i];
        lock *l = &locks[holds->ends[i].object];

        if (holds->ends[i].object == TM__NONE)
            continue;
        if (it->owner == TM__NONE)
            l->is_known = 0;
        else
            add_hold(l, it);
        l->before = it;
    }
    /* Each owner's first has become the next one's. */
    for (uint32_t i = model->entities.threads_count; i > 0; i--)
        holds->first[i] = holds->first[i - 1];
    holds->first[0] = 0;
}

/* ---- who got in with others ---- */

/* Whether a record says that a thread had the lock when its block was over. */
static int is_reported(const tm_model *model, uint32_t thread,
                       const tm__interval *block, int64_t end_ns)
{
    const tm__tenure *it = tm__tenure_at(model, block->tenure);

    for (int i = 0; i < LOOK_AHEAD && it && it->got_ns <= end_ns; i++) {
        if (it->owner == thread && it->got_ns == end_ns)
            return 1;
        it = tm__tenure_next(model, it);
    }
    return 0;
}

/* If readers get a lock together, the records show only one of them; the others had it,
 * too, as long as one usually has, and until they were blocked by it again. */
static int add_unrecorded(tm__holds *holds, uint32_t thread, uint32_t first)
{
    const tm__thread *it = &holds->model->entities.threads[thread];
    const tm__interval *block = &it->intervals[first];
    uint32_t next = first + 1;
    tm__replay_hold hold = {.object = block->object, .owner = thread};

    if (next >= it->interval_count || tm__is_inert(it->intervals[next].state) ||
        block->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED) ||
        is_reported(holds->model, thread, block, it->intervals[next].start_ns))
        return TM_OK;
    hold.start_ns = hold.end_ns = hold.since_ns = it->intervals[next].start_ns;
    hold.until_ns =
        tm__sum(hold.since_ns, tm__usual_length_ns(holds, block->object, thread));
    while (++next < it->interval_count && it->intervals[next].start_ns < hold.until_ns)
        if (tm__is_lock_block(&it->intervals[next]) &&
            it->intervals[next].object == block->object)
            hold.until_ns = it->intervals[next].start_ns;
    hold.place =
        tm__hold_place(holds, block->object, block->stack, TM__NONE, hold.start_ns);
    if (hold.place == TM__NONE ||
        tm__reserve(holds->memory, &holds->items, &holds->items_capacity,
                    (size_t)holds->items_count + 1, sizeof(hold)) < 0)
        return tm__failure();
    holds->places[hold.place].holds++;
    holds->places[hold.place].hold_ns =
        tm__sum(holds->places[hold.place].hold_ns, hold.until_ns - hold.since_ns);
    holds->items[holds->items_count++] = hold;
    return TM_OK;
}

static int read_thread(tm__holds *holds, uint32_t thread)
{
    const tm__thread *it = &holds->model->entities.threads[thread];
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < it->interval_count; i++) {
        const tm__interval *at = &it->intervals[i];

        if (at->state == TM_STATE_PARKED && tm__is_lock_block(at) &&
            tm__usual_length_ns(holds, at->object, thread) > 0)
            rc = add_unrecorded(holds, thread, i);
    }
    return rc;
}

int tm__holds_gather(tm__holds *holds)
{
    const tm_model *model = holds->model;
    size_t locks_bytes = ((size_t)model->entities.objects_count + 1) * sizeof(lock);
    lock *locks = tm__resize(holds->memory, NULL, 0, locks_bytes);
    int rc = locks ? TM_OK : TM_ENOMEM;

    for (uint32_t p = 0; p < holds->places_count; p++)
        holds->places[p].holds = 0, holds->places[p].hold_ns = 0;
    holds->items_count = 0;
    if (rc == TM_OK)
        rc = tm__reserve(holds->memory, &holds->items, &holds->items_capacity,
                         (size_t)model->ownership.tenures_count + 1,
                         sizeof(tm__replay_hold));
    if (rc == TM_OK && !holds->ends)
        rc = tm__hold_records_look_up(holds);
    if (rc == TM_OK)
        read_records(holds, locks);
    tm__free(holds->memory, locks, locks_bytes);
    for (uint32_t i = 0; rc == TM_OK && holds->bound != TM__HOLDS_SHORT &&
                         i < model->entities.threads_count;
         i++)
        if (!holds->slice || holds->slice->threads[i])
            rc = read_thread(holds, i);
    return rc;
}

void tm__holds_free(tm__holds *holds)
{
    tm__free(holds->memory, holds->ends,
             ((size_t)holds->model->ownership.tenures_count + 1) *
                 sizeof(*holds->ends));
    tm__free(holds->memory, holds->first,
             ((size_t)holds->model->entities.threads_count + 1) * sizeof(uint32_t));
    tm__free(holds->memory, holds->items,
             holds->items_capacity * sizeof(tm__replay_hold));
    tm__free(holds->memory, holds->lengths,
             holds->lengths_capacity * sizeof(*holds->lengths));
    tm__triple_map_free(&holds->by_owner, holds->memory);
    tm__free(holds->memory, holds->places,
             holds->places_capacity * sizeof(*holds->places));
    tm__triple_map_free(&holds->by_place, holds->memory);
    holds->ends = NULL;
    holds->first = NULL;
    holds->items = NULL;
    holds->lengths = NULL;
    holds->places = NULL;
}
