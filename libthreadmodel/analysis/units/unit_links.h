/* SPDX-License-Identifier: Apache-2.0 */
/* The unit that submitted an inferred one. */
#ifndef TM_ANALYSIS_UNITS_UNIT_LINKS_H
#define TM_ANALYSIS_UNITS_UNIT_LINKS_H

#include "analysis/units/unit_state.h"

/** Link the units; a part of the opening. @return TM_OK or TM_ENOMEM */
int tm__units_link(tm__units *units);

#endif
