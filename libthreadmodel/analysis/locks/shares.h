/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owners of the lock that a thread was blocked by, while it was blocked: each block's
 * time is divided among the tenures of its lock.
 *
 *     lock    [ A ···········]~~[ B ····]~
 *     block      |··················|··|        shares: A, latency, B, latency
 *
 * A block here is a blocking interval for a lock: BLOCKED (though it became a
 * deadlock), REENTERING, or PARKED on a synchronizer that threads own.
 */
#ifndef TM_ANALYSIS_LOCKS_SHARES_H
#define TM_ANALYSIS_LOCKS_SHARES_H

#include "analysis/locks/share_state.h"

/** "owner", "latency", "unknown" */
const char *tm__share_name(int kind);

/** Hand on the shares of a thread's block. @param end_ns  when it ended
 * @return TM_OK or what `take` returned */
int tm__deal_block(tm__dealer *dealer, uint32_t thread, uint32_t interval,
                   int64_t end_ns, uint32_t queued);

/** Whether an interval begins a block: of a park that an owner of its object was ever
 * named, be it later. */
int tm__is_block(const tm_model *model, const tm__interval *it);

#endif
