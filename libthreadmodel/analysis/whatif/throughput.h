/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of a change on the rate and the latency of requests: see throughput.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_H

#include "analysis/whatif/gain.h"
#include "analysis/whatif/throughput_load.h"
#include "analysis/whatif/throughput_state.h"

/** @return TM_OK or TM_ENOMEM */
int tm__throughput_of(tm__throughput *out, const tm__load *load, tm__candidates *all,
                      const tm__candidate *it);

#endif
