/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM has some ten threads of its own when it is up, and these wait for work: the
 * finalizer, the one that handles references. An agent that was there from the start
 * asks once what they are in, and at which stack.
 */
#include "capture/early_threads.h"

#include <threadmodel/model.h>

#include "capture/event_report.h"
#include "capture/stack_walk.h"
#include "ident/method_identity.h"
#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "vm/options.h"
#include "vm/thread_state.h"
#include "vm/vm.h"

static uint64_t wanted_by(tm__event_report *r, JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jobject monitor = NULL;
    uint64_t id;

    if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &monitor) !=
            JVMTI_ERROR_NONE ||
        !monitor)
        return 0;
    id = tm__object_id(r->buffer, jni, monitor);
    (*jni)->DeleteLocalRef(jni, monitor);
    return id;
}

/* Report another thread, through the calling thread's buffer. */
static void report(tm__event_report *r, JNIEnv *jni, jthread thread)
{
    uint64_t id = tm__thread_id(jni, thread), wanted;
    const tm__options *options = &tm__the_options;
    uint32_t depth = options->stacks == TM__STACKS_NONE ? 0 : (uint32_t)options->depth;
    tm__record *record = NULL;
    int state;

    if (tm__thread_define(r->buffer, jni, thread, id, 0, 0) != 0)
        return;
    wanted = wanted_by(r, jni, thread);
    state = tm__thread_state(thread);
    record =
        tm__thread_ring_reserve(&r->buffer->ring, (depth + 1) * sizeof(jvmtiFrameInfo));
    if (!record) {
        tm__buffer_lose(r->buffer, r->time_ns);
        return;
    }
    record->kind = TM_EVENT_SNAPSHOT;
    record->event.fact = (tm_event){
        .time_ns = r->time_ns,
        .thread = id,
        .object = wanted,
        .value = state,
        .kind = TM_EVENT_SNAPSHOT,
        .flags = state > TM_STATE_RUNNING && tm__thread_is_timed(thread)
                     ? TM_EVENT_TIMED
                     : 0,
    };
    tm__methods_commit(r->buffer, record,
                       depth > 0 && state > TM_STATE_RUNNING
                           ? tm__stack_walk_of(record, thread, 0, depth)
                           : 0);
}

void tm__early_threads_report(JNIEnv *jni, jthread current)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread *threads = NULL;
    jint count = 0;
    tm__event_report r;

    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        jlong tag = 0;

        /* One that has a number has reported its own start by now, and the
         * current one is about to. */
        if ((*jvmti)->GetTag(jvmti, threads[i], &tag) == JVMTI_ERROR_NONE && tag == 0 &&
            !(*jni)->IsSameObject(jni, threads[i], current) &&
            tm__event_report_begin(&r, jni, current)) {
            report(&r, jni, threads[i]);
            tm__event_report_drop(&r);
        }
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}
