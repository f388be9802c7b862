/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that is blocked without a stack, since it was not among those that were
 * walked, is asked for it when that has lasted: the stack is the same as at its
 * beginning. The writer thread reads the notes of the blocked one.
 */
#include "capture/missing_stacks.h"

#include <stdatomic.h>

#include <threadmodel/model.h>

#include "capture/event_in_work.h"
#include "capture/stack_walk.h"
#include "ident/method_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "vm/options.h"

enum { VIRTUALS = 4096 };

/* When virtual threads were blocked without a stack: they change their carriers, so
 * that no buffer is theirs. Where two share a place, the older is forgotten. */
static struct {
    _Atomic uint64_t thread;
    _Atomic int64_t since_ns;
} bare_virtuals[VIRTUALS];

void tm__missing_stack_begin(const tm__event_report *r, const tm_event *event,
                             int64_t since_ns)
{
    if (r->is_virtual) {
        size_t i = r->thread % VIRTUALS;

        atomic_store_explicit(&bare_virtuals[i].since_ns, since_ns,
                              memory_order_relaxed);
        atomic_store_explicit(&bare_virtuals[i].thread, r->thread,
                              memory_order_release);
    } else {
        tm__stacks *it = &r->buffer->stacks;

        atomic_store_explicit(&it->bare_object, event->object, memory_order_relaxed);
        atomic_store_explicit(&it->bare_kind, event->kind, memory_order_relaxed);
        atomic_store_explicit(&it->bare_since_ns, since_ns, memory_order_release);
    }
}

int64_t tm__missing_stack_end(const tm__event_report *r)
{
    int64_t since_ns;

    if (r->is_virtual) {
        size_t i = r->thread % VIRTUALS;

        if (atomic_load_explicit(&bare_virtuals[i].thread, memory_order_acquire) !=
            r->thread)
            return 0;
        return atomic_exchange_explicit(&bare_virtuals[i].since_ns, 0,
                                        memory_order_relaxed);
    }
    since_ns =
        atomic_load_explicit(&r->buffer->stacks.bare_since_ns, memory_order_relaxed);
    if (since_ns)
        atomic_store_explicit(&r->buffer->stacks.bare_since_ns, 0,
                              memory_order_release);
    return since_ns;
}

static int state_of(uint16_t kind)
{
    switch (kind) {
    case TM_EVENT_CONTENDED_ENTER: return TM_STATE_BLOCKED;
    case TM_EVENT_WAIT: return TM_STATE_WAITING;
    case TM_EVENT_PARK: return TM_STATE_PARKED;
    case TM_EVENT_AWAIT: return TM_STATE_IO;
    default: return TM_STATE_SLEEPING;
    }
}

/* A thread whose blocking interval has no stack. */
typedef struct bare {
    tm__buffer *buffer; ///< NULL: it is a virtual one
    uint64_t thread;
    uint64_t object;
    int64_t since_ns;
    uint16_t kind;
} bare;

static int64_t bare_virtual_since(uint64_t thread)
{
    size_t i = thread % VIRTUALS;

    return atomic_load(&bare_virtuals[i].thread) == thread
               ? atomic_load(&bare_virtuals[i].since_ns)
               : 0;
}

/* Whether an event of a virtual thread is in work that may have begun by then. */
static int is_carrier_in_work(int64_t then_ns)
{
    for (const tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
        int64_t since_ns = atomic_load(&b->ring.since);

        if (b->is_shared && since_ns != TM__IDLE && since_ns <= then_ns)
            return 1;
    }
    return 0;
}

/* Whether a thread has still not begun to report the end of its blocking interval. The
 * walk of its stack met it in between, so that what it reports from there on is later.
 */
static int is_still_in(const bare *asked, int64_t walked_ns)
{
    if (asked->buffer)
        return atomic_load(&asked->buffer->stacks.bare_since_ns) == asked->since_ns &&
               atomic_load(&asked->buffer->ring.since) == TM__IDLE;
    return bare_virtual_since(asked->thread) == asked->since_ns &&
           !is_carrier_in_work(walked_ns);
}

/* Report that a thread is in the state that is known, at the stack that is not. The
 * facts read of its blocking interval are right if that still goes on afterwards. */
static void ask(JNIEnv *jni, tm__buffer *own, const bare *asked, jweak weak)
{
    uint32_t depth = (uint32_t)tm__the_options.depth;
    tm_event event = {
        .time_ns = tm__now_ns(),
        .thread = asked->thread,
        .object = asked->object,
        .value = state_of(asked->kind),
        .kind = TM_EVENT_SNAPSHOT,
    };
    jthread thread = (*jni)->NewLocalRef(jni, weak);
    tm__record *record =
        thread
            ? tm__thread_ring_reserve(&own->ring, (depth + 1) * sizeof(jvmtiFrameInfo))
            : NULL;
    size_t bytes;

    if (record) {
        record->kind = event.kind;
        record->event.fact = event;
        bytes = tm__stack_walk_of(record, thread, 0, depth);
        if (bytes && is_still_in(asked, event.time_ns))
            tm__methods_commit(own, record, bytes);
    }
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
}

void tm__missing_stacks_ask_virtual(JNIEnv *jni, tm__buffer *own, uint64_t thread,
                                    uint64_t object, uint16_t kind, int64_t since_ns,
                                    jweak weak)
{
    bare asked = {
        .thread = thread, .object = object, .since_ns = since_ns, .kind = kind};

    /* By now it may be in another interval, which is of another kind and object. */
    if (bare_virtual_since(thread) == since_ns)
        ask(jni, own, &asked, weak);
}

void tm__missing_stacks_ask(JNIEnv *jni, tm__buffer *own, int64_t before_ns,
                            size_t limit)
{
    for (tm__buffer *b = tm__buffer_first(); b && limit > 0; b = tm__buffer_next(b)) {
        int64_t since_ns =
            atomic_load_explicit(&b->stacks.bare_since_ns, memory_order_acquire);

        if (since_ns == 0 || since_ns > before_ns || since_ns == b->asked_ns ||
            !b->thread_weak || !atomic_load(&b->listed))
            continue;
        b->asked_ns = since_ns;
        ask(jni, own,
            &(bare){.buffer = b,
                    .thread = b->thread,
                    .object = atomic_load(&b->stacks.bare_object),
                    .since_ns = since_ns,
                    .kind = atomic_load(&b->stacks.bare_kind)},
            b->thread_weak);
        limit--;
    }
}
