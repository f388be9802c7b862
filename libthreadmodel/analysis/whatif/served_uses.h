/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of a resource, from a wait that got a permit to the release. */
#ifndef TM_ANALYSIS_WHATIF_SERVED_USES_H
#define TM_ANALYSIS_WHATIF_SERVED_USES_H

#include "analysis/whatif/served_state.h"

/** Find the uses of permits. @return TM_OK or TM_ENOMEM */
int tm__served_find_uses(tm__served *served);

#endif
