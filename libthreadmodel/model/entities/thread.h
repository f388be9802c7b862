/* SPDX-License-Identifier: Apache-2.0 */
/* A thread in the model. */
#ifndef TM_MODEL_THREAD_H
#define TM_MODEL_THREAD_H

#include <stdint.h>

/* Three cache lines, which are misses with a million threads: the fields that every
 * event of the thread and every look of another thread touches, those that its blocking
 * intervals need, and the rest. */
typedef struct tm__thread {
    struct tm__interval *intervals;
    int64_t last_ns;  ///< its last act; INT64_MIN: none yet
    int64_t since_ns; ///< start of its last interval; INT64_MIN: it has none
    uint32_t interval_count;
    uint32_t interval_capacity;
    uint32_t interval_first; ///< number of intervals[0]: as many were evicted
    uint32_t blocking;       ///< number of the interval with which the present blocking
                             ///< interval began; itself where the thread is not blocked
    uint8_t state;           ///< enum tm_state of its last interval
    uint8_t blocking_state; ///< the same of that with which the blocking interval began
    uint8_t fickle : 1;     ///< its wait may end for no reason
    uint8_t is_stated : 1;  ///< it may have been said to own something since it blocked
    uint8_t overlapped : 1; ///< another called interrupt before `interrupter` was done
    uint8_t permit_unseen;  ///< it may have a permit that no event reported
    uint32_t wants;         ///< objects[] that it cannot go on without, or TM__NONE
    uint32_t wanted;        ///< threads that want what it owns, or join it
    uint32_t owned;         ///< head of the list of objects that it is thought to own
    uint32_t deadlock;      ///< deadlocks[] that it stands in, or TM__NONE
    uint32_t losses;        ///< loss markers seen when it was last known what it did

    int64_t end_ns;      ///< INT64_MIN: not seen to end
    int64_t deadline_ns; ///< of the wait, join, sleep or park; INT64_MAX: none
    uint32_t joins;      ///< threads[] that it waits for, or TM__NONE
    uint32_t waits_in;   ///< objects[] in whose wait set it is, or TM__NONE
    uint32_t bound;      ///< interactions that took it out of the set, or TM__NONE
    uint32_t next;       ///< in the wait set that it is in
    uint32_t previous;
    uint32_t binding;     ///< bindings[]: of a bound that is in doubt, or TM__NONE
    uint32_t starter;     ///< interactions: start called and not yet begun
    uint32_t interrupt;   ///< interactions: interrupt called, not yet taken
    uint32_t permit;      ///< interactions: unpark called, not yet taken
    uint32_t interrupter; ///< threads[] that interrupted it last, or TM__NONE; if
                          ///< overlapped, the first that may not have woken it yet
    uint32_t flags;       ///< enum tm_thread_flag
    uint32_t carrier;     ///< threads[] that carries it; of a carrier, whom it
                          ///< carried last; TM__NONE

    int64_t interrupted_ns; ///< when that interrupt was called
    int64_t start_ns;       ///< INT64_MIN: not seen to start
    uint64_t id;
    uint64_t os_id;
    uint64_t samples;   ///< CPU samples seen
    uint32_t object;    ///< objects[]: the thread object; TM__NONE: unknown
    uint32_t end_group; ///< group of the rows that its end woke, or TM__NONE
    uint32_t aggregate; ///< head of the list of its aggregates, or TM__NONE
    uint32_t name;      ///< strings; TM__NONE: unknown
    uint32_t group;     ///< strings; TM__NONE: unknown
    uint32_t pid;       ///< 0: the run's
} tm__thread;

_Static_assert(sizeof(tm__thread) <= 192, "a thread is three cache lines");

#endif
