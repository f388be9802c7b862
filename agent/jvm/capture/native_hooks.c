/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls for which the VM has no events: notify, park, sleep, start, interrupt, and why
 * a wait ended. All of them end in native methods of the JDK, and the VM asks us for
 * every native method that it binds whether another function should stand in its place.
 * Ours report and call the original. Compiled callers go the same way, since none of
 * these methods is an intrinsic.
 *
 * A program may notify a million times a second: without waiters that costs a look
 * at the object's tag and a record, and no walk of the stack. The VM itself does so
 * in bursts, for every weak reference, on queues that nobody ever waits on: of
 * these, one a millisecond is reported, and the others are counted.
 */
#include "capture/native_hooks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/saturate.h"
#include "capture/event_report.h"
#include "capture/held_report.h"
#include "capture/park_facts.h"
#include "capture/virtual_calls.h"
#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

enum {
    WAIT,
    NOTIFY,
    NOTIFY_ALL,
    START,
    INTERRUPT,
    SLEEP_MS,
    SLEEP,
    SLEEP_NS,
    PARK,
    UNPARK,
    RENAME,
    BEFORE_HALT,
    VIRTUAL ///< replaced by nothing: it is bound when the first is about to be made
};

enum { REPEATED_NS = 1000000, SHORT_SINCE = 14 };

/* The original method; set before ours can be called. */
static tm__native original(int hook)
{
    void *address =
        atomic_load_explicit(&tm__hooks[hook].original, memory_order_acquire);

    /* In a VM that was up before us, ours may stand there a moment sooner. */
    while (!address) {
        sched_yield();
        address = atomic_load_explicit(&tm__hooks[hook].original, memory_order_acquire);
    }
    return (tm__native){address};
}

/* The VM reports waits; this only tells why one ended. A virtual thread has left
 * the carrier, and its wait goes on, when the call returns. */
static void JNICALL object_wait(JNIEnv *jni, jobject object, jlong timeout_ms)
{
    tm__buffer *buffer = tm__buffer_mine;

    if (!buffer || buffer == &tm__buffer_none || buffer->is_shared) {
        original(WAIT).wait(jni, object, timeout_ms);
        return;
    }
    buffer->in_wait = 1;
    original(WAIT).wait(jni, object, timeout_ms);
    buffer->in_wait = 0;
    if (buffer->deferred.kind)
        tm__event_report_deferred(
            buffer, (*jni)->ExceptionCheck(jni) ? TM_EVENT_BY_INTERRUPT : 0);
}

/* Tell whether a notify that can wake nobody was reported just before. */
static int is_repeated(const tm__event_report *r, uint64_t object)
{
    tm__buffer *buffer = r->buffer;
    size_t slots = sizeof(buffer->notified) / sizeof(*buffer->notified);
    size_t slot = object % slots;

    if (buffer->notified[slot].object == object &&
        r->time_ns - buffer->notified[slot].time_ns < REPEATED_NS) {
        tm__counter_add(&buffer->left_out, 1);
        return 1;
    }
    buffer->notified[slot].object = object;
    buffer->notified[slot].time_ns = r->time_ns;
    return 0;
}

/* The time is that before the call, which is over before anybody can be woken. One
 * who does not own the object is refused by the VM, and has notified nobody. */
static void notify(JNIEnv *jni, jobject object, int hook, uint16_t kind)
{
    tm__event_report r;
    uint64_t id = 0;
    int was_waited_on = 0;
    int begun = !tm__event_report_is_left_out() && tm__event_report_begin_here(&r, jni);

    if (begun)
        id = tm__notified_id(r.buffer, jni, object, &was_waited_on);
    original(hook).object(jni, object);
    if (!begun)
        return;
    if ((*jni)->ExceptionCheck(jni) || (!was_waited_on && is_repeated(&r, id)))
        tm__event_report_drop(&r);
    else
        tm__event_report_finish(&r, was_waited_on ? TM__CALLER : TM__NO_STACK,
                                (tm_event){.kind = kind, .object = id});
}

static void JNICALL object_notify(JNIEnv *jni, jobject object)
{
    notify(jni, object, NOTIFY, TM_EVENT_NOTIFY);
}

static void JNICALL object_notify_all(JNIEnv *jni, jobject object)
{
    notify(jni, object, NOTIFY_ALL, TM_EVENT_NOTIFY_ALL);
}

/* Something that is done to another thread. */
static void report_call(JNIEnv *jni, jobject thread, uint32_t depth, uint16_t kind)
{
    tm__event_report r;

    if (!thread || tm__event_report_is_left_out() ||
        !tm__event_report_begin_here(&r, jni))
        return;
    if (tm__virtual_is_blocking(&r))
        tm__event_report_drop(&r);
    else
        tm__event_report_finish(
            &r, depth, (tm_event){.kind = kind, .peer = tm__thread_id(jni, thread)});
}

static void JNICALL thread_start(JNIEnv *jni, jobject thread)
{
    report_call(jni, thread, TM__WHOLE_STACK, TM_EVENT_THREAD_START_CALLED);
    original(START).object(jni, thread);
}

/* The JDK hands the interrupt of a virtual thread on to its carrier, which is nobody's
 * call. It does so while the virtual thread is being mounted as well: JDK 21 then waits
 * for ever in whatever it is asked about threads. */
static int is_carrier(JNIEnv *jni, jobject thread)
{
    jclass carrier = tm__the_java.carrier_class;

    return carrier && thread && (*jni)->IsInstanceOf(jni, thread, carrier);
}

static void JNICALL thread_interrupt(JNIEnv *jni, jobject thread)
{
    if (!is_carrier(jni, thread))
        report_call(jni, thread, TM__CALLER, TM_EVENT_INTERRUPT_CALLED);
    original(INTERRUPT).object(jni, thread);
}

/* The object that the other is parked for is read before it can go on. */
static void report_unpark(JNIEnv *jni, jobject other, uint64_t id)
{
    tm__event_report r;
    tm__parked parked;

    if (tm__event_report_is_left_out() || !tm__event_report_begin_here(&r, jni))
        return;
    if (tm__virtual_is_blocking(&r)) {
        tm__event_report_drop(&r);
        return;
    }
    parked = tm__parked_read(r.buffer, jni, other, &r.time_ns);
    tm__event_report_finish(
        &r, tm__the_vm.release < SHORT_SINCE ? TM__CALLER_OLD : TM__CALLER,
        tm__unpark_event(&parked, id));
}

static void JNICALL unsafe_unpark(JNIEnv *jni, jobject unsafe, jobject thread)
{
    uint64_t id = atomic_load_explicit(&tm__the_recording.is_on, memory_order_relaxed)
                      ? tm__thread_id(jni, thread)
                      : 0;

    if (id && !tm__virtual_joins(id))
        report_unpark(jni, thread, id);
    original(UNPARK).unpark(jni, unsafe, thread);
}

/* The name is in the thread object by now; this only tells the operating system. */
static void JNICALL thread_rename(JNIEnv *jni, jobject thread, jstring name)
{
    tm__event_report r;

    original(RENAME).rename(jni, thread, name);
    if (!tm__event_report_begin_here(&r, jni))
        return;
    tm__thread_define(r.buffer, jni, thread, tm__thread_id(jni, thread), 0, 0);
    tm__event_report_drop(&r);
}

/* A thread called exit: the VM's hooks follow. */
static void JNICALL shutdown_begins(JNIEnv *jni, jobject class)
{
    tm__event_report r;

    if (tm__event_report_begin_here(&r, jni))
        tm__event_report_finish(&r, TM__WHOLE_STACK,
                                (tm_event){.kind = TM_EVENT_SHUTDOWN});
    original(BEFORE_HALT).object(jni, class);
}

static void sleep_for(JNIEnv *jni, jclass class, jlong time, int hook, int64_t unit_ns)
{
    tm__event_report r;
    int begun = !tm__event_report_is_left_out() && tm__event_report_begin_here(&r, jni);

    if (begun)
        tm__event_report_finish_now(
            &r, TM__WHOLE_STACK,
            (tm_event){.kind = TM_EVENT_SLEEP, .value = tm__product(time, unit_ns)},
            NULL, NULL);
    original(hook).sleep(jni, class, time);
    if (!begun || !tm__event_report_again(&r))
        return;
    tm__event_report_finish(&r, TM__NO_STACK,
                            (tm_event){.kind = TM_EVENT_SLEPT,
                                       .flags = (*jni)->ExceptionCheck(jni)
                                                    ? TM_EVENT_BY_INTERRUPT
                                                    : TM_EVENT_TIMED_OUT});
}

static void JNICALL thread_sleep_ms(JNIEnv *jni, jclass class, jlong time)
{
    sleep_for(jni, class, time, SLEEP_MS, 1000000);
}

/* Milliseconds in JDK 19 and 20, nanoseconds in 21. */
static void JNICALL thread_sleep(JNIEnv *jni, jclass class, jlong time)
{
    sleep_for(jni, class, time, SLEEP, tm__the_vm.release < 21 ? 1000000 : 1);
}

static void JNICALL thread_sleep_ns(JNIEnv *jni, jclass class, jlong time)
{
    sleep_for(jni, class, time, SLEEP_NS, 1);
}

/* How long a park may take from now on; 0: for ever. */
static int64_t park_timeout_ns(jboolean until, jlong time)
{
    int64_t left_ms;

    if (!until)
        return time;
    left_ms = time - tm__clock_ns(CLOCK_REALTIME) / 1000000;
    return left_ms > 0 ? tm__product(left_ms, 1000000) : 1;
}

/* The calling thread, to look at its fields. The reference to it that goes along with
 * its buffer will do while it lives; a carrier may have another thread on it. */
static jthread park_thread(const tm__event_report *r)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread thread = NULL;

    if (!r->buffer->is_shared)
        return r->buffer->thread_weak;
    return (*jvmti)->GetCurrentThread(jvmti, &thread) == JVMTI_ERROR_NONE ? thread
                                                                          : NULL;
}

static void JNICALL unsafe_park(JNIEnv *jni, jobject unsafe, jboolean until, jlong time)
{
    jthread thread;
    tm__parked parked;
    tm_event event;
    int64_t began_ns, timeout_ns;
    tm__event_report r;

    if (tm__event_report_is_left_out() || !tm__event_report_begin_here(&r, jni)) {
        original(PARK).park(jni, unsafe, until, time);
        return;
    }
    if (tm__virtual_reports(&r)) {
        /* It has said that it parks. It keeps its carrier, most often for a monitor. */
        if (tm__held_is_self_reported(&r))
            tm__held_add(&r, jni, 0);
        tm__event_report_drop(&r);
        original(PARK).park(jni, unsafe, until, time);
        return;
    }
    thread = park_thread(&r);
    began_ns = r.time_ns;
    timeout_ns = park_timeout_ns(until, time);
    parked = tm__parked_read(r.buffer, jni, thread, NULL);
    tm__park_report_release(&r, &parked);
    event = tm__park_event(&parked);
    event.value = timeout_ns;
    tm__event_report_finish_now(&r, TM__WHOLE_STACK, event, tm__park_settle,
                                &(tm__parking){jni, thread});
    original(PARK).park(jni, unsafe, until, time);
    if (tm__event_report_again(&r)) {
        event = tm__park_end_event(&r, jni, thread, timeout_ns, began_ns);
        tm__event_report_finish(&r, TM__NO_STACK, event);
    }
    if (thread && thread != r.buffer->thread_weak)
        (*jni)->DeleteLocalRef(jni, thread);
}

static const char OBJECT[] = "Ljava/lang/Object;";
static const char THREAD[] = "Ljava/lang/Thread;";
static const char UNSAFE[] = "Ljdk/internal/misc/Unsafe;";

tm__hook tm__hooks[TM__HOOK_COUNT] = {
    [WAIT] = {OBJECT, "wait0", "(J)V", "JVM_MonitorWait", {.wait = object_wait}, 0},
    [NOTIFY] = {OBJECT,
                "notify",
                "()V",
                "JVM_MonitorNotify",
                {.object = object_notify},
                TM__KIND(NOTIFY)},
    [NOTIFY_ALL] = {OBJECT,
                    "notifyAll",
                    "()V",
                    "JVM_MonitorNotifyAll",
                    {.object = object_notify_all},
                    TM__KIND(NOTIFY_ALL)},
    [START] = {THREAD,
               "start0",
               "()V",
               "JVM_StartThread",
               {.object = thread_start},
               TM__KIND(THREAD_START_CALLED)},
    [INTERRUPT] = {THREAD,
                   "interrupt0",
                   "()V",
                   "JVM_Interrupt",
                   {.object = thread_interrupt},
                   TM__KIND(INTERRUPT_CALLED)},
    [SLEEP_MS] = {THREAD,
                  "sleep",
                  "(J)V",
                  "JVM_Sleep",
                  {.sleep = thread_sleep_ms},
                  TM__KIND(SLEEP) | TM__KIND(SLEPT)},
    [SLEEP] = {THREAD,
               "sleep0",
               "(J)V",
               "JVM_Sleep",
               {.sleep = thread_sleep},
               TM__KIND(SLEEP) | TM__KIND(SLEPT)},
    [SLEEP_NS] = {THREAD,
                  "sleepNanos0",
                  "(J)V",
                  "JVM_SleepNanos",
                  {.sleep = thread_sleep_ns},
                  TM__KIND(SLEEP) | TM__KIND(SLEPT)},
    [PARK] = {UNSAFE,
              "park",
              "(ZJ)V",
              NULL,
              {.park = unsafe_park},
              TM__KIND(PARK) | TM__KIND(UNPARKED) | TM__KIND(RELEASED)},
    [UNPARK] = {UNSAFE,
                "unpark",
                "(Ljava/lang/Object;)V",
                NULL,
                {.unpark = unsafe_unpark},
                TM__KIND(UNPARK_CALLED)},
    [RENAME] = {THREAD,
                "setNativeName",
                "(Ljava/lang/String;)V",
                "JVM_SetNativeThreadName",
                {.rename = thread_rename},
                0},
    [BEFORE_HALT] = {"Ljava/lang/Shutdown;",
                     "beforeHalt",
                     "()V",
                     "JVM_BeforeHalt",
                     {.object = shutdown_begins},
                     TM__KIND(SHUTDOWN)},
    [VIRTUAL] =
        {"Ljava/lang/VirtualThread;", "registerNatives", "()V", NULL, {NULL}, 0},
};
_Static_assert(VIRTUAL + 1 == TM__HOOK_COUNT, "each has its row");
