/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of the tenures that a block lies in. */
#ifndef TM_ANALYSIS_LOCKS_SHARE_BOUNDS_H
#define TM_ANALYSIS_LOCKS_SHARE_BOUNDS_H

#include "analysis/locks/share_state.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"

/** The bounds of a tenure. Blocks are dealt out in the order of time, and so their
 * owners' intervals lie near the last ones. */
void tm__share_bounds(const tm__dealer *dealer, tm__bounds *bounds, uint32_t object,
                      const tm__tenure *it, const tm__tenure *next, int64_t end_ns);

/** The one of several owners at once that counts: the last to leave, and of two the one
 * whose release is known.
 * @param[in,out] next  the record after the first; that after all of them */
const tm__tenure *tm__last_to_leave(const tm__dealer *dealer, uint32_t object,
                                    const tm__tenure *first, int64_t at_ns,
                                    int64_t end_ns, tm__bounds *bounds,
                                    const tm__tenure **next);

/** When a record's owner surely had it first: a stretch of sleep before counts. */
int64_t tm__share_begins_ns(const tm__dealer *dealer, uint32_t object,
                            const tm__tenure *it);

/**
 * How long the shorter ones of a lock's holds are, if both ends are known well: from
 * the entry of one owner to that of the next. Where the next owner took the lock
 * unseen, the one before is likely to have had it for so long.
 */
int64_t tm__short_hold_ns(tm__dealer *dealer, uint32_t object);

#endif
