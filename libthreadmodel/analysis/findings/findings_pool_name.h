/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a pool. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_POOL_NAME_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_POOL_NAME_H

#include "analysis/resources/resource_state.h"

/** @return frames[]: the call by which threads wait for a resource that they use and
 * release; else the caller of its longest wait, or TM__NONE */
uint32_t tm__pool_frame(const tm_model *model, const tm__resource *it);

#endif
