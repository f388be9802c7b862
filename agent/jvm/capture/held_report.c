/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/held_report.h"

#include "capture/event_report.h"

#include "ident/object_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "vm/vm.h"

int tm__held_is_self_reported(const tm__event_report *r)
{
    return r->is_virtual && tm__the_vm.reports_held && !tm__the_vm.reports_virtual;
}

/* All monitors that the calling thread holds, as of now. The first event, without an
 * object, says that those which follow are all, and how many: the ring may have no room
 * for each. The cost of asking is charged to the share of stacks: it is one more walk.
 */
void tm__held_add(tm__event_report *r, JNIEnv *jni, uint64_t waited_on)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm_event event = {.kind = TM_EVENT_HELD,
                      .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED};
    jvmtiMonitorStackDepthInfo *monitors = NULL;
    jint count = 0;
    int64_t began_ns = tm__now_ns();

    r->weak = NULL; /* it went with the enter */
    if ((*jvmti)->GetOwnedMonitorStackDepthInfo(jvmti, NULL, &count, &monitors) !=
        JVMTI_ERROR_NONE)
        return;
    event.value = count - (waited_on != 0);
    tm__event_report_add(r, TM__NO_STACK, event);
    for (jint i = 0; i < count; i++) {
        event.object = tm__object_id(r->buffer, jni, monitors[i].monitor);
        event.value = monitors[i].stack_depth;
        if (event.object && event.object != waited_on)
            tm__event_report_add(r, TM__NO_STACK, event);
        (*jni)->DeleteLocalRef(jni, monitors[i].monitor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)monitors);
    tm__counter_add(&r->buffer->stacks.walks_ns, (uint64_t)(tm__now_ns() - began_ns));
}
