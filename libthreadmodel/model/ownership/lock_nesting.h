/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that a thread held while it was blocked by another. */
#ifndef TM_MODEL_LOCK_NESTING_H
#define TM_MODEL_LOCK_NESTING_H

#include <threadmodel/model.h>

#include "model/state/ownership_state.h"

/** Whether a thread is still in the method in which it took a monitor. */
enum tm__inside_verdict {
    TM__LEFT,     ///< it is not, and has released it
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
 * @param cache            model->ownership.inside of a model that may be changed, or
 * NULL
 * @param[out] held        room for TM__HELD_AT_ONCE
 * @param[in,out] unproven added to where there are locks that it may have, which no
 *                          stack shows
 * @return how many there are; 0 for a thread that is not blocked
 */
uint32_t tm__held_by(const tm_model *model, tm__inside *cache, uint32_t thread,
                     tm__held *held, uint32_t *unproven);

/** A block ends: note which locks its thread held meanwhile. */
void tm__order_note(tm_model *model, uint32_t thread);

/** The nesting at the end of ownership.noted is complete. */
void tm__order_noted(tm_model *model);

/** Put what was noted into the nestings. To lack the memory for that is counted, and
 * nothing else fails. */
void tm__order_settle(tm_model *model);

#endif
