/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects a writer that no longer comes by. Where it hangs, in a file system that does
 * not answer for instance, rings only fill, and the program pays for events that are
 * never written. So its threads look, at each event, when the writer was last here:
 * that takes a load, and neither a thread nor a timer of its own. A thread that finds
 * it late notes since when, and ends the recording where it still is a second later: a
 * process that was stopped and goes on has its writer back before that. Time in which
 * the thread itself had to wait for a processor does not count: where it does, so does
 * the writer. Where no thread lives for that second, or comes by twice, that time is
 * not known, and a thread that comes by after the longest that it may be ends the
 * recording.
 */
#ifndef TM_AGENT_RING_WATCHDOG_H
#define TM_AGENT_RING_WATCHDOG_H

#include <stdatomic.h>
#include <stdint.h>

#include "ring/recording_state.h"

/** The time until the writer is called late, of the two seconds that it may be away. */
#define TM__LATE_NS INT64_C(1000000000)

/** The writer is here, or waits for something that it has said. */
void tm__watchdog_came(void);

/** It is about to wait for a peer for as long as that takes, and nobody is to miss it.
 */
void tm__watchdog_away(void);

/** It is late: note it, or a second later end the recording. */
void tm__watchdog_late(int64_t now_ns);

/** A recording begins. */
void tm__watchdog_begin(void);

/** An event is in work at that time. */
static inline void tm__watchdog_look(int64_t now_ns)
{
    if (now_ns -
            atomic_load_explicit(&tm__the_recording.came_ns, memory_order_relaxed) >
        TM__LATE_NS)
        tm__watchdog_late(now_ns);
}

#endif
