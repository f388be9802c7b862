/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on what was recorded so far, from the file that is being written. */
#ifndef TM_AGENT_BLOCKED_OWN_TRACE_H
#define TM_AGENT_BLOCKED_OWN_TRACE_H

#include <stdint.h>

#include "live/live_verdict.h"

/**
 * Begin to read the trace, in a thread of its own.
 * @param now_ns  the verdict is on this instant
 * @return 0; -1: the last question was not answered yet, or there is no memory
 */
int tm__own_trace_ask(const char *path, int64_t now_ns);

/**
 * Take the answer.
 * @param[out] it       lent until tm__own_trace_done(), or NULL: no answer
 * @param[out] cost_ns  of processor time
 * @return whether the question is answered
 */
int tm__own_trace_answer(const tm__live_verdict **it, int64_t *cost_ns);

/** Forget question and answer; one that reads still is stopped and waited for. */
void tm__own_trace_done(void);

#endif
