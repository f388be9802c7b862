/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about locks, from two walks over the owners of all blocks: the first finds
 * which locks belong together, the second sums up. findings_lock_cards.c writes the
 * findings about a group of locks.
 */
#include "analysis/findings/findings_lock_cards.h"
#include "analysis/findings/findings_locks.h"
#include "base/error.h"

#include "analysis/findings/findings_classes.h"
#include "analysis/findings/findings_groups.h"
#include "analysis/locks/blocks.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/lock_nesting.h"

/* Too short to have slept in. */
enum { SHORT_NS = 10000, OWN_BLOCKING = 16 };

typedef tm__lock_sums locks;

static int add(locks *l, uint32_t group, uint32_t key, uint32_t what, int64_t time_ns,
               uint32_t thread)
{
    return tm__tally_add(&l->tally, &l->findings->memory, group, key, what, time_ns,
                         thread)
               ? TM_OK
               : tm__failure();
}

/* Under which state an owner's own blocking interval is found; 0: not a blocking state.
 */
static int own_state(int state)
{
    switch (state) {
    case TM_STATE_JOINING: return TM_STATE_WAITING;
    case TM_STATE_REENTERING: return TM_STATE_BLOCKED;
    case TM_STATE_SLEEPING:
    case TM_STATE_IO:
    case TM_STATE_WAITING:
    case TM_STATE_PARKED:
    case TM_STATE_BLOCKED: return state;
    default: return 0;
    }
}

/*
 * Whether an owner's blocking interval that began within its share still found it the
 * owner. A share names the lock's owner at its beginning; a monitor is released before
 * the method that acquired it returns, also where the next in the queue takes long to
 * wake.
 */
static int had_it_still(const tm_model *model, const tm__share *share,
                        const tm__interval *blocked)
{
    if (blocked->start_ns <= share->from_ns)
        return TM__INSIDE;
    /* A synchronizer may stay owned outside its method, and a stack proves nothing
     * about an equal one. */
    if (share->state == TM_STATE_PARKED || share->owner_stack == blocked->stack)
        return TM__UNPROVEN;
    return tm__stacks_compare(model, share->owner_stack, blocked->stack);
}

/* The owner may have been blocked itself in its share. */
static int look_at_owner(locks *l, const tm__share *share, uint32_t group)
{
    const tm_model *model = l->findings->model;
    const tm__thread *owner = &model->entities.threads[share->owner];
    uint32_t low = tm__intervals_until(owner, share->from_ns);

    low -= low > 0;
    for (uint32_t i = low; i < owner->interval_count && i < low + OWN_BLOCKING &&
                           owner->intervals[i].start_ns < share->to_ns;
         i++) {
        const tm__interval *it = &owner->intervals[i];
        int64_t from_ns = it->start_ns, to_ns = tm__interval_end_ns(model, owner, i);
        uint32_t state = (uint32_t)own_state(it->state);
        uint32_t place;
        int had_it;

        if (!state || (it->object == share->object && it->object != TM__NONE))
            continue;
        if (from_ns < share->from_ns)
            from_ns = share->from_ns;
        if (to_ns > share->to_ns)
            to_ns = share->to_ns;
        if (to_ns <= from_ns)
            continue;
        had_it = had_it_still(model, share, it);
        if (had_it == TM__LEFT)
            continue;
        place = tm__caller_of(&l->findings->places, it->stack);
        /* A worker that waits for work holds no lock: it has released it unseen. */
        if (place != TM__NONE && tm__caller_is_idle(&l->findings->places, place))
            continue;
        /* Without its own stack it is not known where this one was, nor that it began
         * with the lock held: the lock was not released before it was over. */
        if (place == TM__NONE || it->flags & TM__INTERVAL_SAMPLED) {
            int is_within = tm__interval_end_ns(model, owner, i) <= share->to_ns;

            if ((had_it == TM__INSIDE || is_within) &&
                add(l, group, TM__NONE, TM__LOCK_WHILE + state, to_ns - from_ns,
                    share->owner) < 0)
                return tm__failure();
            continue;
        }
        if (add(l, group, place, TM__LOCK_WHILE + state, to_ns - from_ns,
                share->owner) < 0)
            return tm__failure();
        if (share->is_stated && had_it == TM__INSIDE &&
            add(l, group, place, TM__LOCK_WHILE_KNOWN + state, to_ns - from_ns,
                share->owner) < 0)
            return tm__failure();
    }
    return TM_OK;
}

/* An unknown object is not a lock that could be made cheaper, and the VM's locks on
 * classes that it loads are judged elsewhere. */
static int is_of_a_lock(const locks *l, const tm__share *share)
{
    return share->object != TM__NONE &&
           !tm__is_class_work(l->findings, share->object, share->stack);
}

static int add_share(void *payload, const tm__share *share)
{
    locks *l = payload;
    const tm__callers *places = &l->findings->places;
    uint32_t group;
    int64_t time_ns = share->to_ns - share->from_ns;
    int64_t block_ns = share->end_ns - share->start_ns;

    if (!is_of_a_lock(l, share))
        return TM_OK;
    group = l->groups.of_object[share->object];
    if (share->is_first &&
        (add(l, group, tm__caller_of(places, share->stack), TM__LOCK_BLOCKED_AT,
             block_ns, share->thread) < 0 ||
         add(l, group, share->thread, TM__LOCK_BLOCKED, block_ns, share->thread) < 0 ||
         add(l, group, 0, TM__LOCK_WHOLE, block_ns, share->thread) < 0 ||
         (share->state == TM_STATE_REENTERING &&
          add(l, group, 0, TM__LOCK_REENTERING, block_ns, share->thread) < 0)))
        return tm__failure();
    if (share->kind == TM__SHARE_LATENCY &&
        add(l, group, 0, TM__LOCK_LATENCY, time_ns, share->thread) < 0)
        return tm__failure();
    if (share->kind == TM__SHARE_UNKNOWN &&
        add(l, group, 0, TM__LOCK_UNKNOWN, time_ns, share->thread) < 0)
        return tm__failure();
    if (share->owner == TM__NONE)
        return TM_OK;
    if (add(l, group, share->owner, TM__LOCK_OWNER, time_ns, share->owner) < 0 ||
        add(l, group, 0, TM__LOCK_OWNED, time_ns, share->owner) < 0)
        return tm__failure();
    if (share->owner_stack != TM__NONE &&
        add(l, group, tm__caller_of(places, share->owner_stack), TM__LOCK_HELD_BY,
            time_ns, share->owner) < 0)
        return tm__failure();
    if (share->is_stated && add(l, group, 0, TM__LOCK_KNOWN, time_ns, share->owner) < 0)
        return tm__failure();
    return time_ns < SHORT_NS ? TM_OK : look_at_owner(l, share, group);
}

static int note(void *payload, const tm__share *share)
{
    locks *l = payload;

    return is_of_a_lock(l, share) ? tm__queue_note(&l->queues, share) : TM_OK;
}

int tm__find_locks(tm__findings *findings)
{
    locks l = {.findings = findings};
    int rc = tm__queues_open(&l.queues, findings);

    if (rc == TM_OK)
        rc = tm__blocks_walk(findings->model, &findings->scope, note, &l);
    if (rc == TM_OK) {
        rc = tm__lock_groups_open(&l.groups, &l.queues);
        if (rc == TM_OK)
            rc = tm__shares_need(findings->model, &findings->scope);
        if (rc == TM_OK)
            rc =
                tm__shares_walk(findings->model, &findings->scope, add_share, &l, NULL);
    }
    if (rc == TM_OK)
        rc = tm__lock_cards(&l);
    if (l.groups.findings)
        tm__lock_groups_close(&l.groups);
    tm__queues_close(&l.queues);
    tm__tally_free(&l.tally, &findings->memory);
    return rc;
}
