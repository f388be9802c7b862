/* SPDX-License-Identifier: Apache-2.0 */
/* The owners of locks in a model: see model/ownership. */
#ifndef TM_MODEL_OWNERSHIP_STATE_H
#define TM_MODEL_OWNERSHIP_STATE_H

#include <threadmodel/model.h>

#include "base/triple_map.h"
#include "model/state/array.h"

/** From an exact release to the instant at which the next one had it: counts by
 * length, four to an octave. */
typedef struct tm__latency {
    uint32_t counts[4 * 42];
    uint32_t count;
    uint32_t median; ///< counts[] that has the middle one
    uint32_t below;  ///< how many are shorter than those
} tm__latency;

/** Kinds of wake-ups that are alike. */
enum {
    TM__WAKEUP_MONITOR, ///< of a thread that queues for a monitor
    TM__WAKEUP_PARK,    ///< of a parked thread
    TM__WAKEUP_END
};

/** Whether who got a lock at one stack must have left it at another; a cache. */
typedef struct tm__inside {
    uint32_t held;   ///< stacks[] + 1; 0: the slot is free
    uint32_t wanted; ///< stacks[]
    int verdict;
} tm__inside;

enum { TM__INSIDE_SLOTS = 256 };

/** A lock that a thread held while it was blocked by another. */
typedef struct tm__held {
    uint32_t object;    ///< objects[], or a tm__class_key() in a coarse nesting
    uint32_t stack;     ///< stacks[]: where it was got, or TM__NONE
    uint8_t provenance; ///< enum tm_provenance of "it was held"
    uint8_t is_shared;  ///< others could hold it as well
} tm__held;

/** How many locks that a blocked thread holds are looked at. */
enum { TM__HELD_AT_ONCE = 8 };

/** A block that has ended, or an acquisition, with the locks that its thread held. */
typedef struct tm__noted {
    int64_t start_ns;
    uint32_t wanted; ///< objects[]
    uint32_t thread;
    uint32_t stack;     ///< stacks[] or TM__NONE
    uint32_t is_shared; ///< it wanted to share the lock
    uint32_t held_count;
    tm__held held[TM__HELD_AT_ONCE];
} tm__noted;

/** So many blocks are put into the nestings together. */
enum { TM__NOTED_AT_ONCE = 32 };

/**
 * Blocks of one thread at one stack for one object, with the same locks held: what
 * is known of the order in which a program takes its locks. Once there are many, of
 * objects of one class.
 */
typedef struct tm__nesting {
    int64_t first_ns; ///< when the first of these blocks began
    int64_t last_ns;
    uint32_t wanted; ///< objects[], or a tm__class_key() where it is coarse
    uint32_t thread;
    uint32_t stack;      ///< stacks[] or TM__NONE
    uint32_t held_first; ///< helds[], by rising object
    uint32_t held_count;
    uint32_t next; ///< nestings[] of the same thread, stack and wanted, or TM__NONE
    uint32_t count;
    uint16_t is_coarse;
    uint16_t is_shared; ///< the thread wanted to share the lock
} tm__nesting;

/** Nestings that are kept where no memory limit leaves less. */
enum { TM__NESTINGS_MAX = 1 << 16 };

typedef struct tm__ownership {
    TM__ARRAY(struct tm__tenure, tenures);
    uint32_t tenures_first; ///< as many were dropped: the number before tenures[0]'s
    uint64_t edges_gone;    ///< times that a link in a chain of waits went; from 1
    /** A deadlock is to be looked at again: one of its threads no longer has what
     * others want. The search lies in a room above. */
    void (*owner_changed)(tm_model *model, uint32_t deadlock);
    TM__ARRAY(struct tm__hold_sum, hold_sums);
    tm__triple_map hold_sum_map; ///< (class, stack, 0): hold_sums[] + 1
    uint64_t hold_sums_left_out; ///< holds for which there was no memory
    TM__ARRAY(struct tm__nesting, nestings);
    TM__ARRAY(struct tm__held, helds);
    tm__triple_map nesting_map; ///< (wanted, thread, stack): nestings[] + 1
    uint32_t nestings_max;      ///< there are never more
    uint32_t nestings_coarse;   ///< half of them are in use: what is new is coarse
    uint64_t nestings_left_out; ///< blocks whose held locks were not kept
    uint64_t nestings_unproven; ///< blocks whose stacks do not show what was held
    tm__noted stated;           ///< a nesting whose last events are yet to come
    int64_t stated_left;        ///< so many of them; 0: none
    uint32_t noted_count;       ///< 0 except inside ingest
    tm__noted noted[TM__NOTED_AT_ONCE]; ///< to be put into nestings
    tm__inside inside[TM__INSIDE_SLOTS];
    tm__latency latencies[TM__WAKEUP_END]; ///< from a release to who got it
} tm__ownership;

#endif
