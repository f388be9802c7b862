/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of thread dumps: pools whose workers all wait. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_POOLS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_POOLS_H

#include "analysis/findings/finding.h"

/** A pool whose workers all wait for tasks. @return TM_OK or TM_ENOMEM */
int tm__find_dump_starved(tm__findings *f);

/** Carriers of virtual threads that are all taken. @return TM_OK or TM_ENOMEM */
int tm__find_dump_carriers(tm__findings *f);

#endif
