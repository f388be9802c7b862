/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of the time for which a group of locks blocked threads.
 */
#ifndef TM_ANALYSIS_FINDINGS_LOCK_SUMS_H
#define TM_ANALYSIS_FINDINGS_LOCK_SUMS_H

#include "analysis/findings/finding.h"
#include "analysis/findings/findings_queues.h"
#include "analysis/findings/tally.h"

/** The kinds of sums, as their last key. */
enum {
    TM__LOCK_BLOCKED_AT, ///< (group, place of the blocked)
    TM__LOCK_HELD_BY,    ///< (group, place of the owner)
    TM__LOCK_OWNER,      ///< (group, owner)
    TM__LOCK_BLOCKED,    ///< (group, blocked thread)
    TM__LOCK_OWNED,      ///< (group, 0): time that had an owner
    TM__LOCK_KNOWN,      ///< (group, 0): time whose owner is exact or reported
    TM__LOCK_WHOLE,      ///< (group, 0)
    TM__LOCK_REENTERING, ///< (group, 0): after a wait
    TM__LOCK_LATENCY,    ///< (group, 0): the next owner was being woken
    TM__LOCK_UNKNOWN,    ///< (group, 0): no event shows the owner
    TM__LOCK_WHILE,      ///< + state: (group, place where the owner was blocked)
    TM__LOCK_WHILE_KNOWN = TM__LOCK_WHILE + TM_STATE_END, ///< + state: not inferred
};

typedef struct tm__lock_sums {
    tm__findings *findings;
    tm__tally tally;
    tm__queues queues;
    tm__lock_groups groups;
} tm__lock_sums;

#endif
