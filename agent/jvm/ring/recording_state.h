/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there is recording, since when and where to. */
#ifndef TM_AGENT_RING_RECORDING_STATE_H
#define TM_AGENT_RING_RECORDING_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#include <threadmodel/sink.h>

/** The part that is left out for now, so that the recording keeps to its budget. */
enum tm__left_out { TM__LEFT_OUT_NOTHING, TM__LEFT_OUT_STACKS, TM__LEFT_OUT_EVENTS };

typedef struct tm__recording_state {
    atomic_int is_on;         ///< 0: callbacks return at once
    atomic_int left_out;      ///< enum tm__left_out
    _Atomic int64_t came_ns;  ///< when the writer last came by
    _Atomic int64_t ended_ns; ///< when a thread ended it for want of that, or the file
                              ///< that stops it did; 0: neither
    _Atomic uint32_t session; ///< changes whenever recording begins
    atomic_int entering;      ///< threads that are about to get a buffer
    _Atomic uint64_t kinds;   ///< as in tm_run: those that this VM lets us report
    const tm_sink *sink;      ///< takes what was merged
    uint64_t run_id;          ///< at random
    int64_t start_ns;
    int64_t start_wall_ns;
} tm__recording_state;

/** A kind of event as a bit, TM__KIND(PARK). */
#define TM__KIND(name) (UINT64_C(1) << TM_EVENT_##name)

/** The subject of an event, for the stacks that are shared: its object, or the thread
 * that is called; for a sleep, which has neither, how long it is asked to last. */
static inline uint64_t tm__topic_of(const tm_event *event)
{
    if (event->kind == TM_EVENT_SLEEP)
        return (uint64_t)event->value;
    return event->object ? event->object : event->peer;
}

/** A process has one recording at a time. */
extern tm__recording_state tm__the_recording;

static inline uint32_t tm__session(void)
{
    return atomic_load_explicit(&tm__the_recording.session, memory_order_relaxed);
}

/** Whether stacks, or events as well, are left out for now. */
static inline int tm__is_left_out(enum tm__left_out what)
{
    return atomic_load_explicit(&tm__the_recording.left_out, memory_order_relaxed) >=
           (int)what;
}

#endif
