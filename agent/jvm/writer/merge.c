/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of the writer: all buffers merged by time and emitted into the trace, with
 * what the VM answered meanwhile in between.
 */
#include "writer/merge.h"

#include <stdatomic.h>

#include <threadmodel/error.h>

#include "blocked/catch_up.h"
#include "blocked/long_blocked.h"
#include "blocked/long_blocked_answers.h"
#include "blocked/owner_poll.h"
#include "ident/object_cache.h"
#include "ring/buffer.h"
#include "ring/recording_state.h"
#include "rings/round.h"
#include "ring/watchdog.h"
#include "writer/definition_emit.h"
#include "writer/kernel_waits.h"
#include "writer/missed_notifies.h"
#include "writer/sampled_stacks.h"
#include "writer/stack_table.h"
#include "writer/switches.h"

enum { BATCH = 256 };

static tm__round the_round;
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

/* Where a thread got what it holds: its depth counts in the stack of the enter or wait
 * that came just before. A park's stack begins elsewhere, and is not asked. */
static int add_place(tm__buffer *buffer, tm_event *event)
{
    int is_place =
        event->kind == TM_EVENT_CONTENDED_ENTER || event->kind == TM_EVENT_WAIT;

    if (event->kind != TM_EVENT_HELD) {
        buffer->place_thread = is_place ? event->thread : 0;
        buffer->place_stack = is_place ? event->stack : 0;
    } else if (event->object && !event->stack &&
               event->thread == buffer->place_thread) {
        return tm__stack_table_outer(&event->stack, buffer->place_stack, event->value);
    }
    return TM_OK;
}

/* Emit the switches that the kernel recorded before a time. */
static int emit_switches(int64_t until_ns)
{
    int rc = TM_OK;

    while (rc >= 0 && tm__switches_next(&batch[batch_count], until_ns))
        if (++batch_count == BATCH)
            rc = emit_batch();
    return rc;
}

/* Waits in the kernel that go on, and began before a time. */
static int emit_waits(int64_t until_ns)
{
    tm__buffer *buffer;
    int rc = TM_OK;

    while (rc >= 0 && (buffer = tm__kernel_waits_next(&batch[batch_count], until_ns))) {
        int64_t time_ns = batch[batch_count].time_ns;
        tm_event event = batch[batch_count];

        rc = emit_holders(time_ns);
        if (rc >= 0)
            rc = emit_switches(time_ns);
        batch[batch_count] = event;
        tm__switches_follow(buffer, &event);
        tm__sampled_stacks_follow(&batch[batch_count], event.thread != buffer->thread);
        if (rc >= 0 && ++batch_count == BATCH)
            rc = emit_batch();
    }
    return rc;
}

static int emit_but_answers(int64_t until_ns)
{
    int rc = emit_waits(until_ns);

    if (rc >= 0)
        rc = emit_holders(until_ns);
    return rc < 0 ? rc : emit_switches(until_ns);
}

/* Facts of before a time that come from others than the threads themselves. */
static int emit_others(int64_t until_ns)
{
    int64_t answer_ns;
    int rc = TM_OK;

    while (rc >= 0 && (answer_ns = tm__long_blocked_pending_ns()) < until_ns) {
        rc = emit_but_answers(answer_ns);
        if (rc >= 0)
            rc = emit_batch();
        if (rc >= 0)
            rc = tm__long_blocked_emit_before(answer_ns + 1);
    }
    return rc < 0 ? rc : emit_but_answers(until_ns);
}

static int emit(JNIEnv *jni, tm__buffer *buffer, const tm__record *record)
{
    int rc = emit_others(record->event.fact.time_ns);
    tm_event *event = &batch[batch_count];
    jweak weak = tm__record_weak(&record->event);

    *event = record->event.fact;
    if (rc >= 0)
        rc = tm__catch_up_follow(jni, event, &weak, record->event.frame_count > 0);
    if (rc == TM__CATCH_UP_DROP && weak)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    if (rc != TM_OK)
        return rc < 0 ? rc : TM_OK;
    tm__missed_notifies_follow(event);
    tm__switches_follow(buffer, event);
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
    if (event->kind == TM_EVENT_HELD)
        tm__long_blocked_note_held(event);
    rc = tm__stack_table_stack(&event->stack, (const jvmtiFrameInfo *)(record + 1),
                               record->event.frame_count, record->event.stack_flags);
    if (rc == TM_OK)
        rc = add_place(buffer, event);
    if (rc < 0)
        return rc;
    /* At what depth a monitor was locked is for these two alone. */
    if (event->kind == TM_EVENT_HELD)
        event->value = 0;
    tm__sampled_stacks_follow(event, event->thread != buffer->thread);
    return ++batch_count == BATCH ? emit_batch() : TM_OK;
}

static int merge(JNIEnv *jni)
{
    tm__thread_ring *ring;
    tm__record *record;
    int rc = TM_OK;

    while (rc >= 0 && (record = tm__round_next(&the_round, &ring)))
        rc = emit(jni, tm__buffer_of(ring), record);
    if (rc >= 0)
        rc = emit_others(the_round.horizon_ns);
    return rc < 0 ? rc : emit_batch();
}

/* Say what a thread lost and never had room to say itself. */
int tm__merge_loss(JNIEnv *jni, tm__buffer *b, int64_t time_ns)
{
    const tm_sink *sink = tm__the_recording.sink;
    tm_event event = tm__buffer_extract_loss(b, time_ns);

    if (event.value <= 0)
        return TM_OK;
    tm__missed_notifies_follow(&event);
    tm__long_blocked_forget_all(jni);
    return sink->events(sink->payload, &event, 1);
}

/* An orphan that is empty may go to a thread to come. */
static int recycle(JNIEnv *jni, tm__buffer *first, int64_t horizon)
{
    int rc = TM_OK;

    for (tm__buffer *b = first; b && rc >= 0; b = tm__buffer_next(b)) {
        if (!atomic_load(&b->listed) ||
            !atomic_load_explicit(&b->orphan, memory_order_acquire) ||
            b->ring.taken != atomic_load(&b->ring.page->head) ||
            b->ring.scanned != b->ring.taken)
            continue;
        rc = tm__merge_loss(jni, b, horizon - 1);
        tm__long_blocked_forget(jni, b->thread);
        if (b->thread_weak)
            (*jni)->DeleteWeakGlobalRef(jni, b->thread_weak);
        tm__object_cache_clear(b, jni);
        tm__buffer_recycle(b);
    }
    return rc;
}

int tm__merge_round(JNIEnv *jni, int final)
{
    tm__thread_ring *rings;
    tm__buffer *first;
    int64_t horizon_ns;
    int rc = TM_OK;

    tm__round_begin(&the_round);
    first = tm__buffer_first();
    rings = (tm__thread_ring *)first;
    the_round.most_ns = tm__kernel_waits_claim(first, the_round.now_ns,
                                               the_round.last_horizon_ns, final);
    if (tm__round_limit(&the_round, rings, final) != 0)
        return TM_OK; /* there may be memory in the next round */
    horizon_ns = the_round.horizon_ns;
    tm__rings_begin_round(&tm__the_rings, horizon_ns);
    /* After all limits were read: what events up to them name is defined. */
    for (tm__buffer *b = first; b && rc >= 0; b = tm__buffer_next(b))
        rc = tm__definitions_emit(b);
    tm__round_load(&the_round, rings);
    tm__switches_begin_round();
    if (rc >= 0)
        rc = merge(jni);
    if (rc >= 0)
        rc = tm__catch_up_emit(jni, horizon_ns);
    if (rc >= 0)
        rc = tm__long_blocked_emit(jni, horizon_ns);
    return rc >= 0 ? recycle(jni, first, horizon_ns) : rc;
}

void tm__merge_close(void)
{
    tm__round_free(&the_round);
    tm__kernel_waits_close();
    batch_count = 0;
}
