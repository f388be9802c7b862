/* SPDX-License-Identifier: Apache-2.0 */
/* Holds that are listed no more, in sums. */
#ifndef TM_MODEL_HOLD_SUMS_H
#define TM_MODEL_HOLD_SUMS_H

#include "base/histogram.h"
#include "model/ownership/tenure.h"

/** Holds of locks of one class, got at one place, that are not listed any more. */
typedef struct tm__hold_sum {
    uint32_t class_index; ///< classes[] or TM__NONE
    uint32_t stack;       ///< stacks[] or TM__NONE
    uint64_t exact;       ///< holds whose ends were both reported
    int64_t not_running_ns;
    tm__histogram durations;
} tm__hold_sum;

/** Add a hold whose start and length are known; counted where there is no memory. */
void tm__hold_sum_add(tm_model *model, uint32_t object, const tm__tenure *tenure,
                      int64_t held_ns);
void tm__hold_sums_free(tm_model *model);

#endif
