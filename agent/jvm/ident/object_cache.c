/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To ask the VM for an object's tag takes a lock and a look-up in a table that all
 * threads share, 50 ns and more; to ask whether two references are the same object
 * takes a fifth of that. Threads that block or call a lot do so on few objects, so each
 * remembers two, by weak references.
 *
 * Every so often an object that was asked for is remembered: a frequent object is soon
 * among these, and a thread that goes through many objects pays little. Where the
 * remembered objects did not come again, none is remembered for a while.
 *
 * Bits of a tag are only ever added, so those remembered are there; others may be. A
 * tag is that of a session: with the next, numbers begin anew.
 */
#include "ident/object_cache.h"

#include <stdatomic.h>

#include "ring/buffer.h"
#include "ring/recording_state.h"

enum { TAKE_IN_EVERY = 64, WORTH_HITS = 16, REST = 4096 };
enum {
    SLOTS = sizeof((tm__object_cache){0}.slots) / sizeof(*(tm__object_cache){0}.slots)
};

void tm__object_cache_clear(tm__buffer *buffer, JNIEnv *jni)
{
    tm__object_cache *it = &buffer->objects;

    for (int i = 0; i < SLOTS; i++)
        if (it->slots[i].weak)
            (*jni)->DeleteWeakGlobalRef(jni, it->slots[i].weak);
    *it = (tm__object_cache){0};
}

jlong tm__object_cache_find(tm__buffer *buffer, JNIEnv *jni, jobject object, jlong bits)
{
    tm__object_cache *it = &buffer->objects;
    uint32_t session =
        atomic_load_explicit(&tm__the_recording.session, memory_order_relaxed);

    if (it->session != session) {
        tm__object_cache_clear(buffer, jni);
        it->session = session;
    }
    if (it->rest > 0)
        return 0;
    for (int i = 0; i < SLOTS; i++)
        if (it->slots[i].weak && (it->slots[i].tag & bits) == bits &&
            (*jni)->IsSameObject(jni, object, it->slots[i].weak)) {
            it->slots[i].hits++;
            return it->slots[i].tag;
        }
    return 0;
}

void tm__object_cache_add(tm__buffer *buffer, JNIEnv *jni, jobject object, jlong tag)
{
    tm__object_cache *it = &buffer->objects;
    int i = it->admitted % SLOTS;

    if (it->rest > 0)
        it->rest--;
    else if (++it->asked % TAKE_IN_EVERY == 0) {
        if (it->slots[i].weak) {
            if (it->slots[i].hits < WORTH_HITS)
                it->rest = REST;
            (*jni)->DeleteWeakGlobalRef(jni, it->slots[i].weak);
        }
        it->slots[i].weak = (*jni)->NewWeakGlobalRef(jni, object);
        it->slots[i].tag = tag;
        it->slots[i].hits = 0;
        it->admitted++;
    }
}
