/* SPDX-License-Identifier: Apache-2.0 */
/* The activities of a span's thread, part by part. */
#ifndef TM_ANALYSIS_UNITS_UNIT_WALK_H
#define TM_ANALYSIS_UNITS_UNIT_WALK_H

#include "analysis/units/unit_state.h"

void tm__unit_walk_start(tm__unit_walk *walk, const tm_model *model,
                         const tm__unit_span *span);
/** @return 1 and the next part, or 0 after the last */
int tm__unit_walk_next(tm__unit_walk *walk, tm__unit_part *part);

tm__unit_cause tm__unit_cause_of(const tm__units *units, uint32_t thread,
                                 const tm__unit_part *part);

#endif
