/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of a change of the program on one unit. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_CHANGE_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_CHANGE_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"

typedef struct tm__unit_change {
    double queued_ns, served_ns, done_ns; ///< done: in delays that are asked about
} tm__unit_change;

/** A change, and what it is asked of. */
typedef struct tm__changes_asked {
    const tm__load *load;
    const tm__candidates *all;
    const tm__candidate *it;
    double *shares; ///< tm__hold_shares_new(); NULL: not of holds got in a method
} tm__changes_asked;

/** Prepare to ask what a candidate changes. @return TM_OK or TM_ENOMEM */
int tm__changes_open(tm__changes_asked *q, const tm__load *load,
                     const tm__candidates *all, const tm__candidate *it,
                     tm__memory *memory);

/** Its gain in one unit, at most. */
tm__unit_change tm__change_of_unit(const tm__changes_asked *q, const tm__unit *unit);

#endif
