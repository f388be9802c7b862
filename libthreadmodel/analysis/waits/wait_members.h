/* SPDX-License-Identifier: Apache-2.0 */
/* Why several threads cannot go on, in words. */
#ifndef TM_ANALYSIS_WAITS_WAIT_MEMBERS_H
#define TM_ANALYSIS_WAITS_WAIT_MEMBERS_H

#include "analysis/waits/wait_text.h"

/** Why they cannot go on, a sentence for all that wait alike, each with a blank after
 * it; the rest beyond so many sentences is counted. */
void tm__write_members(tm__words *words, tm__wait_case *it, uint32_t at_most);

#endif
