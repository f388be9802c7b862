/* SPDX-License-Identifier: Apache-2.0 */
/* The native methods of our class (source/): each reports what its caller is about to
 * do or has done. */
#include "virtual/native_methods.h"

#include <stdatomic.h>

#include "capture/event_report.h"
#include "capture/park_facts.h"
#include "capture/virtual_calls.h"
#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "virtual_class.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

/* A native method of that class. The VM finds it by its name: it looks into agents, and
 * RegisterNatives makes it warn of what is registered from outside the JDK. */
#define NATIVE(type, name, ...)                                                        \
    JNIEXPORT type JNICALL Java_java_lang_ThreadmodelVirtual_##name(                   \
        JNIEnv *jni, jclass class, __VA_ARGS__);                                       \
    JNIEXPORT type JNICALL Java_java_lang_ThreadmodelVirtual_##name(                   \
        JNIEnv *jni, jclass class, __VA_ARGS__)

enum { PROBE_FRAMES = 2 };

/* Begin an event of the calling thread, with its stack without the frames of our class.
 */
static int begin(tm__event_report *r, JNIEnv *jni, jthread *thread)
{
    *thread = tm__the_vm.replaces_natives ? tm__event_report_thread() : NULL;
    if (!*thread)
        return 0;
    if (!tm__event_report_begin(r, jni, *thread)) {
        (*jni)->DeleteLocalRef(jni, *thread);
        return 0;
    }
    r->skipped_frames = PROBE_FRAMES;
    return 1;
}

/* The same of what begins, which a budget may leave out; the end of what was reported
 * is reported. */
static int begin_new(tm__event_report *r, JNIEnv *jni, jthread *thread)
{
    return !tm__event_report_is_left_out() && begin(r, jni, thread);
}

/* @return when the blocking interval began */
static jlong blocked(tm__event_report *r, JNIEnv *jni, jthread thread, tm_event event)
{
    if (r->is_virtual)
        r->weak = (*jni)->NewWeakGlobalRef(jni, thread);
    tm__virtual_block_begin(r);
    if (tm__event_report_finish(r, TM__WHOLE_STACK, event) != 0 && r->weak)
        (*jni)->DeleteWeakGlobalRef(jni, r->weak);
    (*jni)->DeleteLocalRef(jni, thread);
    return r->time_ns;
}

NATIVE(jlong, parking, jlong timeout_ns)
{
    tm__event_report r;
    tm__parked parked;
    tm_event event;
    jthread thread;

    (void)class;
    if (!begin_new(&r, jni, &thread))
        return 0;
    if (tm__virtual_joins(r.thread)) {
        tm__event_report_drop(&r);
        (*jni)->DeleteLocalRef(jni, thread);
        return 0;
    }
    parked = tm__parked_read(r.buffer, jni, thread, &r.time_ns);
    tm__park_report_release(&r, &parked);
    event = tm__park_event(&parked);
    event.value = timeout_ns;
    return blocked(&r, jni, thread, event);
}

NATIVE(void, parked, jlong began_ns, jlong timeout_ns)
{
    tm__event_report r;
    tm_event event;
    jthread thread;

    (void)class;
    if (!began_ns || !begin(&r, jni, &thread))
        return;
    tm__virtual_block_end(&r);
    event = tm__park_end_event(&r, jni, thread, timeout_ns, began_ns);
    tm__event_report_finish(&r, TM__NO_STACK, event);
    (*jni)->DeleteLocalRef(jni, thread);
}

static void report_call(JNIEnv *jni, jthread other, uint32_t depth, uint16_t kind)
{
    tm__event_report r;
    jthread thread;

    if (!begin_new(&r, jni, &thread))
        return;
    tm__event_report_finish(
        &r, depth, (tm_event){.kind = kind, .peer = tm__thread_id(jni, other)});
    (*jni)->DeleteLocalRef(jni, thread);
}

NATIVE(void, unparking, jthread other)
{
    tm__event_report r;
    tm__parked parked;
    jthread thread;
    uint64_t id = tm__thread_id(jni, other);

    (void)class;
    if (tm__virtual_joins(id) || !begin_new(&r, jni, &thread))
        return;
    parked = tm__parked_read(r.buffer, jni, other, &r.time_ns);
    tm__event_report_finish(&r, TM__CALLER, tm__unpark_event(&parked, id));
    (*jni)->DeleteLocalRef(jni, thread);
}

NATIVE(void, starting, jthread other)
{
    (void)class;
    report_call(jni, other, TM__WHOLE_STACK, TM_EVENT_THREAD_START_CALLED);
}

NATIVE(void, interrupting, jthread other)
{
    (void)class;
    report_call(jni, other, TM__CALLER, TM_EVENT_INTERRUPT_CALLED);
}

NATIVE(jlong, sleeping, jlong timeout_ns)
{
    tm__event_report r;
    jthread thread;

    (void)class;
    if (!begin_new(&r, jni, &thread))
        return 0;
    return blocked(&r, jni, thread,
                   (tm_event){.kind = TM_EVENT_SLEEP, .value = timeout_ns});
}

NATIVE(void, slept, jlong began_ns, jboolean interrupted)
{
    tm__event_report r;
    jthread thread;

    (void)class;
    if (!began_ns || !begin(&r, jni, &thread))
        return;
    tm__virtual_block_end(&r);
    tm__event_report_finish(
        &r, TM__NO_STACK,
        (tm_event){.kind = TM_EVENT_SLEPT,
                   .flags = interrupted ? TM_EVENT_BY_INTERRUPT : TM_EVENT_TIMED_OUT});
    (*jni)->DeleteLocalRef(jni, thread);
}

NATIVE(jlong, joining, jthread other, jlong timeout_ns)
{
    tm__event_report r;
    jthread thread;

    (void)class;
    if (!begin_new(&r, jni, &thread))
        return 0;
    tm__virtual_join_begin(r.thread);
    return blocked(&r, jni, thread,
                   (tm_event){.kind = TM_EVENT_JOIN,
                              .object = tm__object_id(r.buffer, jni, other),
                              .peer = tm__thread_id(jni, other),
                              .value = timeout_ns});
}

NATIVE(void, joined, jlong began_ns, jthread other, jboolean over, jboolean interrupted)
{
    tm__event_report r;
    jthread thread;

    (void)class;
    if (!began_ns || !begin(&r, jni, &thread))
        return;
    tm__virtual_block_end(&r);
    tm__virtual_join_end(r.thread);
    tm__event_report_finish(&r, TM__NO_STACK,
                            (tm_event){.kind = TM_EVENT_JOINED,
                                       .peer = tm__thread_id(jni, other),
                                       .flags = interrupted ? TM_EVENT_BY_INTERRUPT
                                                : over      ? 0
                                                            : TM_EVENT_TIMED_OUT});
    (*jni)->DeleteLocalRef(jni, thread);
}

/* The methods of our class, whose frames no stack shows; found before one runs. The
 * writer looks at them while a thread finds them. */
static jmethodID *_Atomic own_methods;
static jint own_count;

int tm__virtual_has_method(jmethodID method)
{
    const jmethodID *all = atomic_load_explicit(&own_methods, memory_order_acquire);

    for (jint i = 0; all && i < own_count; i++)
        if (all[i] == method)
            return 1;
    return 0;
}

/* Two threads that find them at once find the same. */
static void find_methods(jclass ours)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jmethodID *methods = NULL, *known = NULL;
    jint count = 0;

    if (atomic_load_explicit(&own_methods, memory_order_acquire) ||
        (*jvmti)->GetClassMethods(jvmti, ours, &count, &methods) != JVMTI_ERROR_NONE)
        return;
    own_count = count;
    if (!atomic_compare_exchange_strong(&own_methods, &known, methods))
        tm__deallocate(methods);
}

static jclass find_ours(JNIEnv *jni)
{
    jclass ours = (*jni)->FindClass(jni, TM__VIRTUAL_CLASS);

    (*jni)->ExceptionClear(jni);
    return ours;
}

/* Our class, in the package and by the loader of those that call it. The VM names the
 * methods of a class that has been linked, as one that was found has. */
int tm__virtual_class_define(JNIEnv *jni)
{
    jclass ours = find_ours(jni);

    if (!ours) {
        ours = (*jni)->DefineClass(jni, TM__VIRTUAL_CLASS, NULL,
                                   (const jbyte *)virtual_class, sizeof(virtual_class));
        (*jni)->ExceptionClear(jni);
        if (ours)
            (*jni)->DeleteLocalRef(jni, ours);
        ours = ours ? find_ours(jni) : NULL;
    }
    if (!ours)
        return -1;
    find_methods(ours);
    (*jni)->DeleteLocalRef(jni, ours);
    return 0;
}

/* Every signature of these functions. */
typedef union native {
    void *address;
    jlong(JNICALL *blocking)(JNIEnv *, jclass, jlong);
    void(JNICALL *parked)(JNIEnv *, jclass, jlong, jlong);
    void(JNICALL *call)(JNIEnv *, jclass, jthread);
    void(JNICALL *slept)(JNIEnv *, jclass, jlong, jboolean);
    jlong(JNICALL *joining)(JNIEnv *, jclass, jthread, jlong);
    void(JNICALL *joined)(JNIEnv *, jclass, jlong, jthread, jboolean, jboolean);
} native;

#define NAMED(name) Java_java_lang_ThreadmodelVirtual_##name
#define OF_THREAD "(Ljava/lang/Thread;)V"

void tm__virtual_register(JNIEnv *jni)
{
    static const struct {
        const char *name;
        const char *signature;
        native function;
    } NATIVES[] = {
        {"parking", "(J)J", {.blocking = NAMED(parking)}},
        {"parked", "(JJ)V", {.parked = NAMED(parked)}},
        {"unparking", OF_THREAD, {.call = NAMED(unparking)}},
        {"starting", OF_THREAD, {.call = NAMED(starting)}},
        {"interrupting", OF_THREAD, {.call = NAMED(interrupting)}},
        {"sleeping", "(J)J", {.blocking = NAMED(sleeping)}},
        {"slept", "(JZ)V", {.slept = NAMED(slept)}},
        {"joining", "(Ljava/lang/Thread;J)J", {.joining = NAMED(joining)}},
        {"joined", "(JLjava/lang/Thread;ZZ)V", {.joined = NAMED(joined)}},
    };
    jclass ours;

    if (!tm__the_java.virtual_class || tm__virtual_class_define(jni) != 0)
        return;
    ours = (*jni)->FindClass(jni, TM__VIRTUAL_CLASS);
    for (size_t i = 0; ours && i < sizeof(NATIVES) / sizeof(*NATIVES); i++) {
        JNINativeMethod method = {(char *)NATIVES[i].name, (char *)NATIVES[i].signature,
                                  NATIVES[i].function.address};

        (*jni)->RegisterNatives(jni, ours, &method, 1);
        if ((*jni)->ExceptionCheck(jni))
            (*jni)->ExceptionClear(jni);
    }
    if (ours)
        (*jni)->DeleteLocalRef(jni, ours);
}
