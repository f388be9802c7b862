/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that was there before recording began is asked what it is in, wants and
 * holds: by the VM's ThreadSnapshot where that is, and the objects are known as
 * themselves; of platform threads by JVM TI, where the agent was there from the start;
 * else by what java.lang.management says of them, and of virtual ones without the
 * monitors. Then its stack is walked, and if it is in the same state still, the two are
 * of one moment.
 */
#include "blocked/catch_up_ask.h"

#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "capture/park_facts.h"
#include "ident/method_identity.h"
#include "ident/object_identity.h"
#include "ident/objects_by_hash.h"
#include "ident/thread_id.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/watchdog.h"
#include "vm/options.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/thread_state.h"
#include "vm/vm.h"

/* The innermost frames of a pinned virtual thread that sleeps: Unsafe.park,
 * parkOnCarrierThread, parkNanos, sleepNanos. */
enum { TRIES = 3, SLEEP_FRAMES = 6 };

typedef struct answer {
    tm__catch_up_state seen;
    uint64_t joined;  ///< whose end it waits for; 0: nobody's
    int reports_held; ///< all monitors that it holds are known
    uint32_t held_count;
    uint64_t *held; ///< 0: one that is not known
    int32_t *depths;
} answer;

static int make_room(answer *a, uint32_t count)
{
    a->held = calloc((size_t)count + 1, sizeof(*a->held));
    a->depths = calloc((size_t)count + 1, sizeof(*a->depths));
    return a->held && a->depths ? 0 : -1;
}

/* To wait on a thread is to join it. @return its index, -1: it is none of them */
static jint find_thread(const tm__lock_info *lock, const tm__platform *platform)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    if (!lock->class || !strstr(lock->class, "Thread"))
        return -1;
    for (jint i = 0; i < platform->count; i++) {
        jint hash = 0;

        if ((*jvmti)->GetObjectHashCode(jvmti, platform->all[i], &hash) ==
                JVMTI_ERROR_NONE &&
            (uint32_t)hash == lock->hash)
            return i;
    }
    return -1;
}

static uint64_t lock_id(tm__buffer *own, JNIEnv *jni, const tm__lock_info *lock,
                        const tm__platform *platform)
{
    jint thread = find_thread(lock, platform);

    if (thread >= 0)
        return tm__object_id(own, jni, platform->all[thread]);
    return lock->class ? tm__by_hash_id(own, lock->class, lock->hash) : 0;
}

/* The answer about all threads at one instant may be out of date. */
static int answer_by_management(answer *a, tm__buffer *own, JNIEnv *jni, jthread thread,
                                const tm__platform *platform)
{
    const tm__thread_info *info =
        tm__thread_mxbean_find(platform->infos, platform->info_count, a->seen.thread);
    jint joined;

    a->seen.state = tm__thread_state(thread);
    if (!info)
        return a->seen.state == TM_STATE_BLOCKED ? -1 : make_room(a, 0);
    if ((a->seen.state == TM_STATE_BLOCKED) != (info->is_blocked != 0) ||
        make_room(a, info->held_count) != 0)
        return -1;
    if (a->seen.state == TM_STATE_BLOCKED || a->seen.state == TM_STATE_WAITING)
        a->seen.object = lock_id(own, jni, &info->wanted, platform);
    if (a->seen.state == TM_STATE_BLOCKED)
        a->seen.owner =
            tm__carrier_has_id(jni, info->owner, platform->all, platform->count)
                ? 0
                : info->owner;
    joined = find_thread(&info->wanted, platform);
    if (joined >= 0)
        a->joined = tm__thread_id(jni, platform->all[joined]);
    for (uint32_t i = 0; i < info->held_count; i++) {
        a->held[i] = lock_id(own, jni, &info->held[i], platform);
        a->depths[i] = info->held[i].depth;
    }
    a->reports_held = 1;
    a->held_count = info->held_count;
    return 0;
}

/* The state of a platform thread, by the tool interface, as the VM reports it to an
 * agent that was there from its start. */
static int answer_by_tool_interface(answer *a, tm__buffer *own, JNIEnv *jni,
                                    jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiMonitorStackDepthInfo *held = NULL;
    jobject monitor = NULL;
    jint count = 0;
    int rc;

    a->seen.state = tm__thread_state(thread);
    if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &monitor) !=
        JVMTI_ERROR_NONE)
        return -1;
    if (monitor && a->seen.state == TM_STATE_WAITING)
        a->seen.object = tm__waited_on_id(own, jni, monitor, &a->joined);
    else if (monitor && a->seen.state == TM_STATE_BLOCKED)
        a->seen.object = tm__object_id(own, jni, monitor);
    if (monitor)
        (*jni)->DeleteLocalRef(jni, monitor);
    a->reports_held = (*jvmti)->GetOwnedMonitorStackDepthInfo(
                          jvmti, thread, &count, &held) == JVMTI_ERROR_NONE;
    rc = make_room(a, (uint32_t)count);
    for (jint i = 0; i < count; i++) {
        if (rc == 0) {
            a->held[a->held_count] = tm__object_id(own, jni, held[i].monitor);
            a->depths[a->held_count++] = held[i].stack_depth;
        }
        (*jni)->DeleteLocalRef(jni, held[i].monitor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)held);
    return rc;
}

static int answer_by_snapshot(answer *a, tm__buffer *own, JNIEnv *jni, jthread thread)
{
    tm__thread_snapshot snapshot;
    int rc;

    if (tm__thread_snapshot_read(&snapshot, jni, thread) != 0)
        return -1;
    a->seen.state = tm__thread_state_of(snapshot.bits);
    if (snapshot.monitor && a->seen.state == TM_STATE_WAITING)
        a->seen.object = tm__waited_on_id(own, jni, snapshot.monitor, &a->joined);
    else if (snapshot.monitor)
        a->seen.object = tm__object_id(own, jni, snapshot.monitor);
    a->reports_held = snapshot.is_whole;
    rc = make_room(a, snapshot.held_count);
    for (uint32_t i = 0; rc == 0 && i < snapshot.held_count; i++) {
        a->held[i] = tm__object_id(own, jni, snapshot.held[i].monitor);
        a->depths[i] = snapshot.held[i].stack_depth;
        a->held_count++;
    }
    tm__thread_snapshot_drop(jni, &snapshot);
    return rc;
}

static int find_answer(answer *a, tm__buffer *own, JNIEnv *jni, jthread thread,
                       const tm__platform *platform)
{
    int rc = 0;

    if (tm__thread_snapshot_is_open()) {
        rc = answer_by_snapshot(a, own, jni, thread);
    } else if (platform && tm__the_vm.reports_held) {
        rc = answer_by_tool_interface(a, own, jni, thread);
    } else if (platform) {
        rc = answer_by_management(a, own, jni, thread, platform);
    } else {
        a->seen.state = tm__thread_state(thread);
        rc = make_room(a, 0);
    }
    if (a->joined == a->seen.thread)
        a->joined = 0;
    if (rc == 0 && a->seen.state == TM_STATE_PARKED) {
        tm__parked parked = tm__parked_read(own, jni, thread, NULL);

        a->seen.object = parked.object;
        a->seen.owner = parked.lock == parked.object ? parked.owner : 0;
        a->seen.is_reader = parked.is_reader;
    }
    return rc;
}

static int is_method(JNIEnv *jni, const jvmtiFrameInfo *frame, const char *class,
                     const char *method)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *name = NULL, *signature = NULL;
    jclass declaring = NULL;
    int is;

    if ((*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) !=
        JVMTI_ERROR_NONE)
        return 0;
    is = strcmp(name, method) == 0 &&
         (*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &declaring) ==
             JVMTI_ERROR_NONE &&
         (*jvmti)->GetClassSignature(jvmti, declaring, &signature, NULL) ==
             JVMTI_ERROR_NONE &&
         strcmp(signature, class) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    if (declaring)
        (*jni)->DeleteLocalRef(jni, declaring);
    return is;
}

/* The VM's state, where the stack knows better: who is blocked and whose innermost
 * frame is Object.wait was notified, and a virtual thread sleeps by parking. */
static int state_by_stack(JNIEnv *jni, const tm__catch_up_state *seen,
                          const jvmtiFrameInfo *frames, jint count)
{
    if (seen->state == TM_STATE_BLOCKED && count > 0 &&
        (is_method(jni, frames, "Ljava/lang/Object;", "wait") ||
         is_method(jni, frames, "Ljava/lang/Object;", "wait0")))
        return TM_STATE_REENTERING;
    if (seen->state != TM_STATE_PARKED || seen->object)
        return seen->state;
    for (jint i = 0; i < count && i < SLEEP_FRAMES; i++)
        if (is_method(jni, &frames[i], "Ljava/lang/VirtualThread;", "sleepNanos"))
            return TM_STATE_SLEEPING;
    return seen->state;
}

void tm__catch_up_held(tm__buffer *own, uint64_t thread, uint64_t object, int32_t depth,
                       int64_t time_ns)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, 0);

    if (!record) {
        tm__buffer_lose(own, time_ns);
        return;
    }
    record->kind = TM_EVENT_HELD;
    record->event.fact = (tm_event){
        .time_ns = time_ns,
        .thread = thread,
        .object = object,
        .value = depth,
        .kind = TM_EVENT_HELD,
        .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
    };
    tm__thread_ring_commit(&own->ring, record, 0);
}

/* The stack into the record in work, if the thread is still in the state that it said.
 * @return bytes of frames; -1: it moved */
static int64_t walk(JNIEnv *jni, tm__record *record, jthread thread, answer *a)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo *frames = (jvmtiFrameInfo *)(record + 1);
    jint depth = (jint)tm__the_options.depth, count = 0;
    int state = a->seen.state;

    if (state > TM_STATE_RUNNING &&
        (*jvmti)->GetStackTrace(jvmti, thread, 0, depth + 1, frames, &count) !=
            JVMTI_ERROR_NONE)
        count = 0;
    a->seen.state = state_by_stack(jni, &a->seen, frames, count);
    record->event.stack_flags = count > depth ? TM_STACK_TRUNCATED : 0;
    record->event.frame_count = (uint32_t)(count > depth ? depth : count);
    if (tm__the_options.stacks == TM__STACKS_NONE)
        record->event.frame_count = 0;
    return tm__thread_state(thread) == state
               ? (int64_t)(record->event.frame_count * sizeof(jvmtiFrameInfo))
               : -1;
}

/* Objects have been numbered by now: a ring has one record in work at a time. */
static int report(tm__buffer *own, JNIEnv *jni, jthread thread, answer *a)
{
    size_t room = (size_t)(tm__the_options.depth + 1) * sizeof(jvmtiFrameInfo);
    tm__record *record = tm__thread_ring_reserve(&own->ring, room);
    int64_t time_ns, bytes;

    if (!record) {
        tm__buffer_lose(own, tm__now_ns());
        return -1;
    }
    bytes = walk(jni, record, thread, a);
    if (bytes < 0 || a->seen.state == TM_STATE_UNKNOWN)
        return -1;
    time_ns = tm__now_ns();
    record->kind = TM_EVENT_SNAPSHOT;
    record->event.fact = (tm_event){
        .time_ns = time_ns,
        .thread = a->seen.thread,
        .object = a->seen.object,
        .peer = a->seen.state == TM_STATE_WAITING ? a->joined : a->seen.owner,
        .value = a->seen.state,
        .kind = TM_EVENT_SNAPSHOT,
    };
    record->event.fact.flags = record->event.fact.peer ? TM_EVENT_PEER_REPORTED : 0;
    if (a->seen.is_reader)
        record->event.fact.flags |= TM_EVENT_SHARED;
    if (a->seen.state > TM_STATE_RUNNING && tm__thread_is_timed(thread))
        record->event.fact.flags |= TM_EVENT_TIMED;
    tm__record_set_weak(&record->event, a->seen.state > TM_STATE_RUNNING
                                            ? (*jni)->NewWeakGlobalRef(jni, thread)
                                            : NULL);
    tm__methods_commit(own, record, (size_t)bytes);
    if (a->reports_held)
        tm__catch_up_held(own, a->seen.thread, 0, 0, time_ns);
    for (uint32_t i = 0; i < a->held_count; i++)
        /* A thread does not hold the object that it waits for. */
        if (a->held[i] && a->held[i] != a->seen.object)
            tm__catch_up_held(own, a->seen.thread, a->held[i], a->depths[i], time_ns);
    return 0;
}

static int is_left_out(int state)
{
    return !tm__the_options.monitor &&
           (state == TM_STATE_BLOCKED || state == TM_STATE_WAITING);
}

int tm__catch_up_ask(tm__catch_up_state *out, tm__buffer *own, JNIEnv *jni,
                     jthread thread, const tm__platform *platform)
{
    uint64_t id = tm__thread_id(jni, thread);
    int rc = -1;

    tm__watchdog_came();
    rc = tm__thread_define(own, jni, thread, id, 0, 0);
    if (rc == TM__NO_ROOM)
        tm__buffer_lose(own, tm__now_ns());
    if (rc != 0)
        return -1;
    rc = -1;
    for (int tries = 0; rc != 0 && tries < TRIES; tries++) {
        answer a = {.seen = {.thread = id}};

        rc = find_answer(&a, own, jni, thread, platform);
        /* Its end would not be reported. */
        if (rc == 0 && is_left_out(a.seen.state))
            rc = -1;
        if (rc == 0)
            rc = report(own, jni, thread, &a);
        *out = a.seen;
        free(a.held);
        free(a.depths);
    }
    return rc;
}
