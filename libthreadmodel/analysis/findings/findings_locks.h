/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a group of locks: sums of the time for which they blocked threads.
 */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_LOCKS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_LOCKS_H

#include "analysis/findings/findings.h"
#include "analysis/findings/findings_queues.h"

/** What a sum is about, as its last key. */
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

/** A finding for each group that is worth one. @return TM_OK or TM_ENOMEM */
int tm__lock_cards(const tm__lock_sums *sums);

#endif
