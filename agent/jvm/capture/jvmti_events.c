/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks of the VM when a thread starts, ends, queues for a monitor or waits.
 *
 * The stack is taken where the thread is about to stand still anyway. Entered
 * and Waited take none: Entered runs with the monitor held, and makes everybody
 * behind it wait for as long as it takes.
 */
#include "capture/jvmti_events.h"

#include <stdatomic.h>

#include "base/saturate.h"
#include "capture/cpu_use.h"
#include "capture/event_report.h"
#include "capture/held_report.h"
#include "capture/virtual_calls.h"
#include "ident/monitor_owner.h"
#include "ident/object_identity.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "ring/recording_state.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/options.h"
#include "vm/thread_state.h"
#include "vm/vm.h"

/* A blocking interval's end is about the object of its beginning, so a thread that
 * cannot have changed its carrier in between need not ask the VM which that was. */
static uint64_t blocked_on(tm__event_report *r, JNIEnv *jni, jobject object)
{
    uint64_t id = r->is_virtual ? 0 : r->buffer->object;

    if (!r->is_virtual)
        r->buffer->object = 0;
    return id ? id : tm__object_id(r->buffer, jni, object);
}

static const tm__contender *contender_of(const tm__event_report *r, tm__contender *out)
{
    *out = (tm__contender){
        .thread = r->thread, .is_virtual = r->is_virtual, .session = r->session};
    return out;
}

/* On the way out of a sleep, park or join a virtual thread may enter monitors of the
 * JDK's own: that is the call's, which has reported that it blocks. */
static int begin_enter(tm__event_report *r, JNIEnv *jni, jthread thread)
{
    if (tm__event_report_is_left_out() || !tm__event_report_begin(r, jni, thread))
        return 0;
    if (!tm__virtual_is_blocking(r))
        return 1;
    tm__event_report_drop(r);
    return 0;
}

static void JNICALL contended_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                    jobject object)
{
    tm_event event = {.kind = TM_EVENT_CONTENDED_ENTER};
    tm__contender self;
    tm__event_report r;

    (void)jvmti;
    if (!begin_enter(&r, jni, thread))
        return;
    event.peer = tm__monitor_owner_read(jni, contender_of(&r, &self), object);
    if (event.peer)
        event.flags = TM_EVENT_PEER_INFERRED;
    event.object = tm__object_id(r.buffer, jni, object);
    if (r.is_virtual)
        r.weak = (*jni)->NewWeakGlobalRef(jni, thread);
    else
        r.buffer->object = event.object;
    if (tm__event_report_add(&r, TM__WHOLE_STACK, event) != 0 && r.weak)
        (*jni)->DeleteWeakGlobalRef(jni, r.weak);
    /* Without its stack nobody could tell where it got what it holds. A virtual thread
     * may be the only one that the VM reports that to. */
    if (tm__held_is_self_reported(&r) || (tm__the_options.held && r.has_stack))
        tm__held_add(&r, jni, 0);
    tm__event_report_drop(&r);
}

static void JNICALL contended_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                      jobject object)
{
    tm__contender self;
    tm__event_report r;
    uint64_t id;

    (void)jvmti;
    if (!begin_enter(&r, jni, thread))
        return;
    tm__monitor_owner_check(jni, contender_of(&r, &self));
    id = blocked_on(&r, jni, object);
    tm__event_report_finish(
        &r, TM__NO_STACK, (tm_event){.kind = TM_EVENT_CONTENDED_ENTERED, .object = id});
}

static void JNICALL wait(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                         jlong timeout_ms)
{
    tm__event_report r;
    uint64_t id, joined;
    int rc;

    (void)jvmti;
    if (tm__event_report_is_left_out() || !tm__event_report_begin(&r, jni, thread))
        return;
    id = tm__waited_on_id(r.buffer, jni, object, &joined);
    if (!r.is_virtual)
        r.buffer->object = id;
    if (r.is_virtual && joined)
        r.weak = (*jni)->NewWeakGlobalRef(jni, thread);
    rc = tm__event_report_add(&r, TM__WHOLE_STACK,
                              (tm_event){.kind = TM_EVENT_WAIT,
                                         .object = id,
                                         .peer = joined,
                                         .value = tm__product(timeout_ms, 1000000)});
    if (rc != 0 && r.weak)
        (*jni)->DeleteWeakGlobalRef(jni, r.weak);
    else if (tm__held_is_self_reported(&r))
        tm__held_add(&r, jni, id);
    tm__event_report_drop(&r);
}

/* A thread that finds a class being initialised by another one waits in the VM, on an
 * int[] that the program never sees, and JVM TI reports only the end of that wait. */
static int is_of_initialisation(const tm__event_report *r, JNIEnv *jni, jobject object)
{
    int was_waited_on;

    if ((!r->is_virtual && r->buffer->in_wait) || !object ||
        !(*jni)->IsInstanceOf(jni, object, tm__the_java.initialisation_class))
        return 0;
    tm__notified_id(r->buffer, jni, object, &was_waited_on);
    return !was_waited_on;
}

/*
 * The VM reports a wait that is over, but not whether a notify or an interrupt ended
 * it, and who is notified may be interrupted before it runs. So the end is kept
 * back until Object.wait returns: it throws, or it does not. (The interrupt flag
 * has been cleared by now when the wait was not let in, however long that took on
 * a busy machine, and is still set when it was broken off.)
 */
static void JNICALL waited(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                           jboolean timed_out)
{
    tm_event event = {.kind = TM_EVENT_WAITED};
    tm__event_report r;

    (void)jvmti;
    if (tm__event_report_is_left_out() || !tm__event_report_begin(&r, jni, thread))
        return;
    event.object = blocked_on(&r, jni, object);
    if (!timed_out && !r.is_virtual && r.buffer->in_wait) {
        tm__event_report_defer(&r, event);
        return;
    }
    event.flags = timed_out                                ? TM_EVENT_TIMED_OUT
                  : tm__thread_is_interrupted(jni, thread) ? TM_EVENT_BY_INTERRUPT
                                                           : 0;
    if (is_of_initialisation(&r, jni, object))
        event.flags |= TM_EVENT_INITIALISATION;
    tm__event_report_finish(&r, TM__NO_STACK, event);
}

static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    tm__event_report r;

    (void)jvmti;
    if (tm__buffer_mine == &tm__buffer_none)
        tm__buffer_mine = NULL;
    if (tm__event_report_begin(&r, jni, thread))
        tm__event_report_finish(&r, TM__NO_STACK,
                                (tm_event){.kind = TM_EVENT_THREAD_START});
}

static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    tm__event_report r;

    (void)jvmti;
    if (!tm__event_report_begin(&r, jni, thread)) {
        tm__monitor_owner_unregister(jni);
        return;
    }
    tm__thread_define(r.buffer, jni, thread, r.thread, 0, 0);
    if (!r.is_virtual)
        tm__cpu_use_of_ending(&r);
    tm__event_report_finish(&r, TM__NO_STACK, (tm_event){.kind = TM_EVENT_THREAD_END});
    tm__monitor_owner_unregister(jni);
    if (r.is_virtual)
        return;
    /* The VM goes on to lock the thread object and wake who joins it, which is no
     * business of the program's; or the OS thread becomes another Java thread. */
    tm__buffer_leave();
}

static const struct {
    jvmtiEvent event;
    int is_of_monitors; ///< left out by the option monitor=n
    uint64_t kind;
} ENABLED[] = {
    {JVMTI_EVENT_THREAD_START, 0, TM__KIND(THREAD_START)},
    {JVMTI_EVENT_THREAD_END, 0, TM__KIND(THREAD_END)},
    {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, 1, TM__KIND(CONTENDED_ENTER)},
    {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, 1, TM__KIND(CONTENDED_ENTERED)},
    {JVMTI_EVENT_MONITOR_WAIT, 1, TM__KIND(WAIT)},
    {JVMTI_EVENT_MONITOR_WAITED, 1, TM__KIND(WAITED)},
};
enum { ENABLED_COUNT = sizeof(ENABLED) / sizeof(*ENABLED) };

static int is_wanted(int i)
{
    return !ENABLED[i].is_of_monitors || tm__the_options.monitor;
}

void tm__events_set(jvmtiEventCallbacks *callbacks)
{
    callbacks->ThreadStart = thread_start;
    callbacks->ThreadEnd = thread_end;
    callbacks->MonitorContendedEnter = contended_enter;
    callbacks->MonitorContendedEntered = contended_entered;
    callbacks->MonitorWait = wait;
    callbacks->MonitorWaited = waited;
    atomic_fetch_or(&tm__the_recording.kinds,
                    TM__KIND(HELD) | TM__KIND(SNAPSHOT) | TM__KIND(LOST));
    for (int i = 0; i < ENABLED_COUNT; i++)
        if (is_wanted(i))
            atomic_fetch_or(&tm__the_recording.kinds, ENABLED[i].kind);
}

jvmtiError tm__events_enable(int on)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    for (int i = 0; i < ENABLED_COUNT; i++) {
        jvmtiError error = is_wanted(i) ? (*jvmti)->SetEventNotificationMode(
                                              jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                              ENABLED[i].event, NULL)
                                        : JVMTI_ERROR_NONE;

        if (error != JVMTI_ERROR_NONE)
            return error;
    }
    return JVMTI_ERROR_NONE;
}
