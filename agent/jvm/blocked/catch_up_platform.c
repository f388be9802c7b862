/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each answer comes with a stack, and goes through the writer's own ring, which holds
 * some hundred of them. java.lang.management is asked about the threads that come next:
 * its answer is about one instant, and stops the VM.
 *
 *      ask until the ring is half full ──▶ a round empties it ──▶ ask on
 */
#include "blocked/catch_up_platform.h"

#include <stdio.h>

#include <threadmodel/error.h>

#include "blocked/catch_up_ask.h"
#include "blocked/catch_up_virtual.h"
#include "ident/monitor_owner.h"
#include "ident/objects_by_hash.h"
#include "ident/thread_id.h"
#include "ring/recording_state.h"
#include "ring/watchdog.h"
#include "vm/thread_mxbean.h"
#include "vm/vm.h"

/* The answer of java.lang.management about so many is read at once. */
enum { AT_ONCE = 128, LOCALS = 64 };

static tm__platform platform;
static jint asked, read_until; /* of platform.all: answers exist up to here */
static uint64_t newest;
static int (*has_spoken)(uint64_t thread);

void tm__catch_up_platform_begin(JNIEnv *jni, jthread self, uint64_t last,
                                 int (*spoken)(uint64_t thread))
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint others = 0;

    platform = (tm__platform){0};
    asked = read_until = 0;
    newest = last;
    has_spoken = spoken;
    if ((*jvmti)->GetAllThreads(jvmti, &platform.count, &platform.all) !=
        JVMTI_ERROR_NONE) {
        platform = (tm__platform){0};
        tm__by_hash_seal();
    }
    /* They stay for some rounds, beside what each question needs. */
    if ((*jni)->EnsureLocalCapacity(jni, platform.count + LOCALS) != 0)
        (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < platform.count; i++) {
        jthread thread = platform.all[i];

        if ((*jni)->IsSameObject(jni, thread, self)) {
            (*jni)->DeleteLocalRef(jni, thread);
            continue;
        }
        tm__watchdog_came();
        tm__monitor_owner_register_other(jni, thread, tm__thread_id(jni, thread));
        platform.all[others++] = thread;
    }
    platform.count = others;
}

static int is_to_be_asked(uint64_t id)
{
    return id <= newest && !has_spoken(id);
}

static void read_infos(JNIEnv *jni)
{
    jlong ids[AT_ONCE];
    jint count = 0;

    tm__thread_mxbean_free(platform.infos, platform.info_count);
    platform.infos = NULL;
    platform.info_count = 0;
    for (read_until = asked; read_until < platform.count && count < AT_ONCE;
         read_until++) {
        uint64_t id = tm__thread_id(jni, platform.all[read_until]);

        if (is_to_be_asked(id))
            ids[count++] = (jlong)id;
    }
    if (count)
        platform.info_count =
            tm__thread_mxbean_threads(&platform.infos, jni, ids, count);
}

static void ask(JNIEnv *jni, tm__buffer *own, jthread thread)
{
    tm__catch_up_state seen;

    if (is_to_be_asked(tm__thread_id(jni, thread)) &&
        tm__catch_up_ask(&seen, own, jni, thread, &platform) == 0)
        tm__catch_up_virtual_note(&seen);
}

int tm__catch_up_platform_round(JNIEnv *jni, tm__buffer *own)
{
    if (!platform.all)
        return 1;
    while (asked < platform.count && !tm__thread_ring_is_half_full(&own->ring)) {
        if (asked >= read_until && !tm__the_vm.reports_held)
            read_infos(jni);
        ask(jni, own, platform.all[asked++]);
    }
    /* In the next round it would be too old: a monitor may have another owner by then.
     */
    read_until = asked;
    if (asked < platform.count)
        return 0;
    tm__catch_up_platform_end(jni);
    return 1;
}

int tm__catch_up_platform_is_due(void)
{
    return platform.all != NULL;
}

int tm__catch_up_platform_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char sentence[200];

    if (!platform.all)
        return TM_OK;
    snprintf(
        sentence, sizeof(sentence),
        "%d of %d platform threads that existed when recording began were queried: "
        "the others, and virtual threads, appear with their first event.",
        (int)asked, (int)platform.count);
    return sink->caveat(sink->payload, sentence);
}

void tm__catch_up_platform_end(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    if (!platform.all)
        return;
    /* These references identify joined threads until the last thread has been asked. */
    for (jint i = 0; i < platform.count; i++)
        (*jni)->DeleteLocalRef(jni, platform.all[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)platform.all);
    tm__thread_mxbean_free(platform.infos, platform.info_count);
    platform = (tm__platform){0};
    tm__by_hash_seal();
}
