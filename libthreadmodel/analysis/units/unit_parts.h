/* SPDX-License-Identifier: Apache-2.0 */
/* The table `unit_parts`, of the kind alone that most time goes to. */
#ifndef TM_ANALYSIS_UNITS_UNIT_PARTS_H
#define TM_ANALYSIS_UNITS_UNIT_PARTS_H

#include <threadmodel/selection.h>
#include <threadmodel/table.h>

#include "model/state/model.h"

/**
 * The first rows of tm_unit_part_list(), those of its first kind. The table is empty if
 * no part of that kind can have `units` units and `total_ns`, which its sums show
 * without a walk of its units.
 * @param selection  as for that
 * @return TM_OK or TM_ENOMEM
 */
int tm__unit_parts_of_first_kind(tm_table **out, const tm_model *model,
                                 const tm_selection *selection, uint64_t units,
                                 int64_t total_ns);

#endif
