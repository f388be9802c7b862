/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of one thread dump: who blocks whom. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_CHAINS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_CHAINS_H

#include "analysis/findings/finding.h"

/** Threads that block others in one dump: "blocking_thread". @return TM_OK or TM_ENOMEM
 */
int tm__find_dump_chains(tm__findings *findings);

#endif
