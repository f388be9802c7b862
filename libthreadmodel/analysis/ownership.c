/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sweep over all timelines by time, for runs of ten million intervals of some
 * hundred threads. A heap of the threads' next intervals gives the order, so that
 * every timeline is read from front to back and nothing is copied.
 *
 *     A  ...has it |wait                     object    A     |   ?   |  B    |  C
 *     B     | blocked ........ |has it ..    tail ->  segment segment segment ...
 *     C         | blocked ............. |        B's block begins here ^
 *
 * Each object keeps the segments of its ownership for as long as a block that is
 * going on needs them: a block remembers the segment in which it began, and when
 * it ends its owners are the segments from that one to the tail.
 *
 * What is taken as a witness of ownership:
 *   - a block's owner when it began, which the model knew or the VM stated;
 *   - the end of a block or wait by which the thread got the monitor;
 *   - the notifier of a waiter that begins to re-enter;
 *   - a thread that waits, or blocks, has let go by then;
 *   - who is reported to have handed the monitor over had it until then.
 * Where two of these disagree about a stretch it is nobody's: the change between
 * them was not seen.
 */
#include "analysis/ownership.h"

#include "base/triples.h"

typedef struct segment {
    int64_t from_ns;
    uint32_t owner; ///< threads[] or TM__NONE
    uint32_t stack; ///< where it got it; TM__NONE: unknown
    uint32_t next;  ///< segments[], or in the list of free ones
    uint32_t begun; ///< blocks going on that began in it
    uint8_t provenance;
} segment;

/** An object: its newest segment, and the oldest that is still needed. */
typedef struct lock {
    uint32_t tail; ///< segments[] or TM__NONE
    uint32_t head;
    uint32_t queued; ///< blocks going on
} lock;

typedef struct cursor {
    uint32_t next;    ///< intervals[] of the thread
    uint32_t block;   ///< where the present block began, or TM__NONE
    uint32_t segment; ///< of the object, when it began
} cursor;

/** A thread in the heap, by the start of its next interval. */
typedef struct entry {
    int64_t time_ns;
    uint32_t thread;
} entry;

typedef struct sweep {
    const tm_model *model;
    const tm__scope *scope;
    tm__memory memory;
    tm__share_fn take;
    void *payload;
    lock *locks;
    cursor *cursors;
    entry *heap;
    uint32_t heap_count;
    TM__ARRAY(segment, segments);
    uint32_t free_segment;
    int sites;
    tm__triples last_stacks; ///< (object, thread, 0): stack + 1, with sites
    uint64_t capped;
} sweep;

static int is_block(const tm__interval *it)
{
    return it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
           (it->state == TM_STATE_PARKED && it->object != TM__NONE &&
            it->peer != TM__NONE);
}

/* A wait on the object's monitor, as against a join that was reported as such. */
static int is_wait(const tm__interval *it)
{
    return it->object != TM__NONE &&
           (it->state == TM_STATE_WAITING ||
            (it->state == TM_STATE_JOINING && it->provenance == TM_PROVENANCE_EXACT));
}

/* ---- segments ---- */

static int new_segment(sweep *s, uint32_t *number, segment item)
{
    if (s->free_segment != TM__NONE) {
        *number = s->free_segment;
        s->free_segment = s->segments[*number].next;
    } else {
        if (tm__reserve(&s->memory, &s->segments, &s->segments_capacity,
                        (size_t)s->segments_count + 1, sizeof(item)) < 0)
            return TM_ENOMEM;
        *number = s->segments_count++;
    }
    item.next = TM__NONE;
    item.begun = 0;
    s->segments[*number] = item;
    return TM_OK;
}

/* Free what no block needs any more. */
static void trim(sweep *s, lock *it)
{
    while (it->head != it->tail && s->segments[it->head].begun == 0) {
        uint32_t next = s->segments[it->head].next;

        s->segments[it->head].next = s->free_segment;
        s->free_segment = it->head;
        it->head = next;
    }
}

/* Where a thread was last seen to be let in to an object, or to wait for it. */
static uint32_t last_stack(const sweep *s, uint32_t object, uint32_t thread)
{
    uint32_t *value;

    if (!s->sites || thread == TM__NONE)
        return TM__NONE;
    value = tm__triples_find(&s->last_stacks, object, thread, 0);
    return value ? *value - 1 : TM__NONE;
}

static int note_stack(sweep *s, uint32_t object, uint32_t thread, uint32_t stack)
{
    uint32_t *value;

    if (!s->sites || stack == TM__NONE)
        return TM_OK;
    value = tm__triples_at(&s->last_stacks, &s->memory, object, thread, 0);
    if (!value)
        return TM_ENOMEM;
    *value = stack + 1;
    return TM_OK;
}

/* From now on `owner` has the object; TM__NONE: nobody is known to. */
static int change(sweep *s, uint32_t object, int64_t time_ns, uint32_t owner,
                  int provenance)
{
    lock *it = &s->locks[object];
    segment next = {.from_ns = time_ns,
                    .owner = owner,
                    .stack = last_stack(s, object, owner),
                    .provenance = (uint8_t)provenance};
    segment *tail = it->tail == TM__NONE ? NULL : &s->segments[it->tail];
    uint32_t number;

    if (tail && (it->queued == 0 || tail->from_ns == time_ns || tail->owner == owner)) {
        /* Nobody has looked at it, it took no time, or it only goes on. */
        if (tail->owner == owner) {
            if (it->queued == 0)
                tail->provenance = next.provenance;
            if (next.stack != TM__NONE)
                tail->stack = next.stack;
            return TM_OK;
        }
        next.next = TM__NONE;
        next.begun = tail->begun;
        *tail = next;
        return TM_OK;
    }
    if (new_segment(s, &number, next) < 0)
        return TM_ENOMEM;
    if (it->tail == TM__NONE)
        it->head = number;
    else
        s->segments[it->tail].next = number;
    it->tail = number;
    return TM_OK;
}

/* `owner` had the object until now, so it may have had it since the last change. */
static void had_it(sweep *s, uint32_t object, uint32_t owner)
{
    const lock *it = &s->locks[object];
    segment *tail = it->tail == TM__NONE ? NULL : &s->segments[it->tail];

    if (!tail || tail->owner == owner)
        return;
    if (tail->owner == TM__NONE) {
        tail->owner = owner;
        tail->provenance = TM_PROVENANCE_INFERRED;
        tail->stack = last_stack(s, object, owner);
    } else {
        tail->owner = TM__NONE;
        tail->provenance = TM_PROVENANCE_UNKNOWN;
        tail->stack = TM__NONE;
    }
}

static int let_go(sweep *s, uint32_t object, int64_t time_ns, uint32_t thread)
{
    const lock *it = &s->locks[object];

    if (it->tail == TM__NONE || s->segments[it->tail].owner != thread)
        return TM_OK;
    return change(s, object, time_ns, TM__NONE, TM_PROVENANCE_UNKNOWN);
}

/* ---- shares of a block ---- */

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
static int give(sweep *s, tm__share *share)
{
    tm__share cut = *share;

    if (cut.from_ns < cut.start_ns)
        cut.from_ns = cut.start_ns;
    if (cut.to_ns > cut.end_ns)
        cut.to_ns = cut.end_ns;
    if (cut.from_ns > cut.to_ns ||
        (cut.from_ns == cut.to_ns && cut.start_ns != cut.end_ns))
        return TM_OK;
    /* Of a block without length one share is given, and one that tells most. */
    if (cut.from_ns == cut.to_ns && !share->is_first)
        return TM_OK;
    cut.is_last = cut.to_ns == cut.end_ns;
    share->is_first = 0;
    return s->take(s->payload, &cut);
}

/* The same, split where the owner's life ended; who ended owns nothing. */
static int give_living(sweep *s, tm__share *share)
{
    tm__share rest = *share;
    int64_t end_ns = INT64_MAX;
    int rc;

    if (share->owner == share->thread)
        share->owner = TM__NONE;
    if (share->owner != TM__NONE && s->model->threads[share->owner].end_ns != INT64_MIN)
        end_ns = s->model->threads[share->owner].end_ns;
    if (share->owner == TM__NONE || end_ns <= share->from_ns) {
        share->owner = share->owner_stack = TM__NONE;
        share->provenance = TM_PROVENANCE_UNKNOWN;
        return give(s, share);
    }
    if (end_ns < share->to_ns)
        share->to_ns = end_ns;
    if (s->sites && share->owner_stack == TM__NONE)
        share->owner_stack =
            stack_within(s->model, share->owner, share->from_ns, share->to_ns);
    rc = give(s, share);
    if (rc < 0 || share->to_ns == rest.to_ns)
        return rc;
    rest.is_first = share->is_first;
    rest.from_ns = end_ns;
    rest.owner = rest.owner_stack = TM__NONE;
    rest.provenance = TM_PROVENANCE_UNKNOWN;
    rc = give(s, &rest);
    share->is_first = rest.is_first;
    return rc;
}

/* Whether the scope asks about a block, which is cut to its window. */
static int in_scope(const sweep *s, tm__share *share)
{
    const tm__scope *scope = s->scope;
    uint32_t class_index = share->object == TM__NONE
                               ? TM__NONE
                               : s->model->objects[share->object].class_index;

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

static int give_block(sweep *s, uint32_t thread, const tm__interval *block,
                      uint32_t segment_number, int64_t end_ns)
{
    tm__share share = {.start_ns = block->start_ns,
                       .end_ns = end_ns,
                       .thread = thread,
                       .object = block->object,
                       .stack = block->stack,
                       .state = block->state,
                       .is_first = 1};
    int64_t from_ns = block->start_ns;
    int rc = TM_OK;

    if (!in_scope(s, &share))
        return TM_OK;
    share.queued = block->object == TM__NONE ? 1 : s->locks[block->object].queued;
    for (uint32_t i = segment_number, told = 0; rc == TM_OK; told++) {
        const segment *it = i == TM__NONE ? NULL : &s->segments[i];
        uint32_t next = it && told < TM__OWNERS_OF_A_BLOCK ? it->next : TM__NONE;
        int known = it && told < TM__OWNERS_OF_A_BLOCK;

        share.from_ns = from_ns;
        share.to_ns = next == TM__NONE ? end_ns : s->segments[next].from_ns;
        share.owner = known ? it->owner : TM__NONE;
        share.owner_stack = known ? it->stack : TM__NONE;
        share.provenance = known ? it->provenance : TM_PROVENANCE_UNKNOWN;
        while (known && next != TM__NONE && s->segments[next].owner == it->owner) {
            next = s->segments[next].next;
            share.to_ns = next == TM__NONE ? end_ns : s->segments[next].from_ns;
        }
        /* How sure that was when the block began, its own beginning says. */
        if (i == segment_number && known && it->owner == block->peer)
            share.provenance = block->provenance;
        from_ns = share.to_ns;
        if (it && !known)
            s->capped++;
        rc = give_living(s, &share);
        if (next == TM__NONE)
            break;
        i = next;
    }
    return rc;
}

/* ---- the beginnings and ends of intervals ---- */

static int block_begins(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *it = &s->model->threads[thread].intervals[index];
    cursor *at = &s->cursors[thread];
    lock *object;
    int rc;

    at->block = index;
    at->segment = TM__NONE;
    if (it->object == TM__NONE)
        return TM_OK;
    rc = let_go(s, it->object, it->start_ns, thread);
    /* Of a block the model's word is all that is known, and of nobody as well. */
    if (rc == TM_OK && (it->state != TM_STATE_REENTERING || it->peer != TM__NONE))
        rc = change(s, it->object, it->start_ns, it->peer, it->provenance);
    object = &s->locks[it->object];
    if (rc == TM_OK && object->tail == TM__NONE)
        rc = change(s, it->object, it->start_ns, TM__NONE, TM_PROVENANCE_UNKNOWN);
    if (rc < 0)
        return rc;
    object->queued++;
    at->segment = object->tail;
    s->segments[at->segment].begun++;
    return TM_OK;
}

static int block_ends(sweep *s, uint32_t thread, int64_t end_ns)
{
    cursor *at = &s->cursors[thread];
    const tm__interval *block = &s->model->threads[thread].intervals[at->block];
    int rc = give_block(s, thread, block, at->segment, end_ns);

    at->block = TM__NONE;
    if (at->segment != TM__NONE) {
        lock *object = &s->locks[block->object];

        s->segments[at->segment].begun--;
        object->queued--;
        trim(s, object);
    }
    return rc;
}

/* Who is reported to have handed the monitor to a block that ended by `cause`. */
static uint32_t releaser(const tm_model *model, uint32_t cause)
{
    const tm__interaction *row;

    if (cause == TM__NONE || cause < model->interactions_first)
        return TM__NONE;
    row = tm__row(model, cause);
    if (row->kind != TM_INTERACTION_HANDOFF ||
        row->provenance != TM_PROVENANCE_REPORTED)
        return TM__NONE;
    return row->from_thread;
}

/* How a thread that runs since `now` came to own the object that it was held up
 * for; TM_PROVENANCE_UNKNOWN: it did not. */
static int got_it(const sweep *s, uint32_t thread, const tm__interval *held_up,
                  const tm__interval *now)
{
    int is_virtual = (s->model->threads[thread].flags & TM_THREAD_VIRTUAL) != 0;
    int seen = now->cause != TM__NONE && !is_virtual;
    const lock *object = &s->locks[held_up->object];

    if (now->state != TM_STATE_RUNNING)
        return TM_PROVENANCE_UNKNOWN;
    switch (held_up->state) {
    case TM_STATE_BLOCKED:
        if (now->cause == TM__NONE || held_up->flags & TM__INTERVAL_INTERRUPTED)
            return TM_PROVENANCE_UNKNOWN;
        return TM_PROVENANCE_EXACT;
    case TM_STATE_REENTERING:
        return seen ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
    case TM_STATE_WAITING:
        if (!(held_up->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED)))
            return seen ? TM_PROVENANCE_EXACT : TM_PROVENANCE_INFERRED;
        /* It is back before it has the monitor, and may have to queue. */
        if (object->tail == TM__NONE || s->segments[object->tail].owner == TM__NONE)
            return TM_PROVENANCE_INFERRED;
        return TM_PROVENANCE_UNKNOWN;
    default: return TM_PROVENANCE_UNKNOWN;
    }
}

/* What the thread was held up for until `index` is over. */
static int ends(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *intervals = s->model->threads[thread].intervals;
    const tm__interval *now = &intervals[index];
    uint32_t block = s->cursors[thread].block;
    const tm__interval *held_up = &intervals[block != TM__NONE ? block : index - 1];
    int rc = TM_OK, provenance;

    if (block != TM__NONE) {
        uint32_t from = releaser(s->model, now->cause);

        if (from != TM__NONE && from != thread && held_up->object != TM__NONE)
            had_it(s, held_up->object, from);
        rc = block_ends(s, thread, now->start_ns);
    } else if (held_up->state != TM_STATE_WAITING) {
        return TM_OK;
    }
    if (rc < 0 || held_up->object == TM__NONE)
        return rc;
    provenance = got_it(s, thread, held_up, now);
    if (provenance == TM_PROVENANCE_UNKNOWN)
        return TM_OK;
    rc = note_stack(s, held_up->object, thread, held_up->stack);
    return rc < 0 ? rc : change(s, held_up->object, now->start_ns, thread, provenance);
}

static int begins(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *it = &s->model->threads[thread].intervals[index];

    if (it->flags & TM__INTERVAL_CONTINUES)
        return TM_OK;
    if (is_block(it))
        return block_begins(s, thread, index);
    if (!is_wait(it))
        return TM_OK;
    had_it(s, it->object, thread);
    if (note_stack(s, it->object, thread, it->stack) < 0)
        return TM_ENOMEM;
    return let_go(s, it->object, it->start_ns, thread);
}

static int step(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *it = &s->model->threads[thread].intervals[index];
    uint32_t block = s->cursors[thread].block;
    int rc = TM_OK;

    if (block != TM__NONE && it->flags & TM__INTERVAL_CONTINUES) {
        const tm__interval *began = &s->model->threads[thread].intervals[block];

        if (it->state == TM_STATE_DEADLOCKED && it->peer != TM__NONE &&
            began->object != TM__NONE)
            return change(s, began->object, it->start_ns, it->peer, it->provenance);
        if (it->state == TM_STATE_DEADLOCKED || it->state == began->state)
            return TM_OK;
    }
    if (index > 0)
        rc = ends(s, thread, index);
    return rc < 0 ? rc : begins(s, thread, index);
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

/* Whether anything about ownership changes where an interval begins. */
static int matters(const tm__thread *thread, uint32_t index)
{
    const tm__interval *it = &thread->intervals[index];

    if (is_block(it) || is_wait(it) || it->state == TM_STATE_DEADLOCKED)
        return 1;
    if (index == 0)
        return 0;
    return is_block(&it[-1]) || it[-1].state == TM_STATE_WAITING ||
           it[-1].state == TM_STATE_DEADLOCKED;
}

/* @return 0 when nothing is left of the thread */
static int seek(const sweep *s, uint32_t thread, entry *at)
{
    const tm__thread *it = &s->model->threads[thread];
    cursor *own = &s->cursors[thread];

    while (own->next < it->interval_count && !matters(it, own->next))
        own->next++;
    if (own->next >= it->interval_count)
        return 0;
    *at = (entry){it->intervals[own->next].start_ns, thread};
    return 1;
}

static int walk(sweep *s)
{
    const tm_model *model = s->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->objects_count; i++)
        s->locks[i] = (lock){TM__NONE, TM__NONE, 0};
    for (uint32_t i = 0; i < model->threads_count; i++) {
        s->cursors[i] = (cursor){0, TM__NONE, TM__NONE};
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
    for (uint32_t i = 0; rc == TM_OK && i < model->threads_count; i++) {
        const tm__thread *it = &model->threads[i];

        if (s->cursors[i].block != TM__NONE)
            rc = block_ends(s, i,
                            tm__interval_end_ns(model, it, it->interval_count - 1));
    }
    return rc;
}

int tm__owners_walk(const tm_model *model, const tm__scope *scope, int sites,
                    tm__share_fn take, void *payload, uint64_t *capped)
{
    sweep s = {.model = model,
               .scope = scope,
               .take = take,
               .payload = payload,
               .free_segment = TM__NONE,
               .sites = sites};
    size_t lock_bytes = ((size_t)model->objects_count + 1) * sizeof(*s.locks);
    size_t cursor_bytes = ((size_t)model->threads_count + 1) * sizeof(*s.cursors);
    size_t heap_bytes = ((size_t)model->threads_count + 1) * sizeof(*s.heap);
    int rc = TM_ENOMEM;

    tm__memory_init(&s.memory, &model->memory.hook);
    s.locks = tm__resize(&s.memory, NULL, 0, lock_bytes);
    s.cursors = tm__resize(&s.memory, NULL, 0, cursor_bytes);
    s.heap = tm__resize(&s.memory, NULL, 0, heap_bytes);
    if (s.locks && s.cursors && s.heap)
        rc = walk(&s);
    if (capped)
        *capped = s.capped;
    tm__free(&s.memory, s.locks, lock_bytes);
    tm__free(&s.memory, s.cursors, cursor_bytes);
    tm__free(&s.memory, s.heap, heap_bytes);
    tm__free(&s.memory, s.segments, s.segments_capacity * sizeof(*s.segments));
    tm__triples_free(&s.last_stacks, &s.memory);
    return rc;
}
