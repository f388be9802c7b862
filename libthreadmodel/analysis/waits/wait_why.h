/* SPDX-License-Identifier: Apache-2.0 */
/* Why a thread cannot go on, in words. */
#ifndef TM_ANALYSIS_WAITS_WAIT_WHY_H
#define TM_ANALYSIS_WAITS_WAIT_WHY_H

#include "analysis/waits/wait_text.h"

/** Why a member cannot go on, a sentence without its end. */
void tm__write_why(tm__words *words, tm__wait_case *it, uint32_t thread);

#endif
