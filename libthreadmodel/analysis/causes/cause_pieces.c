/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owners and users of what threads waited for, of all waits of a run: the shares
 * that the room of locks deals out, where a part of a wait finds its own.
 */
#include "analysis/causes/cause_pieces.h"
#include "analysis/causes/cause_facts.h"
#include "analysis/causes/cause_state.h"

#include "analysis/locks/blocks.h"
#include "analysis/locks/shares.h"
#include "analysis/locks/use_shares.h"
#include "base/error.h"

typedef struct gathering {
    tm__causes *causes;
    tm__cause_pieces *into;
    uint32_t wait; ///< items[] of the wait's first piece
    uint8_t owner; ///< enum tm__cause
    uint8_t is_any_known;
} gathering;

static int add_piece(gathering *g, const tm__share *share)
{
    tm__cause_pieces *into = g->into;
    int is_owner = share->kind == TM__SHARE_OWNER && share->owner != TM__NONE &&
                   share->owner != share->thread;
    uint32_t cause = is_owner                           ? g->owner
                     : share->kind == TM__SHARE_LATENCY ? TM__CAUSE_HANDOVER
                                                        : TM__CAUSE_UNKNOWN;

    g->is_any_known |= is_owner;
    if (share->from_ns >= share->to_ns)
        return TM_OK;
    if (tm__reserve(g->causes->memory, &into->items, &into->items_capacity,
                    (size_t)into->items_count + 1, sizeof(*into->items)) < 0)
        return tm__failure();
    into->items[into->items_count++] =
        (tm__cause_piece){.from_ns = share->from_ns,
                          .to_ns = share->to_ns,
                          .thread = share->thread,
                          .actor = is_owner ? share->owner : TM__NONE,
                          .stack = is_owner ? share->owner_stack : TM__NONE,
                          .cause = (uint8_t)cause,
                          .provenance = share->provenance};
    return TM_OK;
}

/* A wait without a known owner has no pieces: its waker is asked. */
static int add(void *payload, const tm__share *share)
{
    gathering *g = payload;
    int rc;

    if (share->is_first) {
        g->wait = g->into->items_count;
        g->is_any_known = 0;
    }
    rc = add_piece(g, share);
    if (share->is_last && !g->is_any_known)
        g->into->items_count = g->wait;
    return rc;
}

static int64_t thread_of(const void *payload, uint32_t number)
{
    return ((const tm__cause_piece *)payload)[number].thread;
}

static int64_t from_of(const void *payload, uint32_t number)
{
    return ((const tm__cause_piece *)payload)[number].from_ns;
}

static int put_in_order(tm__causes *c, tm__cause_pieces *it)
{
    uint32_t threads = c->model->entities.threads_count;

    it->order = tm__sorted_within_new(c->memory, it->items_count, thread_of, from_of,
                                      it->items);
    it->first_of = tm__zalloc(c->memory, ((size_t)threads + 1) * sizeof(uint32_t));
    if (!it->order || !it->first_of)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < it->items_count; i++)
        it->first_of[it->items[i].thread + 1]++;
    for (uint32_t t = 0; t < threads; t++)
        it->first_of[t + 1] += it->first_of[t];
    return TM_OK;
}

int tm__causes_gather(tm__causes *c)
{
    tm__scope all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    gathering owners = {.causes = c, .into = &c->owners, .owner = TM__CAUSE_OWNER};
    gathering users = {.causes = c, .into = &c->users, .owner = TM__CAUSE_USER};
    int rc;

    rc = tm__shares_walk(c->model, &all, add, &owners, NULL);
    if (rc == TM_OK)
        rc = tm__use_shares_walk(c->model, &all, add, &users, NULL);
    if (rc == TM_OK)
        rc = put_in_order(c, &c->owners);
    if (rc == TM_OK)
        rc = put_in_order(c, &c->users);
    return rc == TM_OK ? tm__cause_facts_gather(c) : rc;
}

void tm__cause_pieces_free(tm__causes *c, tm__cause_pieces *it)
{
    size_t threads = (size_t)c->model->entities.threads_count + 1;

    tm__sorted_free(c->memory, it->order, it->items_count);
    tm__free(c->memory, it->first_of, threads * sizeof(uint32_t));
    tm__free(c->memory, it->items, it->items_capacity * sizeof(*it->items));
}

uint32_t tm__cause_piece_from(const tm__cause_pieces *it, uint32_t thread,
                              int64_t time_ns)
{
    uint32_t low = it->first_of[thread], high = it->first_of[thread + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (it->items[it->order[middle].number].to_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
