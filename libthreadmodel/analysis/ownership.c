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
 *   - what was said of an owner meanwhile: it had the lock before, too;
 *   - the notifier of a waiter that begins to re-enter;
 *   - a thread that waits, or blocks, has let go by then;
 *   - who is reported to have handed the monitor over had it until then.
 * Where two of these disagree about a stretch it is nobody's: the change between
 * them was not seen.
 */
#include "analysis/ownership.h"

#include "analysis/holders.h"
#include "base/prefetch.h"

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
    tm__holders holders;
    cursor *cursors;
    entry *heap;
    uint32_t heap_count;
    uint32_t statement; ///< statements[]: the next
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

/* ---- the beginnings and ends of intervals ---- */

static int block_begins(sweep *s, uint32_t thread, uint32_t index)
{
    const tm__interval *it = &s->model->threads[thread].intervals[index];
    cursor *at = &s->cursors[thread];
    int rc;

    at->block = index;
    at->segment = TM__NONE;
    if (it->object == TM__NONE)
        return TM_OK;
    rc = tm__holder_let_go(&s->holders, it->object, it->start_ns, thread);
    /* Of a block the model's word is all that is known, and of nobody as well. */
    if (rc == TM_OK && (it->state != TM_STATE_REENTERING || it->peer != TM__NONE))
        rc = tm__holder_change(&s->holders, it->object, it->start_ns, it->peer,
                               it->provenance);
    return rc < 0 ? rc
                  : tm__holder_block_begins(&s->holders, it->object, it->start_ns,
                                            &at->segment);
}

static int block_ends(sweep *s, uint32_t thread, int64_t end_ns)
{
    cursor *at = &s->cursors[thread];
    const tm__interval *block = &s->model->threads[thread].intervals[at->block];
    int rc = tm__shares_give(&s->holders, s->scope, thread, block, at->segment, end_ns,
                             s->take, s->payload, &s->capped);

    at->block = TM__NONE;
    if (at->segment != TM__NONE)
        tm__holder_block_ends(&s->holders, block->object, at->segment);
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

/* Whether a monitor was entered, and not only a wait over: that is told before the
 * thread has the monitor back, which another may have taken first. */
static int is_entered(const tm_model *model, uint32_t cause)
{
    return cause != TM__NONE && cause >= model->interactions_first &&
           tm__row(model, cause)->kind == TM_INTERACTION_HANDOFF;
}

/* How a thread that runs since `now` came to own the object that it was held up
 * for; TM_PROVENANCE_UNKNOWN: it did not. */
static int got_it(const sweep *s, const tm__interval *held_up, const tm__interval *now)
{
    const tm__lock *object = &s->holders.locks[held_up->object];

    if (now->state != TM_STATE_RUNNING)
        return TM_PROVENANCE_UNKNOWN;
    switch (held_up->state) {
    case TM_STATE_BLOCKED:
        if (now->cause == TM__NONE || held_up->flags & TM__INTERVAL_INTERRUPTED)
            return TM_PROVENANCE_UNKNOWN;
        return TM_PROVENANCE_EXACT;
    case TM_STATE_REENTERING:
        return is_entered(s->model, now->cause) ? TM_PROVENANCE_EXACT
                                                : TM_PROVENANCE_INFERRED;
    case TM_STATE_WAITING:
        if (!(held_up->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED)))
            return TM_PROVENANCE_INFERRED;
        /* It is back before it has the monitor, and may have to queue. */
        if (object->tail == TM__NONE ||
            s->holders.segments[object->tail].owner == TM__NONE)
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
            tm__holder_had_it(&s->holders, held_up->object, from);
        rc = block_ends(s, thread, now->start_ns);
    } else if (held_up->state != TM_STATE_WAITING) {
        return TM_OK;
    }
    if (rc < 0 || held_up->object == TM__NONE)
        return rc;
    provenance = got_it(s, held_up, now);
    if (provenance == TM_PROVENANCE_UNKNOWN)
        return TM_OK;
    rc = tm__holder_note_stack(&s->holders, held_up->object, thread, held_up->stack);
    return rc < 0 ? rc
                  : tm__holder_change(&s->holders, held_up->object, now->start_ns,
                                      thread, provenance);
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
    tm__holder_had_it(&s->holders, it->object, thread);
    if (tm__holder_note_stack(&s->holders, it->object, thread, it->stack) < 0)
        return TM_ENOMEM;
    return tm__holder_let_go(&s->holders, it->object, it->start_ns, thread);
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
            return tm__holder_change(&s->holders, began->object, it->start_ns, it->peer,
                                     it->provenance);
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

/* Intervals that are asked for ahead: by themselves the caches follow some ten
 * timelines, and the heap goes from one to another. */
enum { AHEAD = 8 };

/* @return 0 when nothing is left of the thread */
static int seek(const sweep *s, uint32_t thread, entry *at)
{
    const tm__thread *it = &s->model->threads[thread];
    cursor *own = &s->cursors[thread];

    while (own->next < it->interval_count && !matters(it, own->next))
        own->next++;
    if (own->next >= it->interval_count)
        return 0;
    if (it->interval_count - own->next > AHEAD)
        tm__ask_for(&it->intervals[own->next + AHEAD]);
    *at = (entry){it->intervals[own->next].start_ns, thread};
    return 1;
}

/* Of one instant they come first: what began in it was told who the owner is. */
static int take_statements(sweep *s, int64_t until_ns)
{
    const tm_model *model = s->model;
    int rc = TM_OK;

    while (rc == TM_OK && s->statement < model->statements_count &&
           model->statements[s->statement].time_ns <= until_ns)
        rc = tm__holder_stated(&s->holders, &model->statements[s->statement++]);
    return rc;
}

static int walk(sweep *s)
{
    const tm_model *model = s->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->threads_count; i++) {
        s->cursors[i] = (cursor){0, TM__NONE, TM__NONE};
        s->heap_count += (uint32_t)seek(s, i, &s->heap[s->heap_count]);
    }
    for (uint32_t i = s->heap_count / 4 + 1; i-- > 0;)
        if (i < s->heap_count)
            sift_down(s->heap, s->heap_count, i);
    while (rc == TM_OK && s->heap_count) {
        uint32_t thread = s->heap[0].thread;

        rc = take_statements(s, s->heap[0].time_ns);
        if (rc == TM_OK)
            rc = step(s, thread, s->cursors[thread].next++);
        if (!seek(s, thread, &s->heap[0]))
            s->heap[0] = s->heap[--s->heap_count];
        if (s->heap_count)
            sift_down(s->heap, s->heap_count, 0);
    }
    if (rc == TM_OK)
        rc = take_statements(s, INT64_MAX);
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
    sweep s = {.model = model, .scope = scope, .take = take, .payload = payload};
    size_t cursor_bytes = ((size_t)model->threads_count + 1) * sizeof(*s.cursors);
    size_t heap_bytes = ((size_t)model->threads_count + 1) * sizeof(*s.heap);
    int rc;

    tm__memory_init(&s.memory, &model->memory.hook);
    rc = tm__holders_open(&s.holders, model, &s.memory, sites);
    s.cursors = tm__resize(&s.memory, NULL, 0, cursor_bytes);
    s.heap = tm__resize(&s.memory, NULL, 0, heap_bytes);
    if (rc == TM_OK)
        rc = s.cursors && s.heap ? walk(&s) : TM_ENOMEM;
    if (capped)
        *capped = s.capped;
    tm__free(&s.memory, s.cursors, cursor_bytes);
    tm__free(&s.memory, s.heap, heap_bytes);
    tm__holders_close(&s.holders);
    return rc;
}
