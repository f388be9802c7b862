/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to the VM about a blocked thread, from the writer thread. None of them
 * stops the VM. An answer may be about the moment just after the thread went on: its
 * users wait until events have shown that it did not.
 */
#include "blocked/long_blocked_ask.h"

#include <stdlib.h>
#include <string.h>

#include <threadmodel/model.h>

#include "blocked/long_blocked_table.h"
#include "capture/park_facts.h"
#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "vm/java_fields.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/vm.h"

static uint64_t owner_of(JNIEnv *jni, jobject synchronizer)
{
    jobject owner =
        (*jni)->GetObjectField(jni, synchronizer, tm__the_java.synchronizer_owner);
    uint64_t id = tm__thread_id(jni, owner);

    if (owner)
        (*jni)->DeleteLocalRef(jni, owner);
    return id;
}

/* The owner, or a reader. A thread that waits for itself is in no circle of several: it
 * is found as one that is stuck. */
static uint64_t who_has(JNIEnv *jni, jobject synchronizer, uint64_t thread,
                        int *is_shared)
{
    uint64_t owner = owner_of(jni, synchronizer);

    *is_shared = 0;
    if (owner)
        return owner;
    owner = tm__reader_before(jni, synchronizer, thread);
    if (owner == thread)
        return 0;
    *is_shared = owner != 0;
    return owner;
}

jobject tm__synchronizer_of(JNIEnv *jni, jthread thread)
{
    jobject blocker = NULL;

    if (tm__the_java.thread_blocker && tm__the_java.synchronizer_owner)
        blocker = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
    if (blocker &&
        !(*jni)->IsInstanceOf(jni, blocker, tm__the_java.synchronizer_class)) {
        (*jni)->DeleteLocalRef(jni, blocker);
        blocker = NULL;
    }
    return blocker;
}

/* A wait may be for the end of a thread, or be over but for the monitor. */
static int ask_wait(tm__long_blocked *it, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint state = 0;

    if ((*jvmti)->GetThreadState(jvmti, thread, &state) != JVMTI_ERROR_NONE)
        return 0;
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        it->state = TM_STATE_REENTERING;
    else
        it->state =
            it->owner && it->owner != it->thread ? TM_STATE_JOINING : TM_STATE_WAITING;
    return 1;
}

static int ask_state(JNIEnv *jni, tm__long_blocked *it, jthread thread)
{
    jobject synchronizer;
    int is_shared;

    switch (it->kind) {
    case TM_EVENT_CONTENDED_ENTER: it->state = TM_STATE_BLOCKED; return 1;
    case TM_EVENT_JOIN: it->state = TM_STATE_JOINING; return 1;
    case TM_EVENT_WAIT: return ask_wait(it, thread);
    default: break;
    }
    synchronizer = tm__synchronizer_of(jni, thread);
    it->state = synchronizer ? TM_STATE_PARKED : TM_STATE_UNKNOWN;
    if (!synchronizer)
        return 0;
    it->owner = who_has(jni, synchronizer, it->thread, &is_shared);
    it->is_shared = (uint8_t)is_shared;
    (*jni)->DeleteLocalRef(jni, synchronizer);
    return 1;
}

static void keep(tm__long_blocked *it, JNIEnv *jni, tm__buffer *own,
                 const jvmtiMonitorStackDepthInfo *monitors, jint count)
{
    int waits = it->kind == TM_EVENT_WAIT;

    it->owner = it->state == TM_STATE_BLOCKED ? 0 : it->owner;

    free(it->held);
    free(it->depths);
    it->held_count = 0;
    it->held = calloc((size_t)count + 1, sizeof(*it->held));
    it->depths = calloc((size_t)count + 1, sizeof(*it->depths));
    it->is_held_known = it->held && it->depths;
    for (jint i = 0; it->held && it->depths && i < count; i++) {
        uint64_t object = tm__object_id(own, jni, monitors[i].monitor);

        /* A thread that has the monitor that it queued for has continued, and is about
         * to report that. */
        if (!object || (it->state == TM_STATE_BLOCKED && object == it->object))
            it->is_held_known = 0;
        if (!object || ((waits || !it->is_held_known) && object == it->object))
            continue;
        it->held[it->held_count] = object;
        it->depths[it->held_count++] = monitors[i].stack_depth;
    }
}

/* The same where JVM TI tells none to those who come late. */
static int ask_held_late(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it,
                         jthread thread)
{
    tm__thread_snapshot snapshot;

    if (tm__thread_snapshot_read(&snapshot, jni, thread) != 0)
        return 0;
    if (snapshot.is_whole)
        keep(it, jni, own, snapshot.held, (jint)snapshot.held_count);
    tm__thread_snapshot_drop(jni, &snapshot);
    return it->held && it->depths;
}

static int may_ask_held(JNIEnv *jni, jthread thread)
{
    return tm__the_vm.reports_virtual || !tm__the_java.virtual_class ||
           !(*jni)->IsInstanceOf(jni, thread, tm__the_java.virtual_class);
}

static int ask_held(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiMonitorStackDepthInfo *monitors = NULL;
    jint count = 0;

    /* The thread itself reported this when it blocked. */
    if (!may_ask_held(jni, thread))
        return 1;
    if ((*jvmti)->GetOwnedMonitorStackDepthInfo(jvmti, thread, &count, &monitors) !=
        JVMTI_ERROR_NONE)
        return ask_held_late(jni, own, it, thread);
    keep(it, jni, own, monitors, count);
    for (jint i = 0; i < count; i++)
        (*jni)->DeleteLocalRef(jni, monitors[i].monitor);
    if (monitors)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)monitors);
    return it->held && it->depths;
}

uint64_t tm__long_blocked_owner(JNIEnv *jni, const tm__long_blocked *it, int *is_shared)
{
    jthread thread;
    jobject synchronizer;
    uint64_t owner;

    *is_shared = 0;
    if (it->state != TM_STATE_PARKED)
        return tm__thread_mxbean_owner(jni, it->thread, NULL);
    thread = tm__long_blocked_thread(jni, it);
    synchronizer = thread ? tm__synchronizer_of(jni, thread) : NULL;
    owner = synchronizer ? who_has(jni, synchronizer, it->thread, is_shared) : 0;
    if (synchronizer)
        (*jni)->DeleteLocalRef(jni, synchronizer);
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
    return owner;
}

static void set_owner(JNIEnv *jni, tm__long_blocked *it)
{
    int is_shared;

    it->owner = tm__long_blocked_owner(jni, it, &is_shared);
    it->is_shared = (uint8_t)is_shared;
}

int tm__long_blocked_query(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it)
{
    jthread thread = tm__long_blocked_thread(jni, it);
    int answered;

    if (!thread)
        return 0;
    answered = ask_state(jni, it, thread);
    it->is_unanswered = 0;
    if (answered && tm__the_vm.reports_held) {
        answered = ask_held(jni, own, it, thread);
        it->is_unanswered = !answered;
    } else if (answered && tm__long_blocked_has_owner(it)) {
        set_owner(jni, it);
    }
    (*jni)->DeleteLocalRef(jni, thread);
    /* A waiter that holds nothing else holds up nobody, whenever it is notified. */
    return answered && (it->state != TM_STATE_WAITING || it->held_count);
}

int tm__long_blocked_has_owner(const tm__long_blocked *it)
{
    return it->state == TM_STATE_PARKED ||
           ((it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING) &&
            !tm__the_vm.reports_held);
}

int tm__long_blocked_may_change(const tm__long_blocked *it)
{
    return it->is_unanswered || tm__long_blocked_has_owner(it) ||
           it->state == TM_STATE_BLOCKED ||
           (it->state == TM_STATE_WAITING &&
            (it->held_count || !tm__the_vm.reports_held));
}

int tm__long_blocked_query_again(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread thread;
    jint state = 0;

    if (it->is_unanswered)
        return tm__long_blocked_query(jni, own, it);
    if (tm__long_blocked_has_owner(it)) {
        uint64_t owner = it->owner;

        set_owner(jni, it);
        return it->owner != owner;
    }
    if (it->state != TM_STATE_WAITING)
        return 0;
    thread = tm__long_blocked_thread(jni, it);
    if (!thread)
        return 0;
    if ((*jvmti)->GetThreadState(jvmti, thread, &state) == JVMTI_ERROR_NONE &&
        state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        it->state = TM_STATE_REENTERING;
    (*jni)->DeleteLocalRef(jni, thread);
    if (it->state == TM_STATE_REENTERING && tm__long_blocked_has_owner(it))
        set_owner(jni, it);
    return it->state == TM_STATE_REENTERING;
}
