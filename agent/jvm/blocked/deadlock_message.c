/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deadlock for people, on stderr, at once: who wants what, who has it, and both
 * places of every member on its stack, where it stands and where it took what the
 * one before it wants. The members stand still, so the VM is asked for it all now;
 * it may happen a few times in the life of a program.
 */
#include "blocked/deadlock_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/model.h>

#include "base/printable.h"
#include "blocked/class_wait.h"
#include "blocked/long_blocked_table.h"
#include "capture/park_facts.h"
#include "ident/thread_id.h"
#include "rings/clock.h"
#include "trace/modified_utf8.h"
#include "vm/java_fields.h"
#include "vm/message.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/vm.h"

enum { NAME_BYTES = 512, FRAMES = 64, TEXT_BYTES = 64 * 1024 };

/* All of it goes out in one write, or lines of the program would come between. */
typedef struct text {
    char *bytes;
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *out, const char *format,
                                                      ...)
{
    size_t room = TEXT_BYTES - out->used;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(out->bytes + out->used, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        out->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Names are the program's: in all that is printed of them only text is left. */
static void copy_name(char *name, const char *given)
{
    tm__text_utf8(name, NAME_BYTES, given, strlen(given));
    tm__printable(name);
}

static void name_thread(char *name, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiThreadInfo info = {0};

    *name = 0;
    if (!thread || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return;
    if (info.name)
        copy_name(name, info.name);
    tm__deallocate(info.name);
    if (info.thread_group)
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    if (info.context_class_loader)
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

static void name_class(char *name, jclass class)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;

    snprintf(name, NAME_BYTES, "?");
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
        tm__text_class(name, NAME_BYTES, signature, strlen(signature));
    tm__printable(name);
    tm__deallocate(signature);
}

/* "Left@1b2c3d", as Java writes it. */
static void name_object(char *name, JNIEnv *jni, jobject object)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class = (*jni)->GetObjectClass(jni, object);
    size_t length;
    jint hash = 0;

    name_class(name, class);
    (*jni)->DeleteLocalRef(jni, class);
    length = strlen(name);
    if ((*jvmti)->GetObjectHashCode(jvmti, object, &hash) == JVMTI_ERROR_NONE)
        snprintf(name + length, NAME_BYTES - length, "@%x", (unsigned)hash);
}

/* What the VM says to those who come late, since release 25. */
static int name_by_snapshot(char *name, JNIEnv *jni, jthread thread)
{
    tm__thread_snapshot snapshot;
    int is_known;

    if (tm__thread_snapshot_read(&snapshot, jni, thread) != 0)
        return 0;
    is_known = snapshot.monitor != NULL;
    if (is_known)
        name_object(name, jni, snapshot.monitor);
    tm__thread_snapshot_drop(jni, &snapshot);
    return is_known;
}

/* What a thread wants: a monitor, a synchronizer or the end of another. */
static void name_wanted(char *name, JNIEnv *jni, const tm__long_blocked *it,
                        jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__lock_info wanted = {0};
    jobject object = NULL;

    snprintf(name, NAME_BYTES, "something");
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
            snprintf(name, NAME_BYTES, "%s@%x", wanted.class, wanted.hash);
        tm__printable(name);
        free(wanted.class);
        return;
    }
    name_object(name, jni, object);
    (*jni)->DeleteLocalRef(jni, object);
}

static int line_of(jmethodID method, jlocation location)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiLineNumberEntry *entries = NULL;
    jlocation best = -1;
    jint count = 0;
    int line = 0;

    if ((*jvmti)->GetLineNumberTable(jvmti, method, &count, &entries) !=
        JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++) {
        if (entries[i].start_location > location || entries[i].start_location <= best)
            continue;
        best = entries[i].start_location;
        line = entries[i].line_number;
    }
    tm__deallocate(entries);
    return line;
}

static void put_frame(text *out, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *method = NULL, *source = NULL;
    char class_name[NAME_BYTES] = "?", method_name[NAME_BYTES] = "?";
    char source_name[NAME_BYTES] = "Unknown Source";
    jclass class = NULL;
    int line = line_of(frame->method, frame->location);

    if ((*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) ==
            JVMTI_ERROR_NONE &&
        class) {
        name_class(class_name, class);
        if ((*jvmti)->GetSourceFileName(jvmti, class, &source) != JVMTI_ERROR_NONE)
            source = NULL;
        (*jni)->DeleteLocalRef(jni, class);
    }
    if ((*jvmti)->GetMethodName(jvmti, frame->method, &method, NULL, NULL) !=
        JVMTI_ERROR_NONE)
        method = NULL;
    if (method)
        copy_name(method_name, method);
    if (source)
        copy_name(source_name, source);
    put(out, "      at %s.%s(%s", class_name, method_name,
        frame->location == -1 ? "Native Method" : source_name);
    if (line > 0)
        put(out, ":%d", line);
    put(out, ")\n");
    tm__deallocate(method);
    tm__deallocate(source);
}

/* What the VM says to those who come later: each thread's locks, by class and hash. */
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

static void put_member(text *out, JNIEnv *jni, const reported_late *late,
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
    char name[NAME_BYTES], owner[NAME_BYTES], wanted[NAME_BYTES], taken[NAME_BYTES];
    jthread before_thread = tm__long_blocked_thread(jni, before);
    jthread thread = tm__long_blocked_thread(jni, it);
    jthread next_thread = tm__long_blocked_thread(jni, next);
    int depth = depth_of(late, it, before);
    jint count = 0;

    name_thread(name, jni, thread);
    name_thread(owner, jni, next_thread);
    name_wanted(taken, jni, before, before_thread);
    name_wanted(wanted, jni, it, thread);
    if (thread) {
        put(out, "  \"%s\" (thread %llu) %s", name, (unsigned long long)it->thread,
            verbs[it->state]);
        if (it->state != TM_STATE_JOINING)
            put(out, " %s, which is held by", wanted);
        put(out, " \"%s\" (thread %llu)", owner, (unsigned long long)next->thread);
        if (it->timeout_ns > 0)
            put(out, ", for at most %lld ms",
                (long long)(it->timeout_ns / 1000000 +
                            (it->timeout_ns % 1000000 != 0)));
        put(out, "\n");
        if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
            JVMTI_ERROR_NONE)
            count = 0;
    }
    for (jint i = 0; i < count; i++) {
        put_frame(out, jni, &frames[i]);
        if (i == depth)
            put(out, "        - took %s here\n", taken);
    }
    (*jni)->DeleteLocalRef(jni, before_thread);
    (*jni)->DeleteLocalRef(jni, thread);
    (*jni)->DeleteLocalRef(jni, next_thread);
}

/* When it was found, by the clock on the wall, and how long it is since the last of
 * them got stuck. */
static void put_head(text *out, tm__long_blocked *const *members, size_t count)
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
    put(out,
        "threadmodel: deadlock of %zu threads, found at "
        "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ, %lld ms after it %s%s\n",
        count, utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
        utc.tm_sec, wall.tv_nsec / 1000000,
        (long long)((tm__now_ns() - last->since_ns) / 1000000),
        last->is_older ? "was first seen" : "began",
        is_timed ? "; a timeout will break it" : "");
}

void tm__deadlock_message_print(JNIEnv *jni, tm__long_blocked *const *members,
                                size_t count)
{
    text out = {.bytes = malloc(TEXT_BYTES)};
    reported_late late = {0};

    if (!out.bytes) {
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
    tm__message_lines(out.bytes, out.used);
    tm__thread_mxbean_free(late.infos, late.count);
    free(out.bytes);
}

static void put_stack(text *out, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint count = 0;

    if ((*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count) !=
        JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; i < count; i++)
        put_frame(out, jni, &frames[i]);
}

/* Another thread, by its number, and what it does with what is waited for. */
static void put_other(text *out, JNIEnv *jni, uint64_t id, const char *does)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char name[NAME_BYTES];
    jthread *all = NULL;
    jint count = 0;

    if (!id || (*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (tm__thread_id(jni, all[i]) == id) {
            name_thread(name, jni, all[i]);
            put(out, ", which \"%s\" %s", name, does);
        }
        (*jni)->DeleteLocalRef(jni, all[i]);
    }
    tm__deallocate((char *)all);
}

/* Of a read-write lock: whether the thread reads what it waits to write, or who else
 * reads it. */
static void put_reader(text *out, JNIEnv *jni, jthread thread, jobject lock)
{
    uint64_t id = tm__thread_id(jni, thread);
    uint64_t reader = tm__reader_before(jni, lock, id);

    if (reader && reader == id)
        put(out, ", which it reads itself");
    else
        put_other(out, jni, reader, "reads");
}

static void put_waiting(text *out, JNIEnv *jni, jthread thread)
{
    const tm__class_wait *class_wait = tm__class_wait_of(tm__thread_id(jni, thread));
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char name[NAME_BYTES], wanted[NAME_BYTES];
    jobject object = NULL;

    name_thread(name, jni, thread);
    if (class_wait) {
        put(out, "  \"%s\" waits for the initialisation of %s", name,
            class_wait->class_name);
        put_other(out, jni, class_wait->owner, "runs");
        put(out, "\n");
        put_stack(out, jni, thread);
        return;
    }
    if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &object) !=
        JVMTI_ERROR_NONE)
        object = NULL;
    if (!object && tm__the_java.thread_blocker)
        object = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
    put(out, "  \"%s\" waits", name);
    if (object) {
        name_object(wanted, jni, object);
        put(out, " for %s", wanted);
        put_reader(out, jni, thread, object);
        (*jni)->DeleteLocalRef(jni, object);
    }
    put(out, "\n");
    put_stack(out, jni, thread);
}

void tm__standstill_message_print(JNIEnv *jni, const jthread *threads, size_t shown,
                                  size_t count, int64_t for_ns)
{
    text out = {.bytes = malloc(TEXT_BYTES)};

    if (!out.bytes) {
        tm__message("stuck: no thread can go on, and no memory to name them");
        return;
    }
    put(&out,
        "threadmodel: stuck for at least %lld s: no thread of the program can go on; "
        "%zu thread%s\n",
        (long long)(for_ns / 1000000000), count, count == 1 ? " waits" : "s wait");
    for (size_t i = 0; i < shown; i++)
        put_waiting(&out, jni, threads[i]);
    if (shown < count)
        put(&out, "  and %zu more\n", count - shown);
    tm__message_lines(out.bytes, out.used);
    free(out.bytes);
}

void tm__class_circle_message_print(JNIEnv *jni, const jthread *threads, size_t count,
                                    int64_t for_ns)
{
    text out = {.bytes = malloc(TEXT_BYTES)};

    if (!out.bytes) {
        tm__message("deadlock of %zu threads that initialise classes, and no memory to "
                    "name them",
                    count);
        return;
    }
    put(&out,
        "threadmodel: deadlock of %zu threads that initialise classes, for at least "
        "%lld s\n",
        count, (long long)(for_ns / 1000000000));
    for (size_t i = 0; i < count; i++)
        put_waiting(&out, jni, threads[i]);
    tm__message_lines(out.bytes, out.used);
    free(out.bytes);
}
