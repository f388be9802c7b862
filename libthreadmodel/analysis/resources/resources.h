/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources: what threads wait for and nobody owns, by class, waiting and releasing
 * place. See threadmodel/resource.h.
 */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCES_H
#define TM_ANALYSIS_RESOURCES_RESOURCES_H

#include "analysis/resources/resource_state.h"

/**
 * Find them all. Those of a whole run are found once and kept by the model: nobody
 * changes what is found.
 * @param memory   lent until close
 * @param callers  as tm__stack_callers() gives them; lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__resources_open(tm__resources *all, const tm_model *model,
                       const tm__scope *scope, tm__memory *memory,
                       const uint32_t *callers);
void tm__resources_close(tm__resources *all);

#endif
