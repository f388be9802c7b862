/* SPDX-License-Identifier: Apache-2.0 */
/* Units of threads whose producer states none, by how their group works. */
#ifndef TM_ANALYSIS_UNITS_UNITS_INFERRED_H
#define TM_ANALYSIS_UNITS_UNITS_INFERRED_H

#include "analysis/units/unit_state.h"

/** Add the inferred units; a part of the opening. @return TM_OK or TM_ENOMEM */
int tm__units_add_inferred(tm__units *units);

#endif
