/* SPDX-License-Identifier: Apache-2.0 */
/* From when to when the rate of units is steady. */
#ifndef TM_ANALYSIS_UNITS_UNIT_STEADY_H
#define TM_ANALYSIS_UNITS_UNIT_STEADY_H

#include "analysis/units/unit_state.h"

/** Find the steady time of a kind, whose finished units are in by_kind[]. */
void tm__unit_find_steady(const tm__units *units, tm__unit_kind *it);

#endif
