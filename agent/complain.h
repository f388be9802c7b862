/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent says beside the trace. */
#ifndef TM_AGENT_COMPLAIN_H
#define TM_AGENT_COMPLAIN_H

/** One line on stderr, with the agent's name before it. */
void tm__complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
