/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of work that the program states. A kind is a class in the trace, and a label an
 * object of it: all requests of one URL share an object. Both are in tables of fixed
 * size. A kind or a label without a place there is called "others".
 */
#include "capture/stated_units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "capture/event_report.h"
#include "ident/definition_records.h"
#include "ring/buffer.h"
#include "ring/recording_state.h"
#include "trace/modified_utf8.h"
#include "vm/vm.h"

/* A native method of that class, which the VM finds by its name. */
#define NATIVE(type, name, ...)                                                        \
    JNIEXPORT type JNICALL Java_io_github_threadmodel_Unit_##name(__VA_ARGS__);        \
    JNIEXPORT type JNICALL Java_io_github_threadmodel_Unit_##name(__VA_ARGS__)

enum { KINDS = 1024, LABELS = 4096, LABELS_MOST = 3072 };

static const char CLASS[] = "Lio/github/threadmodel/Unit;";
static const char OTHERS[] = "others";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char *name;        ///< of the program's life; kinds[0] has what finds no place
    uint64_t class_id; ///< of the session
    _Atomic uint64_t object; ///< one of it without a label
} kinds[KINDS];
static int kind_count;
static struct {
    _Atomic uint64_t key; ///< 0: none
    _Atomic uint64_t object;
} labels[LABELS];
static int label_count;
static _Atomic uint32_t tables_session; ///< whose numbers they have

static int kind_of(const char *name)
{
    int i = 1;

    while (i < kind_count && strcmp(kinds[i].name, name) != 0)
        i++;
    if (i < kind_count)
        return i;
    if (kind_count == 0) {
        kinds[0].name = (char *)OTHERS;
        kind_count = 1;
    }
    if (kind_count == KINDS || !(kinds[kind_count].name = strdup(name)))
        return 0;
    return kind_count++;
}

/* ---- definitions, once a session; under the lock ---- */

static void forget_all(void)
{
    for (int i = 0; i < KINDS; i++) {
        kinds[i].class_id = 0;
        atomic_store(&kinds[i].object, 0);
    }
    for (int i = 0; i < LABELS; i++) {
        atomic_store(&labels[i].key, 0);
        atomic_store(&labels[i].object, 0);
    }
    label_count = 0;
    atomic_store(&tables_session, tm__session());
}

/* @return the number of the definition; 0: the ring has no room */
static uint64_t define(tm__buffer *own, uint16_t kind, uint64_t class_id,
                       const char *name)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, TM__TEXT_BYTES);
    uint64_t id = tm__identity_new();
    char text[TM__TEXT_BYTES];
    uint32_t bytes;

    if (!record)
        return 0;
    /* The VM has its own form of UTF-8. */
    tm__text_utf8(text, sizeof(text), name, (uint32_t)strlen(name));
    bytes = tm__text_copy((char *)(record + 1), text);
    record->kind = kind | TM__RECORD_PLAIN;
    if (kind == TM__RECORD_CLASS)
        record->class = (tm__class_record){.name_bytes = (uint16_t)bytes, .id = id};
    else
        record->object = (tm__object_record){
            .name_bytes = (uint16_t)bytes, .id = id, .class_id = class_id};
    tm__thread_ring_commit(&own->ring, record, bytes);
    return id;
}

static uint64_t add_kind(tm__buffer *own, int kind)
{
    if (!kinds[kind].class_id)
        kinds[kind].class_id = define(own, TM__RECORD_CLASS, 0, kinds[kind].name);
    if (kinds[kind].class_id && !atomic_load(&kinds[kind].object))
        atomic_store(&kinds[kind].object,
                     define(own, TM__RECORD_OBJECT, kinds[kind].class_id, ""));
    return atomic_load(&kinds[kind].object);
}

static uint64_t key_of(int kind, const char *label)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)kind;

    for (; *label; label++)
        hash = (hash ^ (unsigned char)*label) * UINT64_C(0x100000001b3);
    return hash + (hash == 0);
}

/* Where a key stands, or would; without a lock. */
static size_t place_of(uint64_t key)
{
    size_t at = (size_t)(key >> 7) % LABELS;
    uint64_t there;

    while ((there = atomic_load_explicit(&labels[at].key, memory_order_acquire)) &&
           there != key)
        at = (at + 1) % LABELS;
    return at;
}

static uint64_t add_label(tm__buffer *own, int kind, const char *label, uint64_t key)
{
    size_t at;
    uint64_t object;

    if (label_count >= LABELS_MOST) {
        label = OTHERS;
        key = key_of(kind, OTHERS);
    }
    at = place_of(key);
    object = atomic_load(&labels[at].object);
    if (atomic_load(&labels[at].key) || label_count >= LABELS - 1 ||
        !add_kind(own, kind))
        return object ? object : atomic_load(&kinds[kind].object);
    object = define(own, TM__RECORD_OBJECT, kinds[kind].class_id, label);
    if (object) {
        atomic_store_explicit(&labels[at].object, object, memory_order_relaxed);
        atomic_store_explicit(&labels[at].key, key, memory_order_release);
        label_count++;
    }
    return object;
}

/* The object of a kind and a label, NULL: none. @return 0: there is no room */
static uint64_t object_of(tm__buffer *own, int kind, const char *label)
{
    uint64_t key = label ? key_of(kind, label) : 0, object = 0;

    if (atomic_load_explicit(&tables_session, memory_order_acquire) == tm__session()) {
        size_t at = label ? place_of(key) : 0;

        if (!label)
            object = atomic_load_explicit(&kinds[kind].object, memory_order_acquire);
        else if (atomic_load_explicit(&labels[at].key, memory_order_acquire) == key)
            object = atomic_load_explicit(&labels[at].object, memory_order_acquire);
    }
    if (object)
        return object;
    pthread_mutex_lock(&lock);
    if (atomic_load(&tables_session) != tm__session())
        forget_all();
    object = label ? add_label(own, kind, label, key) : add_kind(own, kind);
    pthread_mutex_unlock(&lock);
    return object;
}

/* ---- the native methods ---- */

/* They stand in for nothing, and report where natives are not replaced, too. */
static int begin(tm__event_report *report, JNIEnv *jni)
{
    jthread thread;
    int begun;

    if (tm__the_vm.replaces_natives)
        return tm__event_report_begin_here(report, jni);
    thread = tm__event_report_thread();
    if (!thread)
        return 0;
    begun = tm__event_report_begin(report, jni, thread);
    (*jni)->DeleteLocalRef(jni, thread);
    return begun;
}

NATIVE(jboolean, isRecorded0, JNIEnv *jni, jclass class)
{
    (void)jni;
    (void)class;
    return JNI_TRUE;
}

NATIVE(jint, kind0, JNIEnv *jni, jclass class, jstring name)
{
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    int kind;

    (void)class;
    if (!text)
        return 0;
    pthread_mutex_lock(&lock);
    kind = kind_of(text);
    pthread_mutex_unlock(&lock);
    (*jni)->ReleaseStringUTFChars(jni, name, text);
    return kind;
}

NATIVE(void, begin0, JNIEnv *jni, jclass class, jint kind, jlong id, jstring label,
       jlong parent)
{
    const char *text = label ? (*jni)->GetStringUTFChars(jni, label, NULL) : NULL;
    tm__event_report report;

    (void)class;
    if (kind >= 0 && kind < KINDS && kinds[kind].name && begin(&report, jni)) {
        uint64_t object = object_of(report.buffer, kind, text);

        tm__event_report_finish(&report, TM__NO_STACK,
                                (tm_event){.kind = TM_EVENT_UNIT_BEGIN,
                                           .object = object,
                                           .value = id,
                                           .peer = (uint64_t)parent});
    }
    if (text)
        (*jni)->ReleaseStringUTFChars(jni, label, text);
}

static void report_move(JNIEnv *jni, int kind, jlong id)
{
    tm__event_report report;

    if (begin(&report, jni))
        tm__event_report_finish(&report, TM__NO_STACK,
                                (tm_event){.kind = (uint16_t)kind, .value = id});
}

NATIVE(void, move0, JNIEnv *jni, jclass class, jlong id, jboolean is_resumed)
{
    (void)class;
    report_move(jni, is_resumed ? TM_EVENT_UNIT_RESUME : TM_EVENT_UNIT_LEAVE, id);
}

NATIVE(void, end0, JNIEnv *jni, jclass class, jlong id)
{
    (void)class;
    report_move(jni, TM_EVENT_UNIT_END, id);
}

/* ---- a class that was there before the agent ---- */

static void set_recorded(JNIEnv *jni, jclass class)
{
    jfieldID field;
    jint status = 0;
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    /* Its initialiser asks for itself. */
    if ((*jvmti)->GetClassStatus(jvmti, class, &status) != JVMTI_ERROR_NONE ||
        !(status & JVMTI_CLASS_STATUS_INITIALIZED))
        return;
    field = (*jni)->GetStaticFieldID(jni, class, "agent", "Z");
    if (field)
        (*jni)->SetStaticBooleanField(jni, class, field, JNI_TRUE);
    (*jni)->ExceptionClear(jni);
}

void tm__units_announce(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass *classes = NULL;
    jint count = 0;

    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        char *signature = NULL;

        if ((*jvmti)->GetClassSignature(jvmti, classes[i], &signature, NULL) ==
                JVMTI_ERROR_NONE &&
            strcmp(signature, CLASS) == 0)
            set_recorded(jni, classes[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}
