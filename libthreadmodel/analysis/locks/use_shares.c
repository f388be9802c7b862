/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that used the permit of a resource while another thread waited for it.
 *
 *     permit   [ A ·······]~[ B ·······]~[ C        uses, one after the other
 *     C's wait     |·····················|          shares: A, latency, B, latency
 *
 * Found backward from the wait's end: the thread that released C had the permit since
 * its own wait ended, and the thread that released that one had it before. Of several
 * permits this one counts, the others would have made no difference. A wait that timed
 * out would have got the one that came free next.
 */
#include "analysis/locks/shares.h"
#include "analysis/locks/use_shares.h"

#include "analysis/listing/listing.h"
#include "analysis/listing/timeline.h"
#include "analysis/resources/resources.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/entities/caller_frame.h"
#include "model/entities/thread.h"

/* Uses of a thread that end at one instant, and its waits, that are looked at. */
enum { LOOKED_AT = 16 };

typedef struct sweep {
    const tm_model *model;
    const tm__scope *scope;
    tm__resources all;
    tm__memory memory;
    tm__sortable *ends;    ///< uses by their ends; of one instant by thread
    uint32_t *waits;       ///< of each thread, the first of all.waits[]
    uint32_t *objects;     ///< of each object, the first of object_uses[]
    uint32_t *object_uses; ///< uses of each object by their ends
    tm__share *pieces;     ///< of one wait, the last first
    uint32_t pieces_count;
    int64_t at_ns; ///< up to which, backward, the wait is dealt out
    uint64_t capped;
} sweep;

/* A latency and an owner each, and what is not known. */
enum { PIECES = 2 * TM__OWNERS_OF_A_BLOCK + 2 };

/* ---- which use ended when ---- */

static int by_thread(const void *payload, uint32_t left, uint32_t right)
{
    const tm__resource_use *uses = payload;
    uint32_t l = uses[left].thread, r = uses[right].thread;

    return l != r ? (l < r ? -1 : 1) : left < right ? -1 : left > right;
}

/* From counts at first[i + 1] to where each one's begins. */
static void add_up(uint32_t *first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

static int open_orders(sweep *s)
{
    const tm__resources *all = &s->all;
    size_t threads = (size_t)s->model->entities.threads_count + 1;
    size_t objects = (size_t)s->model->entities.objects_count + 1;
    size_t uses = (size_t)all->uses_count + 1;

    s->ends = tm__resize(&s->memory, NULL, 0, 2 * uses * sizeof(*s->ends));
    s->waits = tm__zalloc(&s->memory, threads * sizeof(*s->waits));
    s->objects = tm__zalloc(&s->memory, (objects + 1) * sizeof(*s->objects));
    s->object_uses = tm__resize(&s->memory, NULL, 0, uses * sizeof(*s->object_uses));
    s->pieces = tm__resize(&s->memory, NULL, 0, PIECES * sizeof(*s->pieces));
    if (!s->ends || !s->waits || !s->objects || !s->object_uses || !s->pieces)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->waits_count; i++)
        s->waits[all->waits[i].thread + 1]++;
    add_up(s->waits, threads - 1);
    for (uint32_t i = 0; i < all->uses_count; i++) {
        s->ends[i] = (tm__sortable){all->uses[i].end_ns, i};
        if (all->uses[i].object != TM__NONE)
            s->objects[all->uses[i].object + 2]++;
    }
    tm__sort(s->ends, s->ends + uses, all->uses_count, by_thread, all->uses);
    add_up(s->objects, objects);
    for (uint32_t i = 0; i < all->uses_count; i++) {
        uint32_t object = all->uses[s->ends[i].number].object;

        if (object != TM__NONE)
            s->object_uses[s->objects[object + 1]++] = s->ends[i].number;
    }
    return TM_OK;
}

static void close_orders(sweep *s)
{
    size_t threads = (size_t)s->model->entities.threads_count + 1;
    size_t objects = (size_t)s->model->entities.objects_count + 1;
    size_t uses = (size_t)s->all.uses_count + 1;

    tm__free(&s->memory, s->ends, 2 * uses * sizeof(*s->ends));
    tm__free(&s->memory, s->waits, threads * sizeof(*s->waits));
    tm__free(&s->memory, s->objects, (objects + 1) * sizeof(*s->objects));
    tm__free(&s->memory, s->object_uses, uses * sizeof(*s->object_uses));
    tm__free(&s->memory, s->pieces, PIECES * sizeof(*s->pieces));
}

/* The use that ended with the release of a wait; NULL: none that is known. */
static const tm__resource_use *use_before(const sweep *s, const tm__resource_wait *wait)
{
    uint32_t low = 0, high = s->all.uses_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tm__resource_use *use = &s->all.uses[s->ends[middle].number];

        if (use->end_ns < wait->released_ns ||
            (use->end_ns == wait->released_ns && use->thread < wait->releaser))
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = 0; i < LOOKED_AT && low + i < s->all.uses_count; i++) {
        const tm__resource_use *use = &s->all.uses[s->ends[low + i].number];

        if (use->end_ns != wait->released_ns || use->thread != wait->releaser)
            break;
        if (s->all.waits[use->wait].queue == wait->queue)
            return use;
    }
    return NULL;
}

/* The first use of an object that ends at an instant or later; NULL: none. */
static const tm__resource_use *use_after(const sweep *s, uint32_t object,
                                         int64_t time_ns)
{
    uint32_t low, high;

    if (object == TM__NONE)
        return NULL;
    low = s->objects[object];
    high = s->objects[object + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (s->all.uses[s->object_uses[middle]].end_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->objects[object + 1] ? &s->all.uses[s->object_uses[low]] : NULL;
}

/* Whether who released had what it gave since before a time, though no use is known: as
 * others waited, it could not have got it later but by waiting itself. */
static int had_it_since(const sweep *s, const tm__resource_wait *wait, int64_t start_ns)
{
    const tm__thread *thread = &s->model->entities.threads[wait->releaser];
    uint32_t first = s->waits[wait->releaser], end;

    if (!s->all.items[wait->resource].uses.count || !thread->interval_count ||
        thread->intervals[0].start_ns > start_ns)
        return 0;
    end = TM__FIRST_FROM(s->all.waits, tm__resource_wait, start_ns, first,
                         s->waits[wait->releaser + 1], wait->released_ns);
    for (uint32_t i = 1; end - i + 1 > first; i++) {
        const tm__resource_wait *own = &s->all.waits[end - i];

        if (own->got_ns <= start_ns)
            return 1;
        if (i == LOOKED_AT || own->queue == wait->queue)
            return 0;
    }
    return 1;
}

/* ---- one wait ---- */

static void add_piece(sweep *s, const tm__share *wait, int64_t from_ns, int64_t to_ns,
                      int kind, uint32_t owner, uint32_t stack)
{
    tm__share *piece = &s->pieces[s->pieces_count++];

    *piece = *wait;
    piece->from_ns = from_ns;
    piece->to_ns = to_ns;
    piece->kind = (uint8_t)kind;
    piece->owner = owner;
    piece->owner_stack = stack;
    piece->provenance =
        kind == TM__SHARE_UNKNOWN ? TM_PROVENANCE_UNKNOWN : TM_PROVENANCE_INFERRED;
}

/* The part before the one dealt out, back to an instant, is of this kind. */
static void deal(sweep *s, const tm__share *wait, int64_t from_ns, int kind,
                 uint32_t owner, uint32_t stack)
{
    int64_t to_ns = s->at_ns < wait->end_ns ? s->at_ns : wait->end_ns;

    if (from_ns >= s->at_ns)
        return;
    s->at_ns = from_ns;
    if (from_ns < wait->start_ns)
        from_ns = wait->start_ns;
    if (from_ns < to_ns)
        add_piece(s, wait, from_ns, to_ns, kind, owner, stack);
}

static void follow(sweep *s, const tm__share *share, const tm__resource_wait *wait)
{
    const tm__resource_use *use =
        wait->is_expired ? use_after(s, wait->object, wait->end_ns) : NULL;

    for (int owners = 0; s->at_ns > share->start_ns; owners++) {
        if (owners == TM__OWNERS_OF_A_BLOCK) {
            s->capped++;
            return;
        }
        if (!use) {
            if (wait->releaser == TM__NONE || wait->releaser == share->thread ||
                wait->released_ns == INT64_MIN)
                return;
            deal(s, share, wait->released_ns, TM__SHARE_LATENCY, TM__NONE, TM__NONE);
            use = use_before(s, wait);
        }
        if (!use) {
            if (had_it_since(s, wait, share->start_ns))
                deal(s, share, share->start_ns, TM__SHARE_OWNER, wait->releaser,
                     TM__NONE);
            return;
        }
        if (use->thread == share->thread)
            return;
        wait = &s->all.waits[use->wait];
        deal(s, share, use->start_ns, TM__SHARE_OWNER, use->thread,
             s->model->entities.threads[use->thread].intervals[wait->interval].stack);
        use = NULL;
    }
}

static int deal_wait(sweep *s, const tm__resource_wait *wait, tm__share_fn add_share,
                     void *payload)
{
    const tm__interval *it =
        &s->model->entities.threads[wait->thread].intervals[wait->interval];
    tm__share share = {.start_ns = wait->start_ns,
                       .end_ns = wait->end_ns,
                       .thread = wait->thread,
                       .object = wait->object,
                       .stack = it->stack,
                       .state = it->state,
                       .queued = 1};
    int rc = TM_OK;

    if ((s->scope->threads && !s->scope->threads[wait->thread]) ||
        !tm__interval_cut(s->model, s->scope, it, &share.start_ns, &share.end_ns))
        return TM_OK;
    s->pieces_count = 0;
    s->at_ns = wait->end_ns;
    follow(s, &share, wait);
    deal(s, &share, share.start_ns, TM__SHARE_UNKNOWN, TM__NONE, TM__NONE);
    if (!s->pieces_count)
        add_piece(s, &share, share.start_ns, share.end_ns, TM__SHARE_UNKNOWN, TM__NONE,
                  TM__NONE);
    s->pieces[s->pieces_count - 1].is_first = 1;
    s->pieces[0].is_last = 1;
    while (rc == TM_OK && s->pieces_count)
        rc = add_share(payload, &s->pieces[--s->pieces_count]);
    return rc;
}

int tm__use_shares_may_be_known(const tm_model *model)
{
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++)
        if (model->intervals.interactions[i].from_stack != TM__NONE)
            return 1;
    return 0;
}

int tm__use_shares_walk(const tm_model *model, const tm__scope *scope,
                        tm__share_fn add_share, void *payload, uint64_t *capped)
{
    tm__scope everything = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    sweep s = {.model = model, .scope = scope};
    uint32_t *callers;
    int rc = TM_ENOMEM;

    tm__memory_init(&s.memory, &model->memory.hook);
    callers = tm__stack_callers(model, &s.memory, NULL);
    if (!callers)
        return tm__failure();
    rc = tm__resources_open(&s.all, model, &everything, &s.memory, callers);
    if (rc == TM_OK)
        rc = open_orders(&s);
    for (uint32_t i = 0; rc == TM_OK && i < s.all.waits_count; i++)
        if (!s.all.items[s.all.waits[i].resource].is_idle)
            rc = deal_wait(&s, &s.all.waits[i], add_share, payload);
    if (capped)
        *capped = s.capped;
    close_orders(&s);
    tm__resources_close(&s.all);
    tm__free(&s.memory, callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*callers));
    return rc;
}
