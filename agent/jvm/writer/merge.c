/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of the writer: all buffers merged by time and emitted into the trace.
 *
 * The trace is to be sorted by time, so a round ends at a horizon before which
 * every event has been committed: no thread has an earlier one in work. What lies
 * beyond stays in its buffer until the next round, so that what is held back
 * takes no memory of its own.
 *
 *      A  ──e1────e4──────e6───▶          a thread says when the event that it has
 *      B  ────e2─────[e5 in work]         in work began; the horizon is the earliest
 *      C  ───────e3────────e7──▶          of these, here that of e5
 */
#include "writer/merge.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <threadmodel/error.h>

#include "blocked/catch_up.h"
#include "blocked/long_blocked.h"
#include "blocked/owner_poll.h"
#include "ident/object_cache.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/membarrier.h"
#include "ring/recording_state.h"
#include "ring/ring_file.h"
#include "ring/watchdog.h"
#include "writer/definition_emit.h"
#include "writer/missed_notifies.h"
#include "writer/sampled_stacks.h"
#include "writer/stack_table.h"

enum { BATCH = 256 };

/* A thread that a debugger stopped in a callback must not hold up all others. */
static const int64_t STUCK_NS = INT64_C(2000000000);

typedef struct cursor {
    tm__buffer *buffer;
    uint64_t at;
    tm__record *record; ///< at `at`, and an event
} cursor;

static cursor *heap; /* the earliest first */
static size_t heap_count, heap_capacity;
static int64_t last_horizon = TM__BEGINS;
static tm_event batch[BATCH];
static size_t batch_count;

static int emit_batch(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    size_t count = batch_count;

    batch_count = 0;
    tm__watchdog_came();
    return count ? sink->events(sink->payload, batch, count) : TM_OK;
}

/* Events that begin or end a blocking interval, or that may stand for one that does. */
static const uint64_t FOLLOWED =
    TM__KIND(CONTENDED_ENTER) | TM__KIND(CONTENDED_ENTERED) | TM__KIND(WAIT) |
    TM__KIND(WAITED) | TM__KIND(PARK) | TM__KIND(UNPARKED) | TM__KIND(THREAD_END) |
    TM__KIND(LOST) | TM__KIND(SNAPSHOT) | TM__KIND(JOIN) | TM__KIND(JOINED);

/* Answers of the VM that are of before a time. */
static int emit_holders(int64_t until_ns)
{
    int rc = TM_OK;

    while (rc >= 0 && tm__owner_poll_next(&batch[batch_count], until_ns))
        if (++batch_count == BATCH)
            rc = emit_batch();
    return rc;
}

/* Where a thread got what it holds: its enter told its stack just before. */
static int add_place(tm__buffer *buffer, tm_event *event)
{
    if (event->kind == TM_EVENT_CONTENDED_ENTER) {
        buffer->enter_thread = event->thread;
        buffer->enter_stack = event->stack;
    } else if (event->kind == TM_EVENT_HELD && event->object && !event->stack &&
               event->thread == buffer->enter_thread) {
        return tm__stack_table_outer(&event->stack, buffer->enter_stack, event->value);
    }
    return TM_OK;
}

static int emit(JNIEnv *jni, tm__buffer *buffer, const tm__record *record)
{
    int rc = emit_holders(record->event.fact.time_ns);
    tm_event *event = &batch[batch_count];
    jweak weak = tm__record_weak(&record->event);

    *event = record->event.fact;
    if (rc >= 0)
        rc = tm__catch_up_follow(jni, event, &weak);
    if (rc == TM__CATCH_UP_DROP && weak)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    if (rc != TM_OK)
        return rc < 0 ? rc : TM_OK;
    tm__missed_notifies_follow(event);
    event->stack = 0;
    if (FOLLOWED >> event->kind & 1) {
        tm__owner_poll_follow(event);
        tm__long_blocked_follow(
            jni, event, event->thread == buffer->thread ? buffer->thread_weak : weak,
            weak != NULL);
        /* Whom a wait is to outlive is for that alone: a trace has it by the object. */
        if (event->kind == TM_EVENT_WAIT)
            event->peer = 0;
    } else if (weak) {
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    }
    rc = tm__stack_table_stack(&event->stack, (const jvmtiFrameInfo *)(record + 1),
                               record->event.frame_count, record->event.is_truncated);
    if (rc == TM_OK)
        rc = add_place(buffer, event);
    if (rc < 0)
        return rc;
    tm__sampled_stacks_follow(event, event->thread != buffer->thread);
    return ++batch_count == BATCH ? emit_batch() : TM_OK;
}

/* Move a cursor to the next event. @return 0: there is none in this round */
static int advance(cursor *c)
{
    while ((c->record = tm__buffer_at(c->buffer, &c->at, c->buffer->limit))) {
        if (tm__record_is_event(c->record))
            return 1;
        c->at += c->record->bytes;
    }
    return 0;
}

static void sift_down(size_t i)
{
    cursor moved = heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap_count)
            break;
        if (child + 1 < heap_count && heap[child + 1].record->event.fact.time_ns <
                                          heap[child].record->event.fact.time_ns)
            child++;
        if (moved.record->event.fact.time_ns <= heap[child].record->event.fact.time_ns)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static int reserve_heap(tm__buffer *first)
{
    size_t count = 0;
    cursor *grown;

    for (tm__buffer *b = first; b; b = b->next)
        count++;
    if (count <= heap_capacity)
        return 0;
    grown = realloc(heap, 2 * count * sizeof(*heap));
    if (!grown)
        return -1;
    heap = grown;
    heap_capacity = 2 * count;
    return 0;
}

/* Set every buffer's limit. What was begun before `seen` is seen.
 * @return the time before which all is committed */
static int64_t find_horizon(tm__buffer *first, int64_t now, int64_t seen, int final)
{
    int64_t horizon = final ? now : seen;

    for (tm__buffer *b = first; b; b = b->next) {
        int64_t since = atomic_load_explicit(&b->since, memory_order_acquire);

        /* One that is about to read the clock reads a later time than that at
         * which it was last seen idle; a new one, than the last round's. */
        if (since == TM__IDLE)
            b->idle_ns = seen;
        else if (since == TM__BEGINS)
            since = b->idle_ns ? b->idle_ns : last_horizon;
        if (!final && since != TM__IDLE && since < horizon && now - since < STUCK_NS)
            horizon = since;
        b->limit = atomic_load_explicit(&b->ring->head, memory_order_acquire);
    }
    last_horizon = horizon;
    return horizon;
}

static int merge(JNIEnv *jni, int64_t horizon)
{
    int rc = TM_OK;

    for (size_t i = heap_count; i-- > 0;)
        sift_down(i);
    while (rc >= 0 && heap_count > 0 && heap[0].record->event.fact.time_ns < horizon) {
        cursor *c = &heap[0];

        rc = emit(jni, c->buffer, c->record);
        c->at += c->record->bytes;
        if (!advance(c)) {
            tm__buffer_advance(c->buffer, c->at);
            *c = heap[--heap_count];
        }
        if (heap_count > 1)
            sift_down(0);
    }
    /* What is beyond the horizon waits in its buffer. */
    for (size_t i = 0; i < heap_count; i++)
        tm__buffer_advance(heap[i].buffer, heap[i].at);
    heap_count = 0;
    if (rc >= 0)
        rc = emit_holders(horizon);
    return rc < 0 ? rc : emit_batch();
}

/* Say what a thread lost and never had room to say itself. */
int tm__merge_loss(tm__buffer *b, int64_t time_ns)
{
    const tm_sink *sink = tm__the_recording.sink;
    tm_event event = {
        .time_ns = time_ns,
        .thread = b->is_shared ? 0 : b->thread,
        .object = (uint64_t)atomic_load(&b->ring->lost_first_ns),
        .value = (int64_t)atomic_load(&b->ring->lost.value),
        .kind = TM_EVENT_LOST,
    };

    tm__buffer_forget_loss(b);
    return event.value > 0 ? sink->events(sink->payload, &event, 1) : TM_OK;
}

/* An orphan that is empty may go to a thread to come. */
static int recycle(JNIEnv *jni, tm__buffer *first, int64_t horizon)
{
    int rc = TM_OK;

    for (tm__buffer *b = first; b && rc >= 0; b = b->next) {
        if (!atomic_load(&b->listed) ||
            !atomic_load_explicit(&b->orphan, memory_order_acquire) ||
            b->taken != atomic_load(&b->ring->head) || b->scanned != b->taken)
            continue;
        rc = tm__merge_loss(b, horizon - 1);
        if (b->thread_weak)
            (*jni)->DeleteWeakGlobalRef(jni, b->thread_weak);
        tm__object_cache_clear(b, jni);
        tm__buffer_recycle(b);
    }
    return rc;
}

int tm__merge_round(JNIEnv *jni, int final)
{
    int64_t now = tm__now_ns();
    int64_t seen = now - tm__membarrier();
    tm__buffer *first;
    int64_t horizon;
    int rc = TM_OK;

    /* A buffer that is not in the list yet has only events after `now`. */
    first = tm__buffer_first();
    if (reserve_heap(first) != 0)
        return TM_OK; /* there may be memory in the next round */
    horizon = find_horizon(first, now, seen, final);
    tm__rings_begin_round(horizon);
    /* After all limits were read: what events up to them name is defined. */
    for (tm__buffer *b = first; b && rc >= 0; b = b->next) {
        cursor c = {.buffer = b, .at = b->taken};

        rc = tm__definitions_emit(b);
        if (advance(&c))
            heap[heap_count++] = c;
        else
            tm__buffer_advance(b, c.at);
    }
    if (rc >= 0)
        rc = merge(jni, horizon);
    heap_count = 0;
    if (rc >= 0)
        rc = tm__catch_up_emit(jni, horizon);
    if (rc >= 0)
        rc = tm__long_blocked_emit(jni, horizon);
    return rc >= 0 ? recycle(jni, first, horizon) : rc;
}

void tm__merge_close(void)
{
    free(heap);
    heap = NULL;
    heap_capacity = 0;
    batch_count = 0;
}
