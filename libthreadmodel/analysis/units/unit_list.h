/* SPDX-License-Identifier: Apache-2.0 */
/* Units as a table, each tiled by what its threads did. */
#ifndef TM_ANALYSIS_UNITS_UNIT_LIST_H
#define TM_ANALYSIS_UNITS_UNIT_LIST_H

#include "analysis/units/unit_state.h"

/**
 * Open a list about units, and find them.
 * @return TM_OK, and then both are to be closed; or what failed, and then none is
 */
int tm__units_list_open(tm_table **out, tm__listing *list, tm__units *units,
                        const tm_model *model, const tm_selection *selection,
                        const tm_unit_options *options, const tm__table_spec *spec);

#endif
