/* SPDX-License-Identifier: Apache-2.0 */
/* What a change makes of the rate and the latency of requests: see throughput.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_H

#include "analysis/whatif/gain.h"
#include "analysis/whatif/throughput_load.h"

typedef struct tm__throughput {
    int is_known;
    double low, middle, high; ///< units a second
    double share; ///< of a unit's time, that is queued or slept for what changes
    double lost;  ///< of it, what a unit that is alone would not lose
    int64_t mean_ns, mean_low_ns, mean_high_ns;
    int64_t p99_now_ns, p99_ns;
} tm__throughput;

/** @return TM_OK or TM_ENOMEM */
int tm__throughput_of(tm__throughput *out, const tm__load *load, tm__candidates *all,
                      const tm__candidate *it);

/** What most of a unit's time goes to once the change is made; NULL: it runs. */
const char *tm__next_bottleneck(const tm__load *load, const tm__candidates *all,
                                const tm__candidate *it);

#endif
