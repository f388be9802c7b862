/* SPDX-License-Identifier: Apache-2.0 */
/* One verdict with what it rests on, and the words for it. */
#ifndef TM_ANALYSIS_VERDICT_JUDGE_H
#define TM_ANALYSIS_VERDICT_JUDGE_H

#include "analysis/verdict/judge_state.h"
#include "table/builder.h"

/** Judge a run, or a part of it, and list what a table has of that.
 * @param put  puts the rows
 * @return TM_OK, TM_EINVAL or TM_ENOMEM */
int tm__judgement_list(tm_table **out, const tm_model *model,
                       const tm_selection *selection, const tm__table_spec *spec,
                       void (*put)(tm__builder *builder, tm__judgement *it));

#endif
