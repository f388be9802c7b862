/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identifies threads by the numbers that Java gives them. The name and other properties
 * of a thread are recorded with its first event, and again when they have changed.
 * Objects and classes are in object_identity.c.
 */
#include "ident/thread_identity.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ident/definition_records.h"
#include "ident/monitor_owner.h"
#include "ident/object_identity.h"
#include "ident/thread_container.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/vm.h"

static int is_a(JNIEnv *jni, jobject object, jclass class)
{
    return class && (*jni)->IsInstanceOf(jni, object, class);
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
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiThreadInfo info = {0};
    jvmtiThreadGroupInfo group = {0};
    char container[TM__TEXT_BYTES];
    const char *group_name;
    uint64_t object = 0;
    tm__record *record;
    uint32_t name_bytes;
    char *text;

    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return -1;
    if (info.thread_group)
        (*jvmti)->GetThreadGroupInfo(jvmti, info.thread_group, &group);
    if (is_a(jni, thread, tm__the_java.virtual_class)) {
        flags |= TM_THREAD_VIRTUAL;
    } else {
        object = tm__object_id(buffer, jni, thread);
        if (tm__is_carrier(jni, thread))
            flags |= TM_THREAD_CARRIER;
    }
    if (info.is_daemon)
        flags |= TM_THREAD_DAEMON;
    /* The common group of carriers only says that they are carriers. */
    group_name = !(flags & TM_THREAD_CARRIER) &&
                         tm__container_name(container, sizeof(container), jni, thread)
                     ? container
                     : group.name;

    record = tm__thread_ring_reserve(&buffer->ring, 2 * TM__TEXT_BYTES);
    if (record) {
        record->kind = TM__RECORD_THREAD;
        text = (char *)(record + 1);
        name_bytes = tm__text_copy(text, info.name);
        record->thread = (tm__thread_record){
            .name_bytes = (uint16_t)name_bytes,
            .group_bytes = tm__text_copy(text + name_bytes, group_name),
            .id = id,
            .object = object,
            .os_id = os_id,
            .priority = info.priority,
            .flags = flags,
            .has_group = group_name != NULL,
        };
        if (is_new(buffer, id, flags, text, name_bytes))
            tm__thread_ring_commit(&buffer->ring, record,
                                   name_bytes + record->thread.group_bytes);
    }
    tm__deallocate(info.name);
    tm__deallocate(group.name);
    for (int i = 0; i < 3; i++) {
        jobject local = i == 0   ? info.thread_group
                        : i == 1 ? info.context_class_loader
                                 : (jobject)group.parent;

        if (local)
            (*jni)->DeleteLocalRef(jni, local);
    }
    return record ? 0 : TM__NO_ROOM;
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
    buffer->is_shared = is_a(jni, thread, tm__the_java.virtual_class);
    tm__thread_adopt(buffer, jni, thread);
    return buffer;
}

void tm__thread_adopt(tm__buffer *buffer, JNIEnv *jni, jthread thread)
{
    if (is_a(jni, thread, tm__the_java.virtual_class))
        return;
    buffer->has_use_base = tm__schedstat_read(&buffer->use_base, 0) == 0;
    buffer->os_id = (uint64_t)syscall(SYS_gettid);
    buffer->switches.begun_ns = tm__now_ns();
    buffer->thread = tm__thread_id(jni, thread);
    atomic_store_explicit(&buffer->thread_weak, (*jni)->NewWeakGlobalRef(jni, thread),
                          memory_order_release);
    buffer->is_shared |= tm__is_carrier(jni, thread);
    tm__thread_define(buffer, jni, thread, buffer->thread, buffer->os_id, 0);
    tm__monitor_owner_register(jni, buffer->is_shared ? 0 : buffer->thread);
}

void tm__virtual_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id)
{
    size_t slots = sizeof(buffer->virtuals) / sizeof(*buffer->virtuals);
    uint64_t *slot = &buffer->virtuals[id % slots];

    buffer->is_shared = 1;
    if (*slot != id && tm__thread_define(buffer, jni, thread, id, 0, 0) == 0)
        *slot = id;
}
