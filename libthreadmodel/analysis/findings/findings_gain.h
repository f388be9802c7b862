/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of the few findings by which a thread lost most, by what-if. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_GAIN_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_GAIN_H

#include "analysis/findings/finding.h"
#include "analysis/path/path_state.h"
#include "analysis/whatif/gain_ask.h"

/** Ask what-if of those by which a thread lost most. @return TM_OK or TM_ENOMEM */
int tm__findings_ask_gains(tm__findings *findings);
/** Ask what sleeps at a place cost, if that is what a thread is blocked by there. */
void tm__ask_without_sleeps(tm__finding *finding, const tm__findings *findings,
                            int state, uint32_t place);

/** The change that a finding asks about; of a load, a sleep that delays several. Its
 * change is TM_WHATIF_END if it asks about none. */
tm__gain_question tm__finding_question(const tm__finding *item, const tm__load *load);

/** Whether one wait or sleep of the thread that the run ends with makes up half of it:
 * then its length was given, as a load test's or a server's is, and what is gained is
 * more work in that time.
 * @param i  of the path's segments */
int tm__gives_length(const tm__findings *findings, const tm__path *path, uint32_t i);

#endif
