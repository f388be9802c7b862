/* SPDX-License-Identifier: Apache-2.0 */
/* Units summed up by kind, and the time in which their rate is steady. */
#ifndef TM_ANALYSIS_UNITS_UNIT_SUMS_H
#define TM_ANALYSIS_UNITS_UNIT_SUMS_H

#include "analysis/units/unit_state.h"

/** Sum them up. @return TM_OK or TM_ENOMEM */
int tm__units_sum_up(tm__units *units);

#endif
