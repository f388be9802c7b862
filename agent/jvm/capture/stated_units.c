/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of work that the program states. A kind is a class in the trace, and a label an
 * object of it: all requests of one URL share an object. Both are bounded. A kind or a
 * label without a place is called "others".
 */
#include "capture/stated_units.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/event_report.h"
#include "ident/definition_records.h"
#include "ident/keyed_objects.h"
#include "ring/buffer.h"
#include "trace/modified_utf8.h"
#include "vm/vm.h"

/* A native method of that class, which the VM finds by its name. */
#define NATIVE(type, name, ...)                                                        \
    JNIEXPORT type JNICALL Java_io_github_threadmodel_Unit_##name(__VA_ARGS__);        \
    JNIEXPORT type JNICALL Java_io_github_threadmodel_Unit_##name(__VA_ARGS__)

enum { KINDS = 1024 };

static const char CLASS[] = "Lio/github/threadmodel/Unit;";
static const char OTHERS[] = "others";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char
    *kinds[KINDS]; ///< names, of the program's life; [0] has what finds no place
static int kind_count;
static tm__keyed_objects definitions = TM__KEYED_OBJECTS_INIT;

static int kind_of(const char *name)
{
    int i = 1;

    while (i < kind_count && strcmp(kinds[i], name) != 0)
        i++;
    if (i < kind_count)
        return i;
    if (kind_count == 0) {
        kinds[0] = (char *)OTHERS;
        kind_count = 1;
    }
    if (kind_count == KINDS || !(kinds[kind_count] = strdup(name)))
        return 0;
    return kind_count++;
}

/* ---- definitions ---- */

/** A kind or a label that may be new. */
typedef struct definition {
    tm__buffer *own;
    uint64_t class_id; ///< of a label
    const char *name;
} definition;

/* @param label  NULL: none. @return a key; of a kind without a label it is the object's
 *               that stands for all its units */
static uint64_t key_of(int kind, const char *label)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)kind << 1 | !label);

    for (; label && *label; label++)
        hash = (hash ^ (unsigned char)*label) * UINT64_C(0x100000001b3);
    /* Small keys are those of classes. */
    return hash >= KINDS ? hash : hash + KINDS;
}

static uint64_t define_kind(const void *payload, int is_of_others)
{
    const definition *it = payload;

    return tm__class_by_plain_name(it->own, is_of_others ? OTHERS : it->name);
}

static uint64_t define_label(const void *payload, int is_of_others)
{
    const definition *it = payload;

    return tm__object_by_name(it->own, it->class_id, 0,
                              is_of_others ? OTHERS : it->name);
}

/* The object of a kind and a label, NULL: none. @return 0: there is no room */
static uint64_t object_of(tm__buffer *own, int kind, const char *label)
{
    definition it = {own, 0, kinds[kind]};

    it.class_id =
        tm__keyed_object(&definitions, (uint64_t)kind + 1, 1, define_kind, &it);
    it.name = label ? label : "";
    return it.class_id ? tm__keyed_object(&definitions, key_of(kind, label),
                                          key_of(kind, OTHERS), define_label, &it)
                       : 0;
}

/* ---- the native methods ---- */

/* The VM has its own form of UTF-8. @return the text in `to`; NULL: there is none */
static const char *text_of(JNIEnv *jni, jstring string, char to[TM__TEXT_BYTES])
{
    const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;

    if (!text)
        return NULL;
    tm__text_utf8(to, TM__TEXT_BYTES, text, (uint32_t)strlen(text));
    (*jni)->ReleaseStringUTFChars(jni, string, text);
    return to;
}

NATIVE(jboolean, isRecorded0, JNIEnv *jni, jclass class)
{
    (void)jni;
    (void)class;
    return JNI_TRUE;
}

NATIVE(jint, kind0, JNIEnv *jni, jclass class, jstring name)
{
    char room[TM__TEXT_BYTES];
    const char *text = text_of(jni, name, room);
    int kind;

    (void)class;
    if (!text)
        return 0;
    pthread_mutex_lock(&lock);
    kind = kind_of(text);
    pthread_mutex_unlock(&lock);
    return kind;
}

NATIVE(void, begin0, JNIEnv *jni, jclass class, jint kind, jlong id, jstring label,
       jlong parent)
{
    char room[TM__TEXT_BYTES];
    const char *text = text_of(jni, label, room);
    tm__event_report report;

    (void)class;
    if (kind < 0 || kind >= KINDS || !kinds[kind] ||
        !tm__event_report_begin_native(&report, jni))
        return;
    tm__event_report_finish(&report, TM__NO_STACK,
                            (tm_event){.kind = TM_EVENT_UNIT_BEGIN,
                                       .object = object_of(report.buffer, kind, text),
                                       .value = id,
                                       .peer = (uint64_t)parent});
}

static void report_move(JNIEnv *jni, int kind, jlong id)
{
    tm__event_report report;

    if (tm__event_report_begin_native(&report, jni))
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
