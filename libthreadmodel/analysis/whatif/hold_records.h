/* SPDX-License-Identifier: Apache-2.0 */
/* The questions of holds.c to the records from which holds are gathered. */
#ifndef TM_ANALYSIS_WHATIF_HOLD_RECORDS_H
#define TM_ANALYSIS_WHATIF_HOLD_RECORDS_H

#include "analysis/whatif/hold_state.h"
#include "model/ownership/tenure.h"

static inline tm__record_ends *tm__record_ends_of(const tm__holds *holds,
                                                  const tm__tenure *it)
{
    return &holds->ends[it - holds->model->ownership.tenures];
}

/** The place of a hold whose lock was got with a stack. @return places[], or TM__NONE:
 * no memory */
uint32_t tm__hold_place(tm__holds *holds, uint32_t object, uint32_t stack,
                        uint32_t inside, int64_t begin_ns);

/**
 * How long an owner has a lock. Readers and writers have it for different times, so its
 * own holds count first.
 * @return 0: not known
 */
int64_t tm__usual_length_ns(const tm__holds *holds, uint32_t object, uint32_t owner);

/** Fill ends[], first[], lengths[] and places[]. @return TM_OK or TM_ENOMEM */
int tm__hold_records_look_up(tm__holds *holds);

#endif
