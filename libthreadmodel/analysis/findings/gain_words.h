/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of cards about gains. */
#ifndef TM_ANALYSIS_FINDINGS_GAIN_WORDS_H
#define TM_ANALYSIS_FINDINGS_GAIN_WORDS_H

#include "analysis/findings/finding.h"

/** Whether there would be more units of work, by what is worth a sentence. */
int tm__gains_requests(const tm__gain_requests *to);

/** Add them, once the gains are known. */
void tm__gain_words(tm__findings *findings);

/** The same of a part of the run: its gains are not asked. */
void tm__gain_words_of_part(tm__findings *findings);

#endif
