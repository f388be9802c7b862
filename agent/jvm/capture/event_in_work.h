/* SPDX-License-Identifier: Apache-2.0 */
/* One event on its way from a callback into the calling thread's ring. */
#ifndef TM_AGENT_CAPTURE_EVENT_IN_WORK_H
#define TM_AGENT_CAPTURE_EVENT_IN_WORK_H

#include <jvmti.h>
#include <stdint.h>
#include <threadmodel/event.h>

#include "ring/buffer.h"
#include "vm/options.h"

/** The event in work: whose, where it goes, and since when. */
typedef struct tm__event_report {
    tm__buffer *buffer;
    int64_t time_ns;
    uint64_t thread;
    int is_virtual;     ///< the thread may go on with another carrier
    uint32_t session;   ///< in which it began
    int64_t began_ns;   ///< its thread's processor time; 0: not to be measured
    uint64_t walks_ns;  ///< of that, in walks, ever
    jweak weak;         ///< to go along with the event; NULL: none
    int skipped_frames; ///< innermost ones, which are ours
    int has_stack;      ///< the record that was put last has one
    int wakes_writer;   ///< when it is in the ring: it may have closed a deadlock
} tm__event_report;

enum {
    TM__NO_STACK = 0,
    /** Frames that show who called a method of the JDK. */
    TM__CALLER = 8,
    /** The same before JDK 14, which has eight frames of its own between an unpark and
     * who called Semaphore.acquire(). */
    TM__CALLER_OLD = 10,
    TM__WHOLE_STACK = TM__DEPTH_MAX ///< as many as the options say
};

/** Changes what has to be true at the event's time. It puts nothing into the ring. */
typedef void (*tm__event_settle_fn)(tm_event *event, void *payload);

#endif
