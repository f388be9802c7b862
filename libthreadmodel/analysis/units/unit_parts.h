/* SPDX-License-Identifier: Apache-2.0 */
/* The table `unit_parts`, of the kind alone that most time goes to. */
#ifndef TM_ANALYSIS_UNITS_UNIT_PARTS_H
#define TM_ANALYSIS_UNITS_UNIT_PARTS_H

#include <threadmodel/selection.h>
#include <threadmodel/table.h>

#include "model/state/model.h"

/** The least that a kind has to have for an answer. */
typedef struct tm__unit_least {
    uint64_t units;
    int64_t total_ns;
    int64_t lasted_ns; ///< from the begin of the first to the end of the last
} tm__unit_least;

/**
 * The first rows of tm_unit_part_list(), those of its first kind, or of all kinds by
 * which the program is measured, if these have more time. The table is empty if no part
 * can have as much as `least` states, which sums show without a walk of the units,
 * or if one kind has it all and no name. `kind` is null of several kinds, where none
 * has nine of ten.
 * @param selection  as for that
 * @return TM_OK or TM_ENOMEM
 */
int tm__unit_parts_of_first_kind(tm_table **out, const tm_model *model,
                                 const tm_selection *selection,
                                 const tm__unit_least *least);

#endif
