/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The message about a deadlock, on stderr, at once: the lock that each member wants,
 * its owner, and two places on each member's stack: where it is blocked and where it
 * acquired the lock that the one before it wants. The members stand still, so the VM is
 * asked for all of this now; it may happen a few times in the life of a program.
 */
#include "blocked/deadlock_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/model.h>

#include "base/printable.h"
#include "blocked/long_blocked_table.h"
#include "blocked/thread_report.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/message.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/vm.h"

enum { FRAMES = 64 };

/* Describe a thread by its snapshot, which the VM gives an agent that attaches late
 * since release 25. */
static int name_by_snapshot(char *name, JNIEnv *jni, jthread thread)
{
    tm__thread_snapshot snapshot;
    int is_known;

    if (tm__thread_snapshot_read(&snapshot, jni, thread) != 0)
        return 0;
    is_known = snapshot.monitor != NULL;
    if (is_known)
        tm__report_object_name(name, jni, snapshot.monitor);
    tm__thread_snapshot_drop(jni, &snapshot);
    return is_known;
}

/* Name the monitor or synchronizer that a thread wants, or the thread whose end it
 * waits for. */
static void name_wanted(char *name, JNIEnv *jni, const tm__long_blocked *it,
                        jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__lock_info wanted = {0};
    jobject object = NULL;

    snprintf(name, TM__REPORT_NAME_BYTES, "something");
    if (!thread)
        return;
    if (it->state == TM_STATE_PARKED)
        object = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
    else if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &object) !=
             JVMTI_ERROR_NONE)
        object = NULL;
    if (!object && name_by_snapshot(name, jni, thread))
        return;
    if (!object) {
        tm__thread_mxbean_owner(jni, it->thread, &wanted);
        if (wanted.class)
            snprintf(name, TM__REPORT_NAME_BYTES, "%s@%x", wanted.class, wanted.hash);
        tm__printable(name);
        free(wanted.class);
        return;
    }
    tm__report_object_name(name, jni, object);
    (*jni)->DeleteLocalRef(jni, object);
}

/* The locks of each thread, by class and hash, as the VM reports them to an agent that
 * attaches late. */
typedef struct reported_late {
    tm__thread_info *infos;
    size_t count;
} reported_late;

/* At which frame a thread took the monitor that another wants; -1: not known. */
static int depth_by_hash(const reported_late *late, uint64_t thread, uint64_t other)
{
    const tm__thread_info *it =
        tm__thread_mxbean_find(late->infos, late->count, thread);
    const tm__thread_info *wants =
        tm__thread_mxbean_find(late->infos, late->count, other);

    if (!it || !wants || !wants->wanted.class)
        return -1;
    for (uint32_t i = 0; i < it->held_count; i++)
        if (it->held[i].hash == wants->wanted.hash && it->held[i].class &&
            strcmp(it->held[i].class, wants->wanted.class) == 0)
            return it->held[i].depth;
    return -1;
}

static int depth_of(const reported_late *late, const tm__long_blocked *it,
                    const tm__long_blocked *before)
{
    for (uint32_t i = 0; i < it->held_count; i++)
        if (it->held[i] == before->object)
            return it->depths[i];
    return depth_by_hash(late, it->thread, before->thread);
}

static void put_member(tm__report *out, JNIEnv *jni, const reported_late *late,
                       const tm__long_blocked *before, const tm__long_blocked *it,
                       const tm__long_blocked *next)
{
    static const char *const verbs[TM_STATE_END] = {
        [TM_STATE_BLOCKED] = "wants monitor",
        [TM_STATE_REENTERING] = "wants back monitor",
        [TM_STATE_JOINING] = "waits for the end of",
        [TM_STATE_PARKED] = "wants synchronizer",
    };
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    char name[TM__REPORT_NAME_BYTES], owner[TM__REPORT_NAME_BYTES],
        wanted[TM__REPORT_NAME_BYTES], taken[TM__REPORT_NAME_BYTES];
    jthread before_thread = tm__long_blocked_thread(jni, before);
    jthread thread = tm__long_blocked_thread(jni, it);
    jthread next_thread = tm__long_blocked_thread(jni, next);
    int depth = depth_of(late, it, before);
    jint count = 0;

    tm__report_thread_name(name, jni, thread);
    tm__report_thread_name(owner, jni, next_thread);
    name_wanted(taken, jni, before, before_thread);
    name_wanted(wanted, jni, it, thread);
    if (thread) {
        tm__report_put(out, "  \"%s\" (thread %llu) %s", name,
                       (unsigned long long)it->thread, verbs[it->state]);
        if (it->state != TM_STATE_JOINING)
            tm__report_put(out, " %s, which is held by", wanted);
        tm__report_put(out, " \"%s\" (thread %llu)", owner,
                       (unsigned long long)next->thread);
        if (it->timeout_ns > 0)
            tm__report_put(out, ", for at most %lld ms",
                           (long long)(it->timeout_ns / 1000000 +
                                       (it->timeout_ns % 1000000 != 0)));
        tm__report_put(out, "\n");
        if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
            JVMTI_ERROR_NONE)
            count = 0;
    }
    for (jint i = 0; i < count; i++) {
        tm__report_frame(out, jni, &frames[i]);
        if (i == depth)
            tm__report_put(out, "        - took %s here\n", taken);
    }
    (*jni)->DeleteLocalRef(jni, before_thread);
    (*jni)->DeleteLocalRef(jni, thread);
    (*jni)->DeleteLocalRef(jni, next_thread);
}

/* When it was found, by the clock on the wall, and how long it is since the last of
 * them got stuck. */
static void put_head(tm__report *out, tm__long_blocked *const *members, size_t count)
{
    const tm__long_blocked *last = members[0];
    int is_timed = members[0]->timeout_ns > 0;
    struct timespec wall;
    struct tm utc;

    for (size_t i = 1; i < count; i++) {
        if (members[i]->since_ns > last->since_ns)
            last = members[i];
        is_timed |= members[i]->timeout_ns > 0;
    }
    clock_gettime(CLOCK_REALTIME, &wall);
    gmtime_r(&wall.tv_sec, &utc);
    tm__report_put(out,
                   "threadmodel: deadlock of %zu threads, found at "
                   "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ, %lld ms after it %s%s\n",
                   count, utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                   utc.tm_min, utc.tm_sec, wall.tv_nsec / 1000000,
                   (long long)((tm__now_ns() - last->since_ns) / 1000000),
                   last->is_older ? "was first seen" : "began",
                   is_timed ? "; a timeout will break it" : "");
}

void tm__deadlock_message_print(JNIEnv *jni, tm__long_blocked *const *members,
                                size_t count)
{
    tm__report out;
    reported_late late = {0};

    if (tm__report_open(&out) < 0) {
        tm__message("deadlock of %zu threads, and no memory to name them", count);
        return;
    }
    put_head(&out, members, count);
    /* The VM stands still for this, some milliseconds. */
    if (!tm__the_vm.reports_held)
        late.count = tm__thread_mxbean_threads(&late.infos, jni, NULL, 0);
    for (size_t i = 0; i < count; i++)
        put_member(&out, jni, &late, members[(i + count - 1) % count], members[i],
                   members[(i + 1) % count]);
    tm__report_print(&out);
    tm__thread_mxbean_free(late.infos, late.count);
}
