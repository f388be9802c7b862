/* SPDX-License-Identifier: Apache-2.0 */
/* How a Go execution trace of version 2 is written: numbers of events and what they
 * bring. */
#ifndef TM_FORMATS_GO_WIRE_H
#define TM_FORMATS_GO_WIRE_H

#include "trace/coding.h"

enum {
    TM__GO_HEADER_BYTES = 16,
    TM__GO_OLDEST = 22, ///< the first release that writes version 2
    TM__GO_NEWEST = 26,
    TM__GO_CLOCK_SNAPSHOT_SINCE = 25,
    TM__GO_END_OF_GENERATION_SINCE = 26,
    TM__GO_BATCH_BYTES = 1 << 16, ///< at most
    TM__GO_STRING_BYTES = 1 << 10,
    TM__GO_STACK_FRAMES = 128,
    TM__GO_ARGUMENTS = 5 ///< of an event, its time among them, at most
};

/** The thread in the header of a batch that belongs to no thread. */
#define TM__GO_NO_THREAD UINT64_MAX

enum tm__go_event_type {
    TM__GO_EVENT_BATCH = 1,
    TM__GO_STACKS = 2,
    TM__GO_STACK = 3,
    TM__GO_STRINGS = 4,
    TM__GO_STRING = 5,
    TM__GO_CPU_SAMPLES = 6,
    TM__GO_CPU_SAMPLE = 7,
    TM__GO_FREQUENCY = 8,
    TM__GO_PROCS_CHANGE = 9,
    TM__GO_PROC_START = 10,
    TM__GO_PROC_STOP = 11,
    TM__GO_PROC_STEAL = 12,
    TM__GO_PROC_STATUS = 13,
    TM__GO_CREATE = 14,
    TM__GO_CREATE_SYSCALL = 15,
    TM__GO_START = 16,
    TM__GO_DESTROY = 17,
    TM__GO_DESTROY_SYSCALL = 18,
    TM__GO_STOP = 19,
    TM__GO_BLOCK = 20,
    TM__GO_UNBLOCK = 21,
    TM__GO_SYSCALL_BEGIN = 22,
    TM__GO_SYSCALL_END = 23,
    TM__GO_SYSCALL_END_BLOCKED = 24,
    TM__GO_STATUS = 25,
    TM__GO_STW_BEGIN = 26,
    TM__GO_STW_END = 27,
    TM__GO_TASK_BEGIN = 40,
    TM__GO_TASK_END = 41,
    TM__GO_REGION_BEGIN = 42,
    TM__GO_REGION_END = 43,
    TM__GO_SWITCH = 45,
    TM__GO_SWITCH_DESTROY = 46,
    TM__GO_CREATE_BLOCKED = 47,
    TM__GO_STATUS_STACK = 48,
    TM__GO_EXPERIMENTAL_BATCH = 49,
    TM__GO_SYNC = 50,
    TM__GO_CLOCK_SNAPSHOT = 51,
    TM__GO_END_OF_GENERATION = 52
};

/** The status of a goroutine, as in its events of status. */
enum tm__go_status {
    TM__GO_ABSENT = 0, ///< not seen, or over
    TM__GO_RUNNABLE = 1,
    TM__GO_RUNNING = 2,
    TM__GO_IN_SYSCALL = 3,
    TM__GO_WAITING = 4,
    TM__GO_STATUS_END = 5
};

/** The same of a P. */
enum tm__go_p_status {
    TM__GO_P_ABSENT = 0,
    TM__GO_P_RUNNING = 1,
    TM__GO_P_IDLE = 2,
    TM__GO_P_SYSCALL = 3,
    TM__GO_P_ABANDONED = 4, ///< in a system call of a thread that is not known
    TM__GO_P_STATUS_END = 5
};

static inline int tm__go_byte(tm__cursor *cursor)
{
    if (cursor->at < cursor->end)
        return *cursor->at++;
    cursor->bad = 1;
    return 0;
}

#endif
