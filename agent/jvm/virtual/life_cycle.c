/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual threads' begin and end, and their carriers. The tool interface has the
 * former since release 21 and the latter as an extension of HotSpot's; the headers
 * that we compile with may be older, and know neither. A program that mounts a million
 * times a second pays for each, so carriers are reported by option.
 */
#include "virtual/life_cycle.h"

#include <stdatomic.h>
#include <string.h>

#include "capture/event_report.h"
#include "ident/thread_identity.h"
#include "ring/recording_state.h"
#include "vm/java_fields.h"
#include "vm/options.h"
#include "vm/vm.h"

/* Numbers of the tool interface 21. */
enum { CAN_SUPPORT_VIRTUAL_THREADS = 44, VIRTUAL_START = 87, VIRTUAL_END = 88 };
enum { EVENTS = VIRTUAL_END - JVMTI_MIN_EVENT_TYPE_VAL + 1 };

typedef void(JNICALL *life)(jvmtiEnv *, JNIEnv *, jthread);

/* All callbacks, those that the header does not know of included. */
typedef union callbacks {
    jvmtiEventCallbacks known;
    life slots[EVENTS];
} callbacks;

static int is_able; /* the VM has virtual threads, and tells of them */

static int bit(const jvmtiCapabilities *capabilities)
{
    uint64_t word;

    memcpy(&word, capabilities, sizeof(word));
    return (int)(word >> CAN_SUPPORT_VIRTUAL_THREADS & 1);
}

static void report(JNIEnv *jni, jthread thread, tm_event event)
{
    tm__event_report r;

    if (!tm__event_report_begin(&r, jni, thread))
        return;
    if (event.kind == TM_EVENT_VIRTUAL_MOUNT)
        event.peer = r.buffer->thread;
    tm__event_report_finish(&r, TM__NO_STACK, event);
}

static void JNICALL began(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    report(jni, thread, (tm_event){.kind = TM_EVENT_THREAD_START});
}

static int has_name(JNIEnv *jni, jthread thread)
{
    jfieldID field = tm__the_java.thread_name;
    jstring name = field ? (*jni)->GetObjectField(jni, thread, field) : NULL;
    int is_there = name && (*jni)->GetStringUTFLength(jni, name) > 0;

    if (name)
        (*jni)->DeleteLocalRef(jni, name);
    return is_there;
}

/* No native method tells that a virtual thread is given another name. */
static void JNICALL ended(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    tm__event_report r;

    (void)jvmti;
    if (!tm__event_report_begin(&r, jni, thread))
        return;
    if (has_name(jni, thread))
        tm__thread_define(r.buffer, jni, thread, r.thread, 0, 0);
    /* A wake-up by its carrier that follows, of threads that wait for it, counts as its
     * own. */
    tm__event_report_finish(
        &r, TM__NO_STACK,
        (tm_event){.kind = TM_EVENT_THREAD_END, .peer = r.buffer->thread});
}

static void JNICALL mounted(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    report(jni, thread, (tm_event){.kind = TM_EVENT_VIRTUAL_MOUNT});
}

static void JNICALL unmounted(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    report(jni, thread, (tm_event){.kind = TM_EVENT_VIRTUAL_UNMOUNT});
}

void tm__virtual_want(jvmtiCapabilities *wanted, const jvmtiCapabilities *able)
{
    uint64_t word;

    if (!bit(able))
        return;
    memcpy(&word, wanted, sizeof(word));
    word |= UINT64_C(1) << CAN_SUPPORT_VIRTUAL_THREADS;
    memcpy(wanted, &word, sizeof(word));
    is_able = 1;
}

jvmtiError tm__virtual_callbacks(const jvmtiEventCallbacks *known)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    callbacks all = {.slots = {NULL}};

    memcpy(&all, known, sizeof(*known));
    all.slots[VIRTUAL_START - JVMTI_MIN_EVENT_TYPE_VAL] = began;
    all.slots[VIRTUAL_END - JVMTI_MIN_EVENT_TYPE_VAL] = ended;
    return (*jvmti)->SetEventCallbacks(jvmti, &all.known, sizeof(all));
}

static void set_mode(int on, jint event)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    (*jvmti)->SetEventNotificationMode(jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                       (jvmtiEvent)event, NULL);
}

/* Free the parts of a description of an extension event. */
static void deallocate(const jvmtiExtensionEventInfo *info)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    (*jvmti)->Deallocate(jvmti, (unsigned char *)info->id);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info->short_description);
    for (jint i = 0; i < info->param_count; i++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)info->params[i].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info->params);
}

/* Have the VM tell of mounts, where it knows them by these names. */
static void set_mounts(int on)
{
    static const struct {
        const char *id;
        union {
            life function;
            jvmtiExtensionEvent extension; ///< as it is handed over
        } ours;
    } MOUNTS[] = {{"com.sun.hotspot.events.VirtualThreadMount", {mounted}},
                  {"com.sun.hotspot.events.VirtualThreadUnmount", {unmounted}}};
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiExtensionEventInfo *events = NULL;
    jint count = 0;

    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        for (size_t m = 0; m < sizeof(MOUNTS) / sizeof(*MOUNTS); m++)
            if (strcmp(events[i].id, MOUNTS[m].id) == 0) {
                (*jvmti)->SetExtensionEventCallback(
                    jvmti, events[i].extension_event_index,
                    on ? MOUNTS[m].ours.extension : NULL);
                set_mode(on, events[i].extension_event_index);
                atomic_fetch_or(&tm__the_recording.kinds,
                                TM__KIND(VIRTUAL_MOUNT) | TM__KIND(VIRTUAL_UNMOUNT));
            }
        deallocate(&events[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}

void tm__virtual_enable(int on)
{
    if (!is_able)
        return;
    set_mode(on, VIRTUAL_START);
    set_mode(on, VIRTUAL_END);
    if (tm__the_options.mount)
        set_mounts(on);
}
