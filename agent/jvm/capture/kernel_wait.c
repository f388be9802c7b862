/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: up to some hundred thousand reads and writes a second; nearly all
 * return at once. Those take two readings of the clock and no system call. A small read
 * that took 20 to 200 us waited: it has nothing else to do for so long, and a
 * preemption mostly lasts longer. For other calls of 20 us or more the kernel is asked,
 * which takes about 1 us: if it counted no voluntary switch of the thread since the
 * last question, the thread computed, copied or was preempted. For a call that moves
 * many bytes the count is read at its beginning as well, so that no earlier switch is
 * attributed to it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RUSAGE_THREAD */
#endif
#include "capture/kernel_wait.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "capture/event_report.h"
#include "endpoint/endpoint.h"
#include "ident/io_objects.h"
#include "ring/recording_state.h"
#include "rings/clock.h"

enum { LARGE_BYTES = 32 << 10 };
static const int64_t SHORT_NS = INT64_C(20000);
static const int64_t SLICE_NS = INT64_C(200000);

static long voluntary_switches(void)
{
    struct rusage use;

    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nvcsw : 0;
}

static int is_recording(void)
{
    return atomic_load_explicit(&tm__the_recording.is_on, memory_order_relaxed);
}

/* Ask the VM which thread runs on the carrier. */
static int find_thread(tm__kernel_wait *wait, JNIEnv *jni)
{
    tm__event_report report;

    if (tm__event_report_is_left_out() || !tm__event_report_begin_here(&report, jni))
        return -1;
    wait->buffer = report.buffer;
    wait->thread = report.thread;
    tm__event_report_drop(&report);
    return 0;
}

void tm__kernel_wait_begin(tm__kernel_wait *wait, JNIEnv *jni, uint32_t use, int fd,
                           int64_t bytes)
{
    tm__buffer *buffer = tm__buffer_mine;

    wait->buffer = NULL;
    if (!is_recording() || buffer == &tm__buffer_none)
        return;
    if (buffer && !buffer->is_shared && buffer->session == tm__session()) {
        wait->thread = buffer->thread;
    } else {
        if ((buffer && buffer->is_shared && use == TM__USE_POLL) ||
            find_thread(wait, jni) != 0)
            return;
        buffer = wait->buffer;
    }
    if (!wait->thread ||
        atomic_load_explicit(&buffer->call.since_ns, memory_order_relaxed))
        return;
    wait->buffer = buffer;
    wait->use = bytes >= LARGE_BYTES ? use | TM__USE_LARGE : use;
    wait->fd = fd;
    wait->session = tm__session();
    wait->begun = buffer->begun;
    if (wait->use & TM__USE_LARGE)
        buffer->call.voluntary = voluntary_switches();
    wait->since_ns =
        tm__kernel_call_begin(&buffer->call, wait->thread, fd, wait->use, tm__now_ns);
}

int tm__kernel_wait_is_long(const tm__kernel_wait *wait)
{
    return wait->buffer && tm__now_ns() - wait->since_ns >= SHORT_NS;
}

/* @return whether the thread left its processor by itself, as far as can be known */
static int has_waited(tm__kernel_wait *wait)
{
    long before = wait->buffer->call.voluntary, now;
    int64_t took_ns = tm__now_ns() - wait->since_ns;

    if (took_ns < SHORT_NS)
        return 0;
    /* A thread that is preempted mostly is so for longer. */
    if (took_ns < SLICE_NS && (wait->use == TM__USE_READ || wait->use == TM__USE_POLL))
        return 1;
    now = voluntary_switches();
    wait->buffer->call.voluntary = now;
    return now != before;
}

/* To ask the kernel for the two ends of a connection takes as long as all else. The
 * same descriptor is the same connection for as long as the JDK has closed none. */
static tm__io_object object_of(const tm__kernel_wait *wait, const char *name)
{
    tm__kernel_call *call = &wait->buffer->call;
    uint32_t use = wait->use & ~(uint32_t)TM__USE_LARGE;
    uint32_t closes = atomic_load(&tm__the_closes);
    size_t i = use != TM__USE_READ;
    tm__io_object object = {call->known[i].object, call->known[i].is_idle};

    if (object.id && !name && call->known[i].use == use &&
        call->known[i].fd == wait->fd && call->known[i].closes == closes &&
        call->known[i].session == wait->session)
        return object;
    object = tm__io_object_of(wait->buffer, NULL, use, wait->fd, name);
    call->known[i].object = name ? 0 : object.id;
    call->known[i].is_idle = object.is_idle;
    call->known[i].use = use;
    call->known[i].fd = wait->fd;
    call->known[i].closes = closes;
    call->known[i].session = wait->session;
    return object;
}

static void report_end(tm__event_report *report, tm__io_object object)
{
    tm__event_report_finish(report, TM__NO_STACK,
                            (tm_event){.kind = TM_EVENT_AWAITED,
                                       .object = object.id,
                                       .flags = object.is_idle ? TM_EVENT_IDLE : 0});
}

/* The writer has said that it began. */
static void end_claimed(tm__kernel_wait *wait, tm__event_report *report,
                        const char *name)
{
    /* An event in between has ended the wait. */
    if (wait->begun != wait->buffer->begun || !tm__event_report_again(report))
        return;
    report_end(report, object_of(wait, name));
}

/* Both at once; until then the beginning holds all later events up. */
static void report_both(tm__kernel_wait *wait, tm__event_report *report,
                        const char *name)
{
    tm__buffer *buffer = wait->buffer;
    tm__io_object object;

    if (wait->begun != buffer->begun || tm__event_report_is_left_out()) {
        atomic_store(&buffer->call.since_ns, TM__CALL_NONE);
        return;
    }
    if (!tm__event_report_since(report, wait->since_ns)) {
        atomic_store(&buffer->call.since_ns, TM__CALL_NONE);
        return;
    }
    if (atomic_exchange(&buffer->call.since_ns, TM__CALL_NONE) != wait->since_ns) {
        /* Claimed at this instant, or forgotten by a new recording. */
        tm__event_report_drop(report);
        wait->begun = buffer->begun;
        end_claimed(wait, report, name);
        return;
    }
    object = object_of(wait, name);
    tm__event_report_add(report, TM__WHOLE_STACK,
                         (tm_event){.kind = TM_EVENT_AWAIT,
                                    .object = object.id,
                                    .flags = object.is_idle ? TM_EVENT_IDLE : 0});
    report->time_ns = tm__now_ns();
    report_end(report, object);
}

static void end_long(tm__kernel_wait *wait, const char *name)
{
    tm__event_report report = {.buffer = wait->buffer,
                               .thread = wait->thread,
                               .is_virtual = wait->buffer->is_shared,
                               .session = wait->session};
    int64_t since_ns = atomic_load(&wait->buffer->call.since_ns);
    int error = errno;

    if (since_ns == wait->since_ns) {
        report_both(wait, &report, name);
    } else {
        atomic_store(&wait->buffer->call.since_ns, TM__CALL_NONE);
        wait->buffer->call.voluntary = voluntary_switches();
        if (since_ns == TM__CALL_CLAIMED)
            end_claimed(wait, &report, name);
    }
    errno = error;
}

void tm__kernel_wait_end(tm__kernel_wait *wait, const char *name)
{
    tm__kernel_call *call;
    int64_t since_ns;

    if (!wait->buffer)
        return;
    call = &wait->buffer->call;
    since_ns = atomic_load_explicit(&call->since_ns, memory_order_relaxed);
    if (since_ns == wait->since_ns && !has_waited(wait) &&
        atomic_compare_exchange_strong(&call->since_ns, &since_ns, TM__CALL_NONE))
        return;
    end_long(wait, name);
}
