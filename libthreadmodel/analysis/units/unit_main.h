/* SPDX-License-Identifier: Apache-2.0 */
/* The units by which a program is measured. */
#ifndef TM_ANALYSIS_UNITS_UNIT_MAIN_H
#define TM_ANALYSIS_UNITS_UNIT_MAIN_H

#include "analysis/units/unit_state.h"

/** Find the main kind, or kinds of one group of threads, which are summed up as one.
 * @return TM_OK or TM_ENOMEM */
int tm__units_find_main(tm__units *units);

/** Whether the units of several kinds lie in by_kind[] once more, as one. */
static inline int tm__units_have_several(const tm__units *units)
{
    return units->main.order_first >= units->kinds_total;
}

#endif
