/* SPDX-License-Identifier: Apache-2.0 */
/* Which sleeps are in the method asked about, also where they have no stack. */
#ifndef TM_ANALYSIS_WHATIF_METHOD_SLEEPS_H
#define TM_ANALYSIS_WHATIF_METHOD_SLEEPS_H

#include "base/triple_map.h"
#include "model/state/model.h"

/** Sleeps with a stack, by how long they are. */
typedef struct tm__method_sleeps {
    tm__memory *memory;
    const uint8_t *stacks; ///< a stack is in the method
    tm__triple_map counts; ///< (thread or TM__NONE, length or any, all or within)
} tm__method_sleeps;

/**
 * Count the sleeps of each thread and of all.
 * @param stacks  lent: whether each stack is in the method
 * @return TM_OK or TM_ENOMEM; to be freed in either case
 */
int tm__method_sleeps_gather(tm__method_sleeps *sleeps, const tm_model *model,
                             tm__memory *memory, const uint8_t *stacks);
void tm__method_sleeps_free(tm__method_sleeps *sleeps);

/**
 * The part of a sleep that is in the method: 0 or 1 by its stack; without a stack, the
 * share of the method in the sleeps of this thread that are about as long; that of a
 * thread that always sleeps in it, or never; or in the sleeps of all threads that are
 * about as long.
 */
double tm__method_sleep_share(const tm__method_sleeps *sleeps, const tm_model *model,
                              uint32_t thread, uint32_t interval);

#endif
