/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of the few findings by which a thread lost most, by what-if. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_GAIN_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_GAIN_H

#include "analysis/findings/finding.h"

/** Ask what-if of those by which a thread lost most. @return TM_OK or TM_ENOMEM */
int tm__findings_ask_gains(tm__findings *findings);
/** Ask what sleeps at a place cost, if that is what a thread is blocked by there. */
void tm__ask_without_sleeps(tm__finding *finding, const tm__findings *findings,
                            int state, uint32_t place);

#endif
