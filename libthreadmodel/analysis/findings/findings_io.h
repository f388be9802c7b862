/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about I/O. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_IO_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_IO_H

#include "analysis/findings/finding.h"

int tm__find_io(tm__findings *findings);

#endif
