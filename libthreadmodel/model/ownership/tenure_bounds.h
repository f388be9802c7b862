/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of a tenure, from what its owner did and from the next owner. */
#ifndef TM_MODEL_OWNERSHIP_TENURE_BOUNDS_H
#define TM_MODEL_OWNERSHIP_TENURE_BOUNDS_H

#include "model/ownership/owner_facts.h"
#include "model/ownership/tenure.h"

/**
 * Whether a thread that got an object at a stack must have released it by the begin of
 * one of its blocking intervals.
 * @param taken  stacks[] or TM__NONE
 */
int tm__has_left(const tm_model *model, uint32_t object, uint32_t taken,
                 const tm__interval *blocked);

/** The stated owner of the lock that a thread is blocked by becomes that of the block.
 */
void tm__name_owner(tm_model *model, uint32_t thread);

/**
 * The bounds of a record of an object that follow from its neighbours and from its
 * owner's states meanwhile.
 * @param next    the record after it, or NULL
 * @param end_ns  until when to look
 * @param near    the owner's interval from which to look for the one in which it got
 *                the lock: the bounds' `at` of a record of that time; or TM__NONE
 */
void tm__tenure_bounds(tm__bounds *bounds, const tm_model *model, uint32_t object,
                       const tm__tenure *record, const tm__tenure *next, int64_t end_ns,
                       uint32_t near);

/** Since when the owner of a record that was handed to it had been queueing for it;
 * INT64_MIN: not known. */
int64_t tm__tenure_queued_ns(const tm_model *model, const tm__tenure *record);

/**
 * The peer of an interval; of a block that goes on and had no known owner when it
 * began, the owner that was stated since.
 * @param provenance  of that; as it was where it is the interval's own
 */
uint32_t tm__stated_owner(const tm_model *model, const tm__thread *thread,
                          uint32_t interval, int *provenance);

#endif
