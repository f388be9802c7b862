/* SPDX-License-Identifier: Apache-2.0 */
/* Which locks a thread held while it was blocked by another. */
#ifndef TM_MODEL_LOCK_NESTING_H
#define TM_MODEL_LOCK_NESTING_H

#include <threadmodel/model.h>

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
    uint8_t is_shared;  ///< others could hold it as well, once at least
} tm__held;

/** How many locks that a blocked thread holds are looked at. */
enum { TM__HELD_AT_ONCE = 8 };

/** A block that has ended, with the locks that its thread held. */
typedef struct tm__noted {
    int64_t start_ns;
    uint32_t wanted; ///< objects[]
    uint32_t thread;
    uint32_t stack; ///< stacks[] or TM__NONE
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
    uint32_t is_coarse;
} tm__nesting;

/** Nestings that are kept where no memory limit leaves less. */
enum { TM__NESTINGS_MAX = 1 << 16 };

/** Whether a thread is still in the method in which it took a monitor. */
enum tm__inside_verdict {
    TM__LEFT,     ///< it is not, and has let go
    TM__INSIDE,   ///< it is, and may have
    TM__UNPROVEN, ///< stacks do not tell
};

/**
 * Compare where a thread took a monitor, or waited on it, with where it is now.
 * @param taken, now  stacks[] or TM__NONE
 * @return enum tm__inside_verdict
 */
int tm__stacks_compare(const tm_model *model, uint32_t taken, uint32_t now);

/**
 * The locks that a thread which is blocked now holds, by rising index: it was said so
 * of, or its stack shows that it is inside of where it got them.
 * @param cache            model->inside of a model that may be changed, or NULL
 * @param[out] held        room for TM__HELD_AT_ONCE
 * @param[in,out] unproven added to where there are locks that it may have, which no
 *                          stack shows
 * @return how many there are; 0 for a thread that is not blocked
 */
uint32_t tm__held_by(const tm_model *model, tm__inside *cache, uint32_t thread,
                     tm__held *held, uint32_t *unproven);

/** A block ends: note which locks its thread held meanwhile. */
void tm__order_note(tm_model *model, uint32_t thread);

/** Put what was noted into the nestings. To lack the memory for that is counted, and
 * nothing else fails. */
void tm__order_settle(tm_model *model);

#endif
