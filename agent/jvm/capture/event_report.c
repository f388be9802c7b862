/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of every event. It runs on the program's threads, on some of them with
 * a lock in hand: nothing is allocated, no lock is taken and no line that another
 * thread writes is written, but for what happens once a thread or an object. Most
 * of its cost is the walk of the stack, 0.1 us a frame.
 */
#include "capture/event_report.h"

#include <stdatomic.h>
#include <time.h>

#include "capture/stack_policy.h"
#include "capture/stack_walk.h"
#include "capture/wait_for.h"
#include "ident/method_identity.h"
#include "ident/thread_id.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "ring/watchdog.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

static int is_recording(void)
{
    return atomic_load_explicit(&tm__the_recording.is_on, memory_order_relaxed);
}

static uint64_t walks_of(const tm__event_report *report)
{
    return atomic_load_explicit(&report->buffer->stacks.walks_ns, memory_order_relaxed);
}

/* One in so many is measured, in time on the processor: one that had to wait for that
 * would count for all the others as well. To ask for that takes as long as an event. */
static void measure_next(tm__event_report *report)
{
    int64_t asked_ns;

    report->began_ns = 0;
    if (++report->buffer->begun % TM__MEASURED != 0)
        return;
    asked_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);
    report->began_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);
    report->began_ns += report->began_ns - asked_ns;
    report->walks_ns = walks_of(report);
}

/* Walks are measured each by itself. */
static void measure(const tm__event_report *report)
{
    int64_t ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID) - report->began_ns -
                 (int64_t)(walks_of(report) - report->walks_ns);

    if (ns > 0)
        tm__counter_add(&report->buffer->costs.measured_ns, (uint64_t)ns);
}

/* Begin an event, unless recording was switched off while the ring announced it. The
 * code after this may use the VM's tool interface. */
static int begin(tm__event_report *report)
{
    report->weak = NULL;
    report->skipped_frames = 0;
    report->wakes_writer = 0;
    report->time_ns = tm__thread_ring_begin(&report->buffer->ring, tm__now_ns);
    measure_next(report);
    tm__watchdog_look(report->time_ns);
    if (is_recording())
        return 1;
    tm__thread_ring_end(&report->buffer->ring);
    return 0;
}

static void report_loss(tm__event_report *report)
{
    if (atomic_load_explicit(&report->buffer->ring.page->lost.value,
                             memory_order_relaxed))
        tm__buffer_report_loss(report->buffer, report->time_ns);
}

/* The first event of a thread: it has no buffer by which to tell that it is here. */
static tm__buffer *enter(JNIEnv *jni, jthread thread)
{
    tm__buffer *buffer = NULL;

    atomic_fetch_add(&tm__the_recording.entering, 1);
    if (is_recording())
        buffer = tm__thread_buffer(jni, thread);
    atomic_fetch_sub(&tm__the_recording.entering, 1);
    return buffer;
}

/* Where a Java thread ended in another recording, the OS thread may be another one. */
static tm__buffer *own_buffer(void)
{
    tm__buffer *buffer = tm__buffer_mine;

    if (buffer == &tm__buffer_none && tm__buffer_left_in() != tm__session())
        tm__buffer_mine = buffer = NULL;
    return buffer;
}

/* So it may be where that has detached while nothing was recorded, which nobody
 * reports: looked at once a session. */
static tm__buffer *verified(tm__buffer *buffer, JNIEnv *jni, jthread thread)
{
    int is_virtual = tm__the_java.virtual_class &&
                     (*jni)->IsInstanceOf(jni, thread, tm__the_java.virtual_class);

    if (buffer->thread && !is_virtual && tm__thread_id(jni, thread) != buffer->thread) {
        tm__buffer_leave();
        tm__buffer_mine = NULL;
        buffer = enter(jni, thread);
    }
    if (buffer)
        buffer->session = tm__session();
    return buffer;
}

/* No count takes longer, if it is not interrupted. */
enum { COUNT_NS = 10000 };

static uint64_t lost_of(const tm__buffer *buffer)
{
    return atomic_load_explicit(&buffer->ring.page->lost.value, memory_order_relaxed);
}

/* A storm comes through here: the clock is read for the first loss alone, and to
 * measure one in so many, where it would count for more than what it measures. */
static void leave_out(tm__buffer *buffer)
{
    tm__costs *it = &buffer->costs;
    uint64_t count = atomic_load_explicit(&it->left_out, memory_order_relaxed);
    int is_measured = count % TM__MEASURED == 0;
    int64_t time_ns = is_measured || !lost_of(buffer) ? tm__now_ns() : 0;

    tm__buffer_lose(buffer, time_ns);
    tm__counter_add(&it->left_out, 1);
    if (is_measured) {
        int64_t counted_ns = tm__now_ns();
        int64_t ns = 2 * counted_ns - time_ns - tm__now_ns();

        tm__counter_add(&it->measured_ns, ns > 0 && ns < COUNT_NS ? (uint64_t)ns : 0);
    }
}

int tm__event_report_is_left_out(void)
{
    tm__buffer *buffer = tm__buffer_mine;

    if (!tm__is_left_out(TM__LEFT_OUT_EVENTS) || !buffer || buffer == &tm__buffer_none)
        return 0;
    if (buffer->deferred.kind || (buffer->object && !buffer->is_shared))
        return 0;
    atomic_store_explicit(&buffer->ring.since, TM__COUNTS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (is_recording())
        leave_out(buffer);
    tm__thread_ring_end(&buffer->ring);
    return 1;
}

int tm__event_report_begin(tm__event_report *report, JNIEnv *jni, jthread thread)
{
    tm__buffer *buffer;

    if (!is_recording())
        return 0;
    buffer = own_buffer();
    if (buffer == &tm__buffer_none)
        return 0;
    if (!buffer)
        buffer = enter(jni, thread);
    if (buffer && buffer->session != tm__session())
        buffer = verified(buffer, jni, thread);
    if (!buffer)
        return 0;
    /* A thread that was notified has the monitor; one that queues for it was
     * interrupted. */
    if (buffer->deferred.kind)
        tm__event_report_deferred(buffer, TM_EVENT_BY_INTERRUPT);
    report->buffer = buffer;
    if (!begin(report))
        return 0;
    report->session = tm__session();
    if (!buffer->thread)
        tm__thread_adopt(buffer, jni, thread);
    /* A carrier's thread number is not that of the virtual thread on it. */
    report->thread = buffer->is_shared || !buffer->thread ? tm__thread_id(jni, thread)
                                                          : buffer->thread;
    report->is_virtual = report->thread != buffer->thread;
    if (report->is_virtual)
        tm__virtual_define(buffer, jni, thread, report->thread);
    report_loss(report);
    return 1;
}

jthread tm__event_report_thread(void)
{
    tm__buffer *buffer = own_buffer();
    jvmtiEnv *jvmti;
    jthread thread = NULL;

    if (!is_recording() || buffer == &tm__buffer_none)
        return NULL;
    if (buffer)
        tm__thread_ring_begin(&buffer->ring, tm__now_ns);
    else
        atomic_fetch_add(&tm__the_recording.entering, 1);
    jvmti = tm__the_vm.jvmti;
    if (is_recording() &&
        (*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE)
        thread = NULL;
    if (buffer)
        tm__thread_ring_end(&buffer->ring);
    else
        atomic_fetch_sub(&tm__the_recording.entering, 1);
    return thread;
}

int tm__event_report_begin_here(tm__event_report *report, JNIEnv *jni)
{
    return tm__the_vm.replaces_natives && tm__event_report_begin_native(report, jni);
}

int tm__event_report_begin_native(tm__event_report *report, JNIEnv *jni)
{
    tm__buffer *buffer = own_buffer();
    jthread thread;
    int begun;

    if (!is_recording())
        return 0;
    if (buffer == &tm__buffer_none)
        return 0;
    if (buffer && !buffer->is_shared && buffer->session == tm__session()) {
        report->buffer = buffer;
        report->thread = buffer->thread;
        report->is_virtual = 0;
        if (!begin(report))
            return 0;
        report->session = tm__session();
        report_loss(report);
        return 1;
    }
    thread = tm__event_report_thread();
    if (!thread)
        return 0;
    begun = tm__event_report_begin(report, jni, thread);
    (*jni)->DeleteLocalRef(jni, thread);
    return begun;
}

int tm__event_report_again(tm__event_report *report)
{
    if (!begin(report))
        return 0;
    if (tm__session() != report->session) {
        tm__thread_ring_end(&report->buffer->ring);
        return 0;
    }
    report_loss(report);
    return 1;
}

int tm__event_report_since(tm__event_report *report, int64_t since_ns)
{
    report->weak = NULL;
    report->skipped_frames = 0;
    report->wakes_writer = 0;
    report->time_ns = since_ns;
    atomic_store(&report->buffer->ring.since, since_ns);
    measure_next(report);
    tm__watchdog_look(tm__now_ns());
    if (is_recording() && tm__session() == report->session) {
        report_loss(report);
        return 1;
    }
    tm__thread_ring_end(&report->buffer->ring);
    return 0;
}

/** The function that completes an event after the walk of its stack, when it begins. */
typedef struct settling {
    tm__event_settle_fn settle;
    void *payload;
} settling;

static int put(tm__event_report *report, uint32_t depth, tm_event event,
               const settling *late)
{
    tm__record *record;
    size_t bytes;

    /* Where recording has ended meanwhile, the VM may not be asked any more. */
    depth = is_recording() ? tm__stack_policy_depth(report, depth, &event) : 0;
    record = tm__thread_ring_reserve(&report->buffer->ring,
                                     (depth + 1) * sizeof(jvmtiFrameInfo));
    if (record) {
        record->kind = event.kind;
        record->event.fact = event;
        record->event.fact.time_ns = report->time_ns;
        record->event.fact.thread = report->thread;
        if (report->weak)
            tm__record_set_weak(&record->event, report->weak);
        bytes = depth ? tm__stack_walk(report, record, depth) : 0;
        report->has_stack = bytes > 0;
        if (late && bytes)
            record->event.fact.time_ns = tm__now_ns();
        if (late && late->settle)
            late->settle(&record->event.fact, late->payload);
        event = record->event.fact;
        tm__methods_commit(report->buffer, record, bytes);
        report->wakes_writer |= tm__wait_for_follow(&event);
    } else {
        report->has_stack = 0;
        tm__buffer_lose(report->buffer, report->time_ns);
        tm__counter_add(&report->buffer->costs.dropped, 1);
    }
    tm__counter_add(&report->buffer->costs.events, 1);
    return record ? 0 : -1;
}

/* The writer finds all of it in the ring. */
static void end_work(tm__event_report *report)
{
    if (report->began_ns)
        measure(report);
    tm__thread_ring_end(&report->buffer->ring);
    if (report->wakes_writer)
        tm__buffers_wake_writer();
}

int tm__event_report_finish(tm__event_report *report, uint32_t depth, tm_event event)
{
    int rc = put(report, depth, event, NULL);

    end_work(report);
    return rc;
}

int tm__event_report_finish_now(tm__event_report *report, uint32_t depth,
                                tm_event event, tm__event_settle_fn settle,
                                void *payload)
{
    int rc = put(report, depth, event, &(settling){settle, payload});

    end_work(report);
    return rc;
}

int tm__event_report_add(tm__event_report *report, uint32_t depth, tm_event event)
{
    return put(report, depth, event, NULL);
}

void tm__event_report_drop(tm__event_report *report)
{
    end_work(report);
}

void tm__event_report_defer(tm__event_report *report, tm_event event)
{
    event.time_ns = report->time_ns;
    event.thread = report->thread;
    report->buffer->deferred = event;
}

void tm__event_report_deferred(tm__buffer *buffer, uint16_t flags)
{
    tm__event_report report = {
        .buffer = buffer,
        .time_ns = buffer->deferred.time_ns,
        .thread = buffer->deferred.thread,
    };
    tm_event event = buffer->deferred;

    buffer->deferred.kind = 0;
    event.flags = flags;
    tm__event_report_finish(&report, TM__NO_STACK, event);
}
