/* SPDX-License-Identifier: Apache-2.0 */
/* The owners and users of what threads waited for, of all waits of a run. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_PIECES_H
#define TM_ANALYSIS_CAUSES_CAUSE_PIECES_H

#include "analysis/causes/cause_state.h"

/** Find the pieces and the facts, once. @return TM_OK or TM_ENOMEM */
int tm__causes_gather(tm__causes *c);
void tm__cause_pieces_free(tm__causes *c, tm__cause_pieces *pieces);
/** @return order[] of a thread's first piece that ends after an instant */
uint32_t tm__cause_piece_from(const tm__cause_pieces *pieces, uint32_t thread,
                              int64_t time_ns);

#endif
