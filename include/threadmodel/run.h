/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/run.h: facts about a run as a whole, and about its producer. */
#ifndef THREADMODEL_RUN_H
#define THREADMODEL_RUN_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/** How a woken waiter is bound to the notify that woke it. */
enum tm_policy {
    TM_POLICY_UNKNOWN = 0, ///< as HOTSPOT, but that a condition apart from its mutex
                           ///< may wake any waiter; every binding is inferred
    TM_POLICY_HOTSPOT = 1, ///< wait set is first in, first out; notify needs the lock
    TM_POLICY_TPTP = 2,    ///< the rule of the TPTP 4.5 design, by wake order
    TM_POLICY_REPORTED = 3 ///< only what the producer itself names
};

/** How sure it is that one object id is one object. */
enum tm_identity {
    TM_IDENTITY_UNKNOWN = 0,
    TM_IDENTITY_EXACT = 1,  ///< ids were issued by the producer, one an object
    TM_IDENTITY_HASH = 2,   ///< class and identity hash: rarely two objects share one
    TM_IDENTITY_ADDRESS = 3 ///< addresses, which the VM may reuse for another object
};

/** How the recorded process ended. */
enum tm_ending {
    TM_ENDING_UNKNOWN = 0,
    TM_ENDING_WENT_ON = 1,  ///< the recording ended before the process
    TM_ENDING_EXITED = 2,   ///< it exited, with the status tm_run.ending_status
    TM_ENDING_SIGNALLED = 3 ///< the signal tm_run.ending_status ended it
};

/**
 * Facts of a run. All may be unknown (0 or NULL). Known fields of a second tm_run
 * replace those of the first.
 */
typedef struct tm_run {
    size_t size;           ///< sizeof(tm_run), so that fields may be added
    const char *source;    ///< file or process that the data came from
    const char *format;    ///< "tmt", "jfr", ...
    const char *producer;  ///< program and release that reported the events
    const char *vm;        ///< name and version of the VM
    const char *command;   ///< main class or jar, and its arguments
    uint64_t pid;          ///< process id
    int64_t start_wall_ns; ///< since 1970-01-01 UTC, at the instant start_ns
    int64_t start_ns;      ///< begin of the recording, by the events' clock
    int64_t end_ns;        ///< its end, by the events' clock; 0: unknown
    int64_t threshold_ns;  ///< shorter blocks and waits were not recorded; 0: none
    uint64_t kinds;   ///< bit k: the producer reports events of kind k; 0: unknown.
                      ///< Acquired and Released both: every hold of a lock is
                      ///< reported, and owners are exact
    int32_t policy;   ///< enum tm_policy
    int32_t identity; ///< enum tm_identity
    uint64_t id;      ///< random: distinguishes this run from all others

    /* The cost of recording by then; all 0: unknown. */
    uint64_t cost_events;     ///< that were to be recorded
    uint64_t cost_dropped;    ///< of these, for want of room or to keep to a budget
    uint64_t cost_bytes;      ///< written
    int64_t cost_threads_ns;  ///< of the program's threads, estimated
    int64_t cost_stacks_ns;   ///< of these, for walks of stacks
    int64_t cost_recorder_ns; ///< processor time of the recorder's own threads

    uint64_t processors; ///< that the process could use; 0: unknown

    int32_t ending;        ///< enum tm_ending: of the process, at end_ns
    int32_t ending_status; ///< exit status or signal number

    uint64_t object_kinds; ///< bit k: waits for objects of kind k (enum
                           ///< tm_object_kind) are reported by Await; 0: unknown

    /** Time in which the process did not run at all, as far as the producer saw: a
     *  signal or a debugger had stopped it, or the machine was suspended. 0: none. */
    int64_t stopped_ns;
} tm_run;

/** A tm_run with nothing in it but its size. */
#define TM_RUN_INIT                                                                    \
    {                                                                                  \
        sizeof(tm_run), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0, 0, 0, 0, 0, 0, 0, 0                                                  \
    }

TM_END_DECLS

#endif
