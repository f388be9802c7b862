/* SPDX-License-Identifier: Apache-2.0 */
/* All holds of all locks that a question asks about, lock by lock. */
#ifndef TM_ANALYSIS_LOCKS_HOLD_WALK_H
#define TM_ANALYSIS_LOCKS_HOLD_WALK_H

#include "analysis/listing/selection.h"
#include "model/ownership/tenure.h"
#include "model/state/model.h"

/** One time that a thread had a lock. */
typedef struct tm__hold {
    const tm__tenure *tenure;
    uint32_t object; ///< objects[]
    int is_open;     ///< it has the lock still, or nothing shows when it was released
    tm__bounds bounds;
} tm__hold;

/** @return TM_OK; what is less ends the walk */
typedef int (*tm__hold_fn)(void *payload, const tm__hold *hold);

/** @return TM_OK, or what `take` returned */
int tm__holds_walk(const tm_model *model, const tm__scope *scope, tm__hold_fn take,
                   void *payload);

/** The hold that a record tells of.
 * @param near  an interval of its owner that may be near, or TM__NONE */
tm__hold tm__hold_of(const tm_model *model, uint32_t object, const tm__tenure *tenure,
                     uint32_t near);

#endif
