/* SPDX-License-Identifier: Apache-2.0 */
/* All blocks of a run, by the time at which they end. */
#ifndef TM_ANALYSIS_LOCKS_BLOCKS_H
#define TM_ANALYSIS_LOCKS_BLOCKS_H

#include "analysis/locks/shares.h"

/**
 * Go through all blocks of a scope by rising end, open ones last.
 * @param capped   NULL, or gets how many blocks had more owners than are reported
 * @return TM_OK, TM_ENOMEM, or what `take` returned
 */
int tm__shares_walk(const tm_model *model, const tm__scope *scope,
                    tm__share_fn add_share, void *payload, uint64_t *capped);

/** The same, but each block is one share, whose owner is not looked for: owners are
 * most of the cost. */
int tm__blocks_walk(const tm_model *model, const tm__scope *scope,
                    tm__share_fn add_block, void *payload);

/** A question goes through the shares of a scope. When a second one does so through
 * those of a whole run, the model keeps them: one question alone would take the memory
 * for nothing. No other thread asks the model meanwhile.
 * @return TM_OK or TM_ENOMEM */
int tm__shares_need(const tm_model *model, const tm__scope *scope);

#endif
