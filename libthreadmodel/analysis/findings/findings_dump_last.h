/* SPDX-License-Identifier: Apache-2.0 */
/* The states of threads in the last dump of a run. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_LAST_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_DUMP_LAST_H

#include "analysis/findings/finding.h"

/** Say what a thread did in the last dump: "driver was asleep in Depot.nap:6". */
void tm__finding_add_doing(tm__finding *finding, const tm__findings *findings,
                           uint32_t thread);

/** The state of a thread in the last dump; NULL: nothing is known, or it has ended. */
const tm__interval *tm__dump_last(const tm_model *model, uint32_t thread);

/** In how many dumps, up to the last, a thread did that. */
uint32_t tm__dumps_of(const tm_model *model, const tm__interval *it);

/** The endpoint that a thread in I/O waits for. */
const char *tm__io_name(const tm__findings *f, const tm__interval *it);

#endif
