/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about executors whose workers are never idle. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_WORKERS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_WORKERS_H

#include "analysis/findings/finding.h"

/* Detectors. @return TM_OK or TM_ENOMEM */
int tm__find_workers(tm__findings *findings);

#endif
