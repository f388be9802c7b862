/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All blocks of a run by the time at which they end, for runs of ten million intervals
 * of some hundred threads. A heap of the threads' next intervals gives the order, so
 * that every timeline is read from front to back and nothing is copied.
 */
#include "analysis/locks/blocks.h"
#include "analysis/locks/shares.h"

#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"

typedef struct cursor {
    uint32_t next;  ///< intervals[] of the thread
    uint32_t block; ///< where the present block began, or TM__NONE
} cursor;

/** A thread in the heap, by the start of its next interval. */
typedef struct entry {
    int64_t time_ns;
    uint32_t thread;
} entry;

typedef struct sweep {
    const tm_model *model;
    tm__dealer dealer;
    cursor *cursors;
    entry *heap;
    uint32_t heap_count;
    uint32_t *queued; ///< an object: blocks going on
} sweep;

static int block_ends(sweep *s, uint32_t thread, int64_t end_ns)
{
    cursor *at = &s->cursors[thread];
    uint32_t index = at->block;
    uint32_t object = s->model->entities.threads[thread].intervals[index].object;

    at->block = TM__NONE;
    return tm__deal_block(&s->dealer, thread, index, end_ns,
                          object == TM__NONE ? 1 : s->queued[object]--);
}

static int step(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *it = &s->model->entities.threads[thread].intervals[index];
    int rc = TM_OK;

    if (it->flags & TM__INTERVAL_CONTINUES)
        return TM_OK;
    if (s->cursors[thread].block != TM__NONE)
        rc = block_ends(s, thread, it->start_ns);
    if (rc == TM_OK && tm__is_block(s->model, it)) {
        s->cursors[thread].block = index;
        if (it->object != TM__NONE)
            s->queued[it->object]++;
    }
    return rc;
}

/* ---- the order of time ---- */

static int goes_before(const entry *left, const entry *right)
{
    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns;
    return left->thread < right->thread;
}

/* Four children each: half the levels of two, and they share a cache line. */
static void sift_down(entry *heap, uint32_t count, uint32_t at)
{
    entry moving = heap[at];

    for (;;) {
        size_t first = (size_t)at * 4 + 1, end = first + 4 < count ? first + 4 : count;
        size_t least = first;

        if (first >= count)
            break;
        for (size_t i = first + 1; i < end; i++)
            if (goes_before(&heap[i], &heap[least]))
                least = i;
        if (!goes_before(&heap[least], &moving))
            break;
        heap[at] = heap[least];
        at = (uint32_t)least;
    }
    heap[at] = moving;
}

/* Whether a block begins or ends where an interval begins. */
static int matters(const tm_model *model, const tm__thread *thread, uint32_t index)
{
    const tm__interval *it = &thread->intervals[index];

    return tm__is_block(model, it) ||
           (index > 0 &&
            (tm__is_block(model, &it[-1]) || it[-1].state == TM_STATE_DEADLOCKED));
}

/* Intervals that are asked for ahead: by themselves the caches follow some ten
 * timelines, and the heap goes from one to another. */
enum { AHEAD = 8 };

/* @return 0 when nothing is left of the thread */
static int seek(const sweep *s, uint32_t thread, entry *at)
{
    const tm__thread *it = &s->model->entities.threads[thread];
    cursor *own = &s->cursors[thread];

    while (own->next < it->interval_count && !matters(s->model, it, own->next))
        own->next++;
    if (own->next >= it->interval_count)
        return 0;
    if (it->interval_count - own->next > AHEAD)
        tm__ask_for(&it->intervals[own->next + AHEAD]);
    *at = (entry){it->intervals[own->next].start_ns, thread};
    return 1;
}

static int walk(sweep *s)
{
    const tm_model *model = s->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        s->cursors[i] = (cursor){0, TM__NONE};
        s->heap_count += (uint32_t)seek(s, i, &s->heap[s->heap_count]);
    }
    for (uint32_t i = s->heap_count / 4 + 1; i-- > 0;)
        if (i < s->heap_count)
            sift_down(s->heap, s->heap_count, i);
    while (rc == TM_OK && s->heap_count) {
        uint32_t thread = s->heap[0].thread;

        rc = step(s, thread, s->cursors[thread].next++);
        if (!seek(s, thread, &s->heap[0]))
            s->heap[0] = s->heap[--s->heap_count];
        if (s->heap_count)
            sift_down(s->heap, s->heap_count, 0);
    }
    for (uint32_t i = 0; rc == TM_OK && i < model->entities.threads_count; i++) {
        const tm__thread *it = &model->entities.threads[i];

        if (s->cursors[i].block != TM__NONE)
            rc = block_ends(s, i,
                            tm__interval_end_ns(model, it, it->interval_count - 1));
    }
    return rc;
}

static int sweep_all(const tm_model *model, const tm__dealer *dealer, uint64_t *capped)
{
    sweep s = {.model = model, .dealer = *dealer};
    size_t cursor_bytes =
        ((size_t)model->entities.threads_count + 1) * sizeof(*s.cursors);
    size_t heap_bytes = ((size_t)model->entities.threads_count + 1) * sizeof(*s.heap);
    size_t queued_bytes =
        ((size_t)model->entities.objects_count + 1) * sizeof(*s.queued);
    size_t holds_bytes =
        ((size_t)model->entities.objects_count + 1) * sizeof(*s.dealer.short_holds_ns);
    size_t near_bytes =
        ((size_t)model->entities.threads_count + 1) * sizeof(*s.dealer.near);
    tm__memory memory;
    int rc = TM_ENOMEM;

    tm__memory_init(&memory, &model->memory.hook);
    s.cursors = tm__resize(&memory, NULL, 0, cursor_bytes);
    s.heap = tm__resize(&memory, NULL, 0, heap_bytes);
    s.queued = tm__zalloc(&memory, queued_bytes);
    s.dealer.short_holds_ns = tm__resize(&memory, NULL, 0, holds_bytes);
    if (s.dealer.short_holds_ns)
        memset(s.dealer.short_holds_ns, 0xff, holds_bytes);
    s.dealer.near = tm__zalloc(&memory, near_bytes);
    if (s.cursors && s.heap && s.queued && s.dealer.short_holds_ns && s.dealer.near)
        rc = walk(&s);
    if (capped)
        *capped = s.dealer.capped;
    tm__free(&memory, s.cursors, cursor_bytes);
    tm__free(&memory, s.heap, heap_bytes);
    tm__free(&memory, s.queued, queued_bytes);
    tm__free(&memory, s.dealer.short_holds_ns, holds_bytes);
    tm__free(&memory, s.dealer.near, near_bytes);
    return rc;
}

/* ---- shares that the model keeps ---- */

/** The shares of all blocks of a whole run, in the order of the walk. */
typedef struct kept_shares {
    tm__memory *memory;
    int is_gathered; ///< a question that needs them was asked twice
    uint64_t capped;
    TM__ARRAY(tm__share, items);
} kept_shares;

static int keep_share(void *payload, const tm__share *share)
{
    kept_shares *kept = payload;

    if (tm__reserve(kept->memory, &kept->items, &kept->items_capacity,
                    (size_t)kept->items_count + 1, sizeof(*share)) < 0)
        return tm__failure();
    kept->items[kept->items_count++] = *share;
    return TM_OK;
}

static void drop(void *item)
{
    kept_shares *kept = item;
    tm__memory *memory = kept->memory;

    tm__free(memory, kept->items, kept->items_capacity * sizeof(*kept->items));
    tm__free(memory, kept, sizeof(*kept));
}

static int gather(kept_shares *kept, const tm_model *model)
{
    static const tm__scope whole = TM__WHOLE_SCOPE;
    int rc = tm__shares_walk(model, &whole, keep_share, kept, &kept->capped);

    if (rc == TM_OK) {
        tm__shrink(kept->memory, &kept->items, &kept->items_capacity, kept->items_count,
                   sizeof(*kept->items));
        kept->is_gathered = 1;
    }
    return rc;
}

int tm__shares_need(const tm_model *model, const tm__scope *scope)
{
    tm__memory *memory = &model->kept->memory;
    kept_shares *kept = model->kept->items[TM__KEPT_SHARES];

    if (!tm__scope_is_whole(scope) || (kept && kept->is_gathered))
        return TM_OK;
    if (kept) {
        kept->items_count = 0;
        return gather(kept, model);
    }
    kept = tm__zalloc(memory, sizeof(*kept));
    if (!kept)
        return TM_ENOMEM;
    kept->memory = memory;
    tm__keep(model->kept, TM__KEPT_SHARES, kept, drop);
    return TM_OK;
}

static int hand_out(const kept_shares *kept, tm__share_fn add_share, void *payload,
                    uint64_t *capped)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < kept->items_count; i++)
        rc = add_share(payload, &kept->items[i]);
    if (capped)
        *capped = kept->capped;
    return rc;
}

int tm__shares_walk(const tm_model *model, const tm__scope *scope,
                    tm__share_fn add_share, void *payload, uint64_t *capped)
{
    const kept_shares *kept = model->kept->items[TM__KEPT_SHARES];

    if (kept && kept->is_gathered && tm__scope_is_whole(scope))
        return hand_out(kept, add_share, payload, capped);
    return sweep_all(
        model,
        &(tm__dealer){
            .model = model, .scope = scope, .add_share = add_share, .payload = payload},
        capped);
}

int tm__blocks_walk(const tm_model *model, const tm__scope *scope,
                    tm__share_fn add_block, void *payload)
{
    return sweep_all(model,
                     &(tm__dealer){.model = model,
                                   .scope = scope,
                                   .add_share = add_block,
                                   .payload = payload,
                                   .is_whole = 1},
                     NULL);
}
