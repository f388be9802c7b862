/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a wait for a permit among the threads that had it meanwhile. */
#ifndef TM_ANALYSIS_LOCKS_USE_SHARES_H
#define TM_ANALYSIS_LOCKS_USE_SHARES_H

#include "analysis/locks/shares.h"

/**
 * The same of waits for resources, thread by thread: who had the permit that the thread
 * got in the end, or would have got had its time not been up.
 * @return TM_OK, TM_ENOMEM, or what `add_share` returned
 */
int tm__use_shares_walk(const tm_model *model, const tm__scope *scope,
                        tm__share_fn add_share, void *payload, uint64_t *capped);

/** Whether any of these shares can be known. If a recording does not state where
 * threads are released, as JFR's, all are unknown, which takes one look at its
 * interactions and no list of its waits. */
int tm__use_shares_may_be_known(const tm_model *model);

#endif
