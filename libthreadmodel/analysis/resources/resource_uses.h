/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of resources: from the end of a thread's wait to its own release. */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCE_USES_H
#define TM_ANALYSIS_RESOURCES_RESOURCE_USES_H

#include "analysis/resources/resource_state.h"

/** Find the uses, once the waits are known. @return TM_OK or TM_ENOMEM */
int tm__resources_find_uses(tm__resources *all);

#endif
