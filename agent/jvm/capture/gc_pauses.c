/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pauses of the collector. The VM calls us while all threads stand still, where no
 * function of JNI may be called, on a thread of its own that has no Java thread.
 * A pause is counted from the time at which all threads have stopped, not from the
 * request to stop.
 */
#include "capture/gc_pauses.h"

#include <stdatomic.h>

#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/options.h"
#include "vm/vm.h"

static _Atomic int64_t began_ns;

static void JNICALL began(jvmtiEnv *jvmti)
{
    (void)jvmti;
    atomic_store(&began_ns, tm__now_ns());
}

static void JNICALL finished(jvmtiEnv *jvmti)
{
    tm__buffer *buffer = tm__buffer_mine;
    int64_t since_ns = atomic_exchange(&began_ns, 0);
    tm__record *record;
    int64_t now_ns;

    (void)jvmti;
    if (!since_ns || !atomic_load(&tm__the_recording.is_on))
        return;
    if (!buffer)
        buffer = tm__buffer_new();
    if (!buffer || buffer == &tm__buffer_none)
        return;
    now_ns = tm__thread_ring_begin(&buffer->ring, tm__now_ns);
    record = tm__thread_ring_reserve(&buffer->ring, 0);
    if (record) {
        record->kind = TM_EVENT_GC_PAUSE;
        record->event.fact = (tm_event){
            .time_ns = now_ns,
            .value = now_ns - since_ns,
            .kind = TM_EVENT_GC_PAUSE,
        };
        tm__thread_ring_commit(&buffer->ring, record, 0);
    } else {
        tm__buffer_lose(buffer, now_ns);
    }
    tm__thread_ring_end(&buffer->ring);
}

void tm__gc_pauses_set(jvmtiCapabilities *wanted, jvmtiEventCallbacks *callbacks)
{
    if (!tm__the_options.gc)
        wanted->can_generate_garbage_collection_events = 0;
    if (!wanted->can_generate_garbage_collection_events)
        return;
    callbacks->GarbageCollectionStart = began;
    callbacks->GarbageCollectionFinish = finished;
}

void tm__gc_pauses_enable(int on)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;

    if (tm__the_options.gc &&
        (*jvmti)->SetEventNotificationMode(jvmti, mode,
                                           JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                           NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->SetEventNotificationMode(jvmti, mode,
                                           JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                           NULL) == JVMTI_ERROR_NONE)
        atomic_fetch_or(&tm__the_recording.kinds, TM__KIND(GC_PAUSE));
}
