/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies objects and classes by a number of ours that the VM keeps as their tag:
 * exact, never used twice, and right after any move of the object. To number one, and
 * to write down what it is, happens once an object; to look one up is part of nearly
 * every event, so a thread remembers what it met lately (object_cache.c).
 *
 * A tag is a number and bits. Some are roles in which it was seen: as an object and as
 * a class, which are defined each for itself (a class that is locked is both), and
 * whether anybody ever waited on it or parked for it. The others say what an object is,
 * so that this is asked once and not at every wait.
 */
#include "ident/object_identity.h"

#include <pthread.h>
#include <string.h>

#include "ident/definition_records.h"
#include "ident/lambda_name.h"
#include "ident/object_cache.h"
#include "ident/objects_by_hash.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

enum { AS_OBJECT = 1, AS_CLASS = 2, WAITED_ON = 4, PARKED_FOR = 8 };
enum { A_THREAD = 16, BLOCKER_SHIFT = 5, BITS = 255, NUMBER_SHIFT = 8 };

/* A first tag is given under a lock, or two threads would number one object twice.
 * One lock would let a thread that a debugger stops in there stop all others. */
enum { STRIPES = 64 };
static pthread_mutex_t stripes[STRIPES];

void tm__object_identity_open(void)
{
    static int is_open;

    if (is_open)
        return;
    is_open = 1;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripes[i], NULL);
}

/* The class of a lambda by what that does, where the VM lets us see. */
static int name_lambda(char *out, jclass class, const char *signature)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    unsigned char *constants = NULL;
    jint count = 0, bytes = 0;
    int rc = -1;

    if (!tm__lambda_is(signature) ||
        (*jvmti)->GetConstantPool(jvmti, class, &count, &bytes, &constants) !=
            JVMTI_ERROR_NONE)
        return -1;
    if (count > 0 && bytes >= 0)
        rc = tm__lambda_signature(out, TM__TEXT_BYTES, signature, constants,
                                  (size_t)bytes, (uint32_t)count);
    tm__deallocate(constants);
    return rc;
}

/* Put down what a class is. @return 0 when there was room for it */
static int define_class(tm__buffer *buffer, jclass class, uint64_t number)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;
    char *source = NULL;
    char lambda[TM__TEXT_BYTES];
    tm__record *record = tm__thread_ring_reserve(&buffer->ring, 2 * TM__TEXT_BYTES);
    uint32_t name_bytes;
    char *text;

    if (!record)
        return -1;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return -1;
    if ((*jvmti)->GetSourceFileName(jvmti, class, &source) != JVMTI_ERROR_NONE)
        source = NULL;
    record->kind = TM__RECORD_CLASS;
    text = (char *)(record + 1);
    name_bytes = tm__text_copy(
        text, name_lambda(lambda, class, signature) == 0 ? lambda : signature);
    record->class = (tm__class_record){
        .name_bytes = (uint16_t)name_bytes,
        .source_bytes = tm__text_copy(text + name_bytes, source),
        .id = number,
        .has_source = source != NULL,
    };
    tm__thread_ring_commit(&buffer->ring, record,
                           name_bytes + record->class.source_bytes);
    tm__deallocate(signature);
    tm__deallocate(source);
    return 0;
}

static int define_object(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         uint64_t number, jlong bits, uint64_t class_id, jint hash)
{
    tm__record *record = tm__thread_ring_reserve(&buffer->ring, 0);

    if (!record)
        return -1;
    record->kind = TM__RECORD_OBJECT;
    record->object = (tm__object_record){
        .thread = bits & A_THREAD ? tm__thread_id(jni, object) : 0,
        .id = number,
        .class_id = class_id,
        .hash = (uint32_t)hash,
        .flags = bits & PARKED_FOR ? TM_OBJECT_SYNCHRONIZER : 0,
    };
    tm__thread_ring_commit(&buffer->ring, record, 0);
    return 0;
}

/* The number by which an object that is met for the first time was already known. */
static uint64_t known_by_hash(JNIEnv *jni, jobject object, jint hash, uint64_t number)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jclass class = (*jni)->GetObjectClass(jni, object);
    char *signature = NULL;

    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
        number = tm__by_hash_resolve(signature, (uint32_t)hash, number);
    tm__deallocate(signature);
    (*jni)->DeleteLocalRef(jni, class);
    return number;
}

static int is_a(JNIEnv *jni, jobject object, jclass class, jfieldID field)
{
    return class && field && (*jni)->IsInstanceOf(jni, object, class);
}

static jlong blocker_kind(JNIEnv *jni, jobject object)
{
    const tm__java_fields *java = &tm__the_java;

    for (int is_long = 0; is_long < 2; is_long++)
        if (is_a(jni, object, java->condition_class[is_long],
                 java->condition_lock[is_long]))
            return TM__BLOCKER_CONDITION + is_long;
    if (!is_a(jni, object, java->synchronizer_class, java->synchronizer_owner))
        return TM__BLOCKER_OTHER;
    for (int is_long = 0; is_long < 2; is_long++)
        if (is_a(jni, object, java->queued_class[is_long], java->queued_state[is_long]))
            return TM__BLOCKER_QUEUED + is_long;
    return TM__BLOCKER_OWNABLE;
}

/* The kind of an object, as bits of its tag. */
static jlong nature_of(JNIEnv *jni, jobject object)
{
    if ((*jni)->IsInstanceOf(jni, object, tm__the_java.thread_class))
        return A_THREAD;
    return blocker_kind(jni, object) << BLOCKER_SHIFT;
}

/* Define it in what is new of its `bits`. @return 0 when there was room for all */
static int define(tm__buffer *buffer, JNIEnv *jni, jobject object, uint64_t number,
                  jlong bits, uint64_t class_id, jint hash)
{
    int rc = 0;

    if (bits & AS_OBJECT)
        rc = define_object(buffer, jni, object, number, bits, class_id, hash);
    if (rc == 0 && bits & AS_CLASS)
        rc = define_class(buffer, object, number);
    return rc;
}

/* Number something, or find what number it has, and add to its roles.
 * @return its tag; 0: it could not be defined */
static jlong first_seen(tm__buffer *buffer, JNIEnv *jni, jobject object, jlong bits)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    pthread_mutex_t *stripe;
    uint64_t class_id = 0;
    uint64_t number;
    jlong tag = 0, before = 0;
    jint hash = 0;

    if ((*jvmti)->GetObjectHashCode(jvmti, object, &hash) != JVMTI_ERROR_NONE)
        return 0;
    if (bits & AS_OBJECT) {
        jclass class = (*jni)->GetObjectClass(jni, object);

        class_id = tm__class_id(buffer, jni, class);
        (*jni)->DeleteLocalRef(jni, class);
        bits |= nature_of(jni, object);
    }
    stripe = &stripes[(uint32_t)hash % STRIPES];
    pthread_mutex_lock(stripe);
    if ((*jvmti)->GetTag(jvmti, object, &before) == JVMTI_ERROR_NONE) {
        number = (uint64_t)before >> NUMBER_SHIFT;
        if (!number) {
            number = tm__identity_new();
            if (bits & AS_OBJECT && tm__by_hash_is_used())
                number = known_by_hash(jni, object, hash, number);
        }
        tag = (jlong)(number << NUMBER_SHIFT) | (before & BITS) | bits;
        /* A thread that sees the tag must find the definition already in a ring. */
        if (define(buffer, jni, object, number, bits & ~before, class_id, hash) != 0 ||
            (*jvmti)->SetTag(jvmti, object, tag) != JVMTI_ERROR_NONE)
            tag = 0;
    }
    pthread_mutex_unlock(stripe);
    return tag;
}

static uint64_t number_of(jlong tag)
{
    return (uint64_t)tag >> NUMBER_SHIFT;
}

/* The tag of something that has these bits by now.
 * @param sure  bits that decide what becomes of the event: no thread's memory tells
 *              that one of them is missing
 * @return 0: it could not be defined */
static jlong identify(tm__buffer *buffer, JNIEnv *jni, jobject object, jlong bits,
                      jlong sure)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jlong tag;

    if (!object)
        return 0;
    tag = tm__object_cache_find(buffer, jni, object, bits | sure);
    if (tag)
        return tag;
    if ((*jvmti)->GetTag(jvmti, object, &tag) != JVMTI_ERROR_NONE)
        return 0;
    if ((tag & bits) != bits)
        return first_seen(buffer, jni, object, bits);
    tm__object_cache_add(buffer, jni, object, tag);
    return tag;
}

uint64_t tm__object_id(tm__buffer *buffer, JNIEnv *jni, jobject object)
{
    return number_of(identify(buffer, jni, object, AS_OBJECT, 0));
}

uint64_t tm__waited_on_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                          uint64_t *joined)
{
    jlong tag = identify(buffer, jni, object, AS_OBJECT | WAITED_ON, 0);

    *joined = tag & A_THREAD ? tm__thread_id(jni, object) : 0;
    return number_of(tag);
}

uint64_t tm__parked_for_id(tm__buffer *buffer, JNIEnv *jni, jobject object, int *kind)
{
    jlong tag = identify(buffer, jni, object, AS_OBJECT | PARKED_FOR, 0);

    *kind = (int)((tag & BITS) >> BLOCKER_SHIFT);
    return number_of(tag);
}

uint64_t tm__notified_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         int *was_waited_on)
{
    jlong tag = identify(buffer, jni, object, AS_OBJECT, WAITED_ON);

    *was_waited_on = (tag & WAITED_ON) != 0;
    return number_of(tag);
}

uint64_t tm__class_id(tm__buffer *buffer, JNIEnv *jni, jclass class)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jlong tag = 0;

    if (!class || (*jvmti)->GetTag(jvmti, class, &tag) != JVMTI_ERROR_NONE)
        return 0;
    return number_of(tag & AS_CLASS ? tag : first_seen(buffer, jni, class, AS_CLASS));
}
