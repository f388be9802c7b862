/* SPDX-License-Identifier: Apache-2.0 */
/* Waits with a timeout that a thread repeats for ever. */
#ifndef TM_ANALYSIS_WAITS_WAIT_POLLS_H
#define TM_ANALYSIS_WAITS_WAIT_POLLS_H

#include "analysis/waits/wait_state.h"

/**
 * Find since when a thread has done nothing but wait for one lock of one owner, with a
 * timeout each time.
 * @param index  of its interval at the instant, a wait with a timeout
 * @return intervals[] of the first such wait; TM__NONE: they are too few or too short
 */
uint32_t tm__wait_first_poll(const tm__wait_graph *graph, uint32_t thread,
                             uint32_t index);

#endif
