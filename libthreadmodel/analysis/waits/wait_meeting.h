/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers and phasers, where each party waits for all others. */
#ifndef TM_ANALYSIS_WAITS_WAIT_MEETING_H
#define TM_ANALYSIS_WAITS_WAIT_MEETING_H

#include "analysis/waits/wait_state.h"

/** Whether a stack is at a barrier or phaser of the JDK. */
int tm__is_at_meeting(const tm_model *model, uint32_t stack);
/** Whether a node waits at a barrier or phaser. */
int tm__wait_is_meeting(const tm_model *model, const tm__wait_node *node);
/** Whether a party may still come to where a thread waits, other than the members. */
int tm__wait_may_get_party(const tm__wait_graph *graph, uint32_t thread);
/** The last thread to end of those that came to the barrier or phaser where a thread
 * waits; TM__NONE: none has ended. It is the same for all that wait for one object. */
uint32_t tm__wait_party_that_ended(const tm__wait_graph *graph, uint32_t thread);

#endif
