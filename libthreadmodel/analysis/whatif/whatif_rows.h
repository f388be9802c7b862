/* SPDX-License-Identifier: Apache-2.0 */
/* The table that answers a what-if question. */
#ifndef TM_ANALYSIS_WHATIF_WHATIF_ROWS_H
#define TM_ANALYSIS_WHATIF_WHATIF_ROWS_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_load.h"
#include "analysis/whatif/throughput_state.h"
#include "table/builder.h"

/** A change that was tried, and what it makes of requests. */
typedef struct tm__whatif_row {
    const tm__candidates *all;
    const tm__candidate *it;
    tm__throughput throughput;
} tm__whatif_row;

/**
 * Answer a question: a row for each of its changes.
 * @return TM_OK or TM_ENOMEM
 */
int tm__whatif_answer(tm_table **out, tm__candidates *all, const tm__load *load);

/**
 * Put those with a prediction, the largest gain first, `most` at most: a
 * row that ranks by nothing would only repeat a caveat.
 * @return TM_OK or TM_ENOMEM
 */
int tm__whatif_put_ranked(tm__builder *builder, const tm__whatif_row *rows,
                          uint32_t count, uint32_t most, const tm__load *load,
                          tm__memory *memory);

/** State what the rows rest on. */
void tm__whatif_put_caveats(tm__builder *builder, const tm__candidates *all,
                            const tm__load *load);

#endif
