/* SPDX-License-Identifier: Apache-2.0 */
/* The table that answers a what-if question. */
#ifndef TM_ANALYSIS_WHATIF_WHATIF_ROWS_H
#define TM_ANALYSIS_WHATIF_WHATIF_ROWS_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"

/**
 * A row for each candidate, the largest gain first unless one was asked about. Of a
 * service that is a gain of requests, and nothing need be replayed.
 *
 * @return TM_OK or TM_ENOMEM
 */
int tm__whatif_answer(tm_table **out, tm__candidates *all, const tm__load *load,
                      int is_asked);

#endif
