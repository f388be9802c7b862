/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about running threads from a run's samples and pauses of the collector. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_FACTS_H
#define TM_ANALYSIS_CAUSES_CAUSE_FACTS_H

#include "analysis/causes/cause_state.h"

/** Find them, once. @return TM_OK or TM_ENOMEM; to be freed in either case */
int tm__cause_facts_gather(tm__causes *c);
void tm__cause_facts_free(tm__causes *c);

#endif
