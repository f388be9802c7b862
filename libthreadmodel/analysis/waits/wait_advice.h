/* SPDX-License-Identifier: Apache-2.0 */
/* Advice where threads cannot go on. */
#ifndef TM_ANALYSIS_WAITS_WAIT_ADVICE_H
#define TM_ANALYSIS_WAITS_WAIT_ADVICE_H

#include "analysis/waits/wait_text.h"

/** Write the advice; nothing where there is no member. */
void tm__write_wait_advice(tm__words *words, const tm__wait_case *it);

#endif
