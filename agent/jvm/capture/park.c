/* SPDX-License-Identifier: Apache-2.0 */
/* What a park is for and why it is over, from fields of the thread object. */
#include "capture/park.h"

#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "vm/java_fields.h"

tm_event tm__park_event(tm__buffer *buffer, JNIEnv *jni, jthread thread)
{
    tm_event event = {.kind = TM_EVENT_PARK};
    jobject blocker, owner = NULL;
    int is_synchronizer;

    if (!thread || !tm__the_java.thread_blocker)
        return event;
    blocker = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
    if (!blocker)
        return event;
    event.object = tm__parked_for_id(buffer, jni, blocker, &is_synchronizer);
    if (is_synchronizer && tm__the_java.synchronizer_owner)
        owner = (*jni)->GetObjectField(jni, blocker, tm__the_java.synchronizer_owner);
    if (owner) {
        event.peer = tm__thread_id(jni, owner);
        event.flags = TM_EVENT_PEER_REPORTED;
        (*jni)->DeleteLocalRef(jni, owner);
    }
    (*jni)->DeleteLocalRef(jni, blocker);
    return event;
}

uint16_t tm__park_end(JNIEnv *jni, jthread thread, int64_t timeout_ns, int64_t took_ns)
{
    jfieldID interrupted = tm__the_java.thread_interrupted;

    if (thread && interrupted && (*jni)->GetBooleanField(jni, thread, interrupted))
        return TM_EVENT_BY_INTERRUPT;
    return timeout_ns > 0 && took_ns >= timeout_ns ? TM_EVENT_TIMED_OUT : 0;
}
