/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is who. Threads go by the number that Java gives them. Objects and classes
 * go by a number of ours that the VM keeps as their tag: exact, never used twice,
 * and right after any move of the object. To look one up costs 0.1 to 0.3 us; to
 * number one, and to write down what it is, happens once an object.
 *
 * A tag is a number and bits for the roles in which it was seen: as an object and
 * as a class, which are defined each for itself (a class that is locked is both),
 * and whether anybody ever waited on it or parked for it.
 */
#include "container.h"
#include "foreign.h"
#include "lambda.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { AS_OBJECT = 1, AS_CLASS = 2, WAITED_ON = 4, PARKED_FOR = 8, ROLES = 15 };
enum { TAG_BITS = 4 };

/* Longer names are cut: a record must fit the smallest ring many times over. */
enum { TEXT_BYTES = 2000 };

/* A first tag is given under a lock, or two threads would number one object twice.
 * One lock would let a thread that a debugger stops in there stop all others. */
enum { STRIPES = 64 };
static pthread_mutex_t stripes[STRIPES];
static _Atomic uint64_t last_number;

/* A class by name as a global reference; NULL where the VM has none. */
static jclass global_class(JNIEnv *jni, const char *name)
{
    jclass local = (*jni)->FindClass(jni, name);
    jclass global = local ? (*jni)->NewGlobalRef(jni, local) : NULL;

    (*jni)->ExceptionClear(jni);
    if (local)
        (*jni)->DeleteLocalRef(jni, local);
    return global;
}

/* A field of a class; NULL where the VM has none. */
static jfieldID field(JNIEnv *jni, jclass class, const char *name, const char *type)
{
    jfieldID found = class ? (*jni)->GetFieldID(jni, class, name, type) : NULL;

    (*jni)->ExceptionClear(jni);
    return found;
}

int tm__identity_open(JNIEnv *jni)
{
    tm__agent *agent = &tm__the_agent;

    if (agent->thread_tid)
        return 0;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripes[i], NULL);
    agent->thread_class = global_class(jni, "java/lang/Thread");
    agent->virtual_class = global_class(jni, "java/lang/BaseVirtualThread");
    agent->carrier_class = global_class(jni, "jdk/internal/misc/CarrierThread");
    if (!agent->thread_class)
        return -1;
    agent->initialisation_class = global_class(jni, "[I");
    agent->synchronizer_class =
        global_class(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
    agent->thread_interrupted = field(jni, agent->thread_class, "interrupted", "Z");
    agent->thread_name = field(jni, agent->thread_class, "name", "Ljava/lang/String;");
    agent->thread_container = field(jni, agent->thread_class, "container",
                                    "Ljdk/internal/vm/ThreadContainer;");
    agent->thread_blocker =
        field(jni, agent->thread_class, "parkBlocker", "Ljava/lang/Object;");
    agent->synchronizer_owner = field(jni, agent->synchronizer_class,
                                      "exclusiveOwnerThread", "Ljava/lang/Thread;");
    agent->thread_tid = field(jni, agent->thread_class, "tid", "J");
    return agent->thread_tid ? 0 : -1;
}

uint64_t tm__thread_id(JNIEnv *jni, jthread thread)
{
    return thread
               ? (uint64_t)(*jni)->GetLongField(jni, thread, tm__the_agent.thread_tid)
               : 0;
}

static int is_a(JNIEnv *jni, jobject object, jclass class)
{
    return class && (*jni)->IsInstanceOf(jni, object, class);
}

uint64_t tm__joined_id(JNIEnv *jni, jobject object)
{
    return is_a(jni, object, tm__the_agent.thread_class) ? tm__thread_id(jni, object)
                                                         : 0;
}

static uint32_t copy_text(char *to, const char *text)
{
    size_t length = text ? strnlen(text, TEXT_BYTES) : 0;

    if (length > 0)
        memcpy(to, text, length);
    return (uint32_t)length;
}

static void deallocate(void *memory)
{
    if (memory)
        (*tm__the_agent.jvmti)->Deallocate(tm__the_agent.jvmti, memory);
}

/* Tell whether this thread was defined with another name, or without the flags. */
static int is_new(tm__buffer *buffer, uint64_t id, uint32_t flags, const char *name,
                  size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ flags;

    if (buffer->thread != id)
        return 1;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
    if (hash == buffer->name_hash)
        return 0;
    buffer->name_hash = hash;
    return 1;
}

int tm__thread_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id,
                      uint64_t os_id, uint32_t flags)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jvmtiThreadInfo info = {0};
    jvmtiThreadGroupInfo group = {0};
    char container[TEXT_BYTES];
    const char *group_name;
    uint64_t object = 0;
    tm__record *record;
    char *text;

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return -1;
    if (info.thread_group)
        (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group, &group);
    if (is_a(jni, thread, tm__the_agent.virtual_class))
        flags |= TM_THREAD_VIRTUAL;
    else
        object = tm__object_id(buffer, jni, thread);
    if (is_a(jni, thread, tm__the_agent.carrier_class))
        flags |= TM_THREAD_CARRIER;
    if (info.is_daemon)
        flags |= TM_THREAD_DAEMON;
    /* That of all carriers says no more than that they are carriers. */
    group_name = !(flags & TM_THREAD_CARRIER) &&
                         tm__container_name(container, sizeof(container), jni, thread)
                     ? container
                     : group.name;

    record = tm__buffer_reserve(buffer, 2 * TEXT_BYTES);
    if (record) {
        record->kind = TM__RECORD_THREAD;
        text = (char *)(record + 1);
        record->extra = copy_text(text, info.name);
        record->more = copy_text(text + record->extra, group_name);
        record->event = (tm_event){
            .thread = id,
            .object = object,
            .peer = os_id,
            .value = info.priority,
            .stack = flags,
            .flags = group_name != NULL,
        };
        if (is_new(buffer, id, flags, text, record->extra))
            tm__buffer_commit(buffer, record, record->extra + record->more);
    }
    deallocate(info.name);
    deallocate(group.name);
    for (int i = 0; i < 3; i++) {
        jobject local = i == 0   ? info.thread_group
                        : i == 1 ? info.context_class_loader
                                 : (jobject)group.parent;

        if (local)
            (*jni)->DeleteLocalRef(jni, local);
    }
    return record ? 0 : -1;
}

tm__buffer *tm__thread_buffer(JNIEnv *jni, jthread thread)
{
    tm__buffer *buffer = tm__buffer_mine;

    if (buffer || !thread)
        return buffer;
    buffer = tm__buffer_new();
    if (!buffer)
        return NULL;
    /* A carrier that is met with a virtual thread on it is not known by this. */
    buffer->is_shared = is_a(jni, thread, tm__the_agent.virtual_class);
    if (!buffer->is_shared) {
        buffer->os_id = (uint64_t)syscall(SYS_gettid);
        buffer->thread_weak = (*jni)->NewWeakGlobalRef(jni, thread);
        buffer->thread = tm__thread_id(jni, thread);
        buffer->is_shared = is_a(jni, thread, tm__the_agent.carrier_class);
        tm__thread_define(buffer, jni, thread, buffer->thread, buffer->os_id, 0);
    }
    return buffer;
}

void tm__virtual_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id)
{
    size_t slots = sizeof(buffer->virtuals) / sizeof(*buffer->virtuals);
    uint64_t *slot = &buffer->virtuals[id % slots];

    buffer->is_shared = 1;
    if (*slot != id && tm__thread_define(buffer, jni, thread, id, 0, 0) == 0)
        *slot = id;
}

/* The class of a lambda by what that does, where the VM lets us see. */
static int name_lambda(char *out, jclass class, const char *signature)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    unsigned char *constants = NULL;
    jint count = 0, bytes = 0;
    int rc = -1;

    if (!tm__lambda_is(signature) ||
        (*jvmti)->GetConstantPool(jvmti, class, &count, &bytes, &constants) !=
            JVMTI_ERROR_NONE)
        return -1;
    if (count > 0 && bytes >= 0)
        rc = tm__lambda_signature(out, TEXT_BYTES, signature, constants, (size_t)bytes,
                                  (uint32_t)count);
    deallocate(constants);
    return rc;
}

/* Put down what a class is. @return 0 when there was room for it */
static int define_class(tm__buffer *buffer, jclass class, uint64_t number)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    char *signature = NULL;
    char *source = NULL;
    char lambda[TEXT_BYTES];
    tm__record *record = tm__buffer_reserve(buffer, 2 * TEXT_BYTES);
    char *text;

    if (!record)
        return -1;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return -1;
    if ((*jvmti)->GetSourceFileName(jvmti, class, &source) != JVMTI_ERROR_NONE)
        source = NULL;
    record->kind = TM__RECORD_CLASS;
    text = (char *)(record + 1);
    record->extra = copy_text(
        text, name_lambda(lambda, class, signature) == 0 ? lambda : signature);
    record->more = copy_text(text + record->extra, source);
    record->event = (tm_event){.object = number, .flags = source != NULL};
    tm__buffer_commit(buffer, record, record->extra + record->more);
    deallocate(signature);
    deallocate(source);
    return 0;
}

static int define_object(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         uint64_t number, int roles, uint64_t class_id, jint hash)
{
    tm__record *record = tm__buffer_reserve(buffer, 0);

    if (!record)
        return -1;
    record->kind = TM__RECORD_OBJECT;
    record->event = (tm_event){
        .object = number,
        .peer = class_id,
        .thread = tm__joined_id(jni, object),
        .value = (uint32_t)hash,
        .flags = roles & PARKED_FOR ? TM_OBJECT_SYNCHRONIZER : 0,
    };
    tm__buffer_commit(buffer, record, 0);
    return 0;
}

uint64_t tm__identity_new(void)
{
    return atomic_fetch_add(&last_number, 1) + 1;
}

uint64_t tm__class_by_name(tm__buffer *own, const char *signature)
{
    tm__record *record = tm__buffer_reserve(own, TEXT_BYTES);
    uint64_t number = tm__identity_new();

    if (!record)
        return 0;
    record->kind = TM__RECORD_CLASS;
    record->extra = copy_text((char *)(record + 1), signature);
    record->event = (tm_event){.object = number};
    tm__buffer_commit(own, record, record->extra);
    return number;
}

void tm__object_by_hash(tm__buffer *own, uint64_t number, uint64_t class_id,
                        uint32_t hash)
{
    tm__record *record = tm__buffer_reserve(own, 0);

    if (!record)
        return;
    record->kind = TM__RECORD_OBJECT;
    record->event = (tm_event){
        .object = number,
        .peer = class_id,
        .value = hash,
        .flags = TM_OBJECT_MAYBE_MANY,
    };
    tm__buffer_commit(own, record, 0);
}

/* The number by which an object that is met for the first time was already known. */
static uint64_t known_by_hash(JNIEnv *jni, jobject object, jint hash, uint64_t number)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jclass class = (*jni)->GetObjectClass(jni, object);
    char *signature = NULL;

    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE)
        number = tm__foreign_met(signature, (uint32_t)hash, number);
    deallocate(signature);
    (*jni)->DeleteLocalRef(jni, class);
    return number;
}

/* Define what is new of `roles`. @return 0 when there was room for all */
static int define(tm__buffer *buffer, JNIEnv *jni, jobject object, uint64_t number,
                  int roles, uint64_t class_id, jint hash)
{
    int rc = 0;

    if (roles & AS_OBJECT)
        rc = define_object(buffer, jni, object, number, roles, class_id, hash);
    if (rc == 0 && roles & AS_CLASS)
        rc = define_class(buffer, object, number);
    return rc;
}

/* Number something, or find what number it has, and add to its roles. */
static uint64_t first_seen(tm__buffer *buffer, JNIEnv *jni, jobject object, int roles)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    pthread_mutex_t *stripe;
    uint64_t class_id = 0;
    uint64_t number = 0;
    jlong tag = 0;
    jint hash = 0;

    if ((*jvmti)->GetObjectHashCode(jvmti, object, &hash) != JVMTI_ERROR_NONE)
        return 0;
    if (roles & AS_OBJECT) {
        jclass class = (*jni)->GetObjectClass(jni, object);

        class_id = tm__class_id(buffer, jni, class);
        (*jni)->DeleteLocalRef(jni, class);
    }
    stripe = &stripes[(uint32_t)hash % STRIPES];
    pthread_mutex_lock(stripe);
    if ((*jvmti)->GetTag(jvmti, object, &tag) == JVMTI_ERROR_NONE) {
        number = (uint64_t)tag >> TAG_BITS;
        if (!number) {
            number = tm__identity_new();
            if (roles & AS_OBJECT && tm__foreign_is_used())
                number = known_by_hash(jni, object, hash, number);
        }
        /* Who sees the tag must find the definition already in a ring. */
        if (define(buffer, jni, object, number, roles & ~(int)tag, class_id, hash) !=
                0 ||
            (*jvmti)->SetTag(jvmti, object,
                             (jlong)(number << TAG_BITS) | (tag & ROLES) | roles) !=
                JVMTI_ERROR_NONE)
            number = 0;
    }
    pthread_mutex_unlock(stripe);
    return number;
}

static uint64_t identify(tm__buffer *buffer, JNIEnv *jni, jobject object, int roles,
                         jlong *tag)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;

    *tag = 0;
    if (!object || (*jvmti)->GetTag(jvmti, object, tag) != JVMTI_ERROR_NONE)
        return 0;
    return (*tag & roles) == roles ? (uint64_t)*tag >> TAG_BITS
                                   : first_seen(buffer, jni, object, roles);
}

uint64_t tm__object_id(tm__buffer *buffer, JNIEnv *jni, jobject object)
{
    jlong tag;

    return identify(buffer, jni, object, AS_OBJECT, &tag);
}

uint64_t tm__waited_on_id(tm__buffer *buffer, JNIEnv *jni, jobject object)
{
    jlong tag;

    return identify(buffer, jni, object, AS_OBJECT | WAITED_ON, &tag);
}

uint64_t tm__parked_for_id(tm__buffer *buffer, JNIEnv *jni, jobject object)
{
    jlong tag;

    return identify(buffer, jni, object, AS_OBJECT | PARKED_FOR, &tag);
}

uint64_t tm__notified_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         int *was_waited_on)
{
    jlong tag;
    uint64_t id = identify(buffer, jni, object, AS_OBJECT, &tag);

    *was_waited_on = (tag & WAITED_ON) != 0;
    return id;
}

uint64_t tm__class_id(tm__buffer *buffer, JNIEnv *jni, jclass class)
{
    jlong tag;

    return identify(buffer, jni, class, AS_CLASS, &tag);
}
