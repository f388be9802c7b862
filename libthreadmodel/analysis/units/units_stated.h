/* SPDX-License-Identifier: Apache-2.0 */
/* Units that the producer states. */
#ifndef TM_ANALYSIS_UNITS_UNITS_STATED_H
#define TM_ANALYSIS_UNITS_UNITS_STATED_H

#include "analysis/units/unit_state.h"

/** Add the stated units; a part of the opening. @return TM_OK or TM_ENOMEM */
int tm__units_add_stated(tm__units *units);

#endif
