/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of the drainer: the events of all rings by rising time.
 *
 * Drained records are to be sorted by time, so a round ends at a horizon before which
 * every event has been committed: no thread has an earlier one in work. Later records
 * stay in their rings until the next round, so that records held back take no memory of
 * their own.
 *
 *      A  ──e1────e4──────e6───▶          a thread says when the event that it has
 *      B  ────e2─────[e5 in work]         in work began; the horizon is the earliest
 *      C  ───────e3────────e7──▶          of these, here that of e5
 */
#ifndef TM_RINGS_ROUND_H
#define TM_RINGS_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "rings/thread_ring.h"

typedef struct tm__ring_cursor {
    tm__thread_ring *ring;
    uint64_t at;
    tm__record *record; ///< at `at`, and an event
} tm__ring_cursor;

/** Zeroed at first. */
typedef struct tm__round {
    tm__ring_cursor *heap; ///< the earliest first
    size_t count, capacity;
    int is_taken;    ///< the first was handed out
    int64_t now_ns;  ///< when it began
    int64_t seen_ns; ///< what was begun before that is seen
    int64_t most_ns; ///< it goes no further, unless it is final: as the drainer sets it
    int64_t horizon_ns;
    int64_t last_horizon_ns;
} tm__round;

/** A round begins. The first of all rings is looked up after this: one that is not
 * among them by then has only later events. */
void tm__round_begin(tm__round *round);

/**
 * Find how far this round goes, and set every ring's limit. Definitions up to these are
 * taken after it and before the events.
 *
 * @param first  of all rings
 * @param final  no thread adds to a ring any more: there is no horizon
 * @return 0; -1: there is no memory, and this round does not take place
 */
int tm__round_limit(tm__round *round, tm__thread_ring *first, int final);

/** After the definitions: load the heap. */
void tm__round_load(tm__round *round, tm__thread_ring *first);

/** The next event; NULL: this was the round, and rings know how far it came. */
tm__record *tm__round_next(tm__round *round, tm__thread_ring **ring);

void tm__round_free(tm__round *round);

#endif
