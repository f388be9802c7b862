/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the VM's, 0.1 us a frame: its frames lie in a record as they lie there.
 */
#include "capture/stack_walk.h"

#include "capture/event_in_work.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "vm/vm.h"

_Static_assert(sizeof(jvmtiFrameInfo) == sizeof(tm__record_frame),
               "frames are written straight into a record");

/* A walk that took longer was not on a processor for most of that. */
enum { LONGEST_WALK_NS = 100000 };

size_t tm__stack_walk_of(tm__record *record, jthread thread, int skipped,
                         uint32_t depth)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint count = 0;

    /* One more than wanted, to know whether there are more. */
    if ((*jvmti)->GetStackTrace(jvmti, thread, skipped, (jint)depth + 1,
                                (jvmtiFrameInfo *)(record + 1),
                                &count) != JVMTI_ERROR_NONE)
        return 0;
    record->event.stack_flags = (uint32_t)count > depth ? TM_STACK_TRUNCATED : 0;
    record->event.frame_count =
        (uint16_t)(record->event.stack_flags ? depth : (uint32_t)count);
    return record->event.frame_count * sizeof(jvmtiFrameInfo);
}

size_t tm__stack_walk(const tm__event_report *report, tm__record *record,
                      uint32_t depth)
{
    tm__stacks *it = &report->buffer->stacks;
    int64_t began_ns = tm__now_ns();
    size_t bytes = tm__stack_walk_of(record, NULL, report->skipped_frames, depth);
    int64_t walk_ns = tm__now_ns() - began_ns;

    tm__counter_add(&it->walks, 1);
    tm__counter_add(&it->walks_ns,
                    (uint64_t)(walk_ns < LONGEST_WALK_NS ? walk_ns : LONGEST_WALK_NS));
    return bytes;
}
