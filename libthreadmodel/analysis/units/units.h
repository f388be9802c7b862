/* SPDX-License-Identifier: Apache-2.0 */
/* The units of work of a run, stated and inferred; see threadmodel/unit.h. */
#ifndef TM_ANALYSIS_UNITS_UNITS_H
#define TM_ANALYSIS_UNITS_UNITS_H

#include "analysis/units/unit_state.h"

/**
 * Find them all. Those of a whole run are found once and kept by the model: nobody
 * changes what is found.
 * @param memory   lent until close
 * @param callers  as tm__stack_callers() gives them; lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__units_open(tm__units *units, const tm_model *model, const tm__scope *scope,
                   tm__memory *memory, const uint32_t *callers, uint32_t stated_only);
void tm__units_close(tm__units *units);

#endif
