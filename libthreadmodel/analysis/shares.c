/* SPDX-License-Identifier: Apache-2.0 */
/* A block's time, dealt out to the segments of ownership that it lies in. */
#include "analysis/holders.h"

typedef struct giver {
    const tm__holders *holders;
    const tm__scope *scope;
    tm__share_fn take;
    void *payload;
} giver;

/* Where a thread was held up in a stretch of time, which tells what it was at. */
static uint32_t stack_within(const tm_model *model, uint32_t thread, int64_t from_ns,
                             int64_t to_ns)
{
    const tm__thread *it = &model->threads[thread];
    uint32_t low = 0, high = it->interval_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (it->intervals[middle].start_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    /* A sleep that began before counts where it lasts. */
    if (low > 0)
        low--;
    for (uint32_t i = low;
         i < it->interval_count && i < low + 8 && it->intervals[i].start_ns < to_ns;
         i++)
        if (it->intervals[i].stack != TM__NONE &&
            it->intervals[i].state >= TM_STATE_BLOCKED &&
            it->intervals[i].state <= TM_STATE_DEADLOCKED &&
            tm__interval_end_ns(model, it, i) > from_ns)
            return it->intervals[i].stack;
    return TM__NONE;
}

/* Hand one stretch on, cut to the window. */
static int give(const giver *s, tm__share *share)
{
    int rc;

    if (share->from_ns < share->start_ns)
        share->from_ns = share->start_ns;
    if (share->to_ns > share->end_ns)
        share->to_ns = share->end_ns;
    if (share->from_ns > share->to_ns ||
        (share->from_ns == share->to_ns && share->start_ns != share->end_ns))
        return TM_OK;
    /* Of a block without length one share is given, and one that tells most. */
    if (share->from_ns == share->to_ns && !share->is_first)
        return TM_OK;
    share->is_last = share->to_ns == share->end_ns;
    rc = s->take(s->payload, share);
    share->is_first = 0;
    return rc;
}

static void disown(tm__share *share)
{
    share->owner = share->owner_stack = TM__NONE;
    share->provenance = TM_PROVENANCE_UNKNOWN;
}

/* The same, split where the owner's life ended; who ended owns nothing. */
static int give_living(const giver *s, tm__share *share)
{
    const tm_model *model = s->holders->model;
    int64_t to_ns = share->to_ns, life_ns = INT64_MAX;
    int rc;

    if (share->owner == share->thread)
        share->owner = TM__NONE;
    if (share->owner != TM__NONE && model->threads[share->owner].end_ns != INT64_MIN)
        life_ns = model->threads[share->owner].end_ns;
    if (share->owner == TM__NONE || life_ns <= share->from_ns) {
        disown(share);
        return give(s, share);
    }
    if (life_ns < to_ns)
        share->to_ns = life_ns;
    if (s->holders->sites && share->owner_stack == TM__NONE)
        share->owner_stack =
            stack_within(model, share->owner, share->from_ns, share->to_ns);
    rc = give(s, share);
    if (rc < 0 || life_ns >= to_ns)
        return rc;
    share->from_ns = life_ns;
    share->to_ns = to_ns;
    disown(share);
    return give(s, share);
}

/* Whether the scope asks about a block, which is cut to its window. */
static int in_scope(const giver *s, tm__share *share)
{
    const tm__scope *scope = s->scope;
    uint32_t class_index = share->object == TM__NONE
                               ? TM__NONE
                               : s->holders->model->objects[share->object].class_index;

    if (scope->threads && !scope->threads[share->thread])
        return 0;
    if (scope->classes && (class_index == TM__NONE || !scope->classes[class_index]))
        return 0;
    if (share->start_ns >= scope->to_ns ||
        (share->end_ns <= scope->from_ns &&
         !(share->start_ns == share->end_ns && share->start_ns == scope->from_ns)))
        return 0;
    if (share->start_ns < scope->from_ns)
        share->start_ns = scope->from_ns;
    if (share->end_ns > scope->to_ns)
        share->end_ns = scope->to_ns;
    return 1;
}

int tm__shares_give(const tm__holders *holders, const tm__scope *scope, uint32_t thread,
                    const tm__interval *block, uint32_t segment, int64_t end_ns,
                    tm__share_fn take, void *payload, uint64_t *capped)
{
    giver s = {holders, scope, take, payload};

    tm__share share = {.start_ns = block->start_ns,
                       .end_ns = end_ns,
                       .thread = thread,
                       .object = block->object,
                       .stack = block->stack,
                       .state = block->state,
                       .is_first = 1};
    int64_t from_ns = block->start_ns;
    int rc = TM_OK;

    if (!in_scope(&s, &share))
        return TM_OK;
    share.queued = block->object == TM__NONE ? 1 : holders->locks[block->object].queued;
    for (uint32_t i = segment, told = 0; rc == TM_OK; told++) {
        const tm__segment *it = i == TM__NONE ? NULL : &holders->segments[i];
        uint32_t next = it && told < TM__OWNERS_OF_A_BLOCK ? it->next : TM__NONE;
        int known = it && told < TM__OWNERS_OF_A_BLOCK;

        share.from_ns = from_ns;
        share.to_ns = next == TM__NONE ? end_ns : holders->segments[next].from_ns;
        share.owner = known ? it->owner : TM__NONE;
        share.owner_stack = known ? it->stack : TM__NONE;
        share.provenance = known ? it->provenance : TM_PROVENANCE_UNKNOWN;
        /* How sure that was when the block began, its own beginning says; of who got
         * it earlier it is not known whether it had it still. */
        if (i == segment && known && it->owner == block->peer)
            share.provenance = block->provenance;
        else if (i == segment && known && it->from_ns < block->start_ns &&
                 share.provenance > TM_PROVENANCE_INFERRED)
            share.provenance = TM_PROVENANCE_INFERRED;
        /* What only goes on is one share, until it is surer. */
        while (known && next != TM__NONE &&
               holders->segments[next].owner == it->owner &&
               holders->segments[next].provenance <= share.provenance) {
            next = holders->segments[next].next;
            share.to_ns = next == TM__NONE ? end_ns : holders->segments[next].from_ns;
        }
        from_ns = share.to_ns;
        if (it && !known)
            (*capped)++;
        rc = give_living(&s, &share);
        if (next == TM__NONE)
            break;
        i = next;
    }
    return rc;
}
