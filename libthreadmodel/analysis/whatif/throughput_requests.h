/* SPDX-License-Identifier: Apache-2.0 */
/* A change as the recorded requests play it: see throughput_requests.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_REQUESTS_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_REQUESTS_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"
#include "analysis/whatif/throughput_state.h"

/**
 * Predict by playing.
 * @param out  with p99_now_ns
 * @return 1 and rates, the 99th percentile and the next bottleneck; 0: it is not known;
 *         TM_ENOMEM
 */
int tm__throughput_play(tm__throughput *out, const tm__load *load,
                        const tm__candidates *all, const tm__candidate *it);

/**
 * Find the next bottleneck where the rates are known, and lower these to what the
 * stations of requests serve.
 * @return TM_OK or TM_ENOMEM
 */
int tm__throughput_limit(tm__throughput *out, const tm__load *load,
                         const tm__candidates *all, const tm__candidate *it);

#endif
