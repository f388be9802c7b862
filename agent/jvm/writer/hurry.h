/* SPDX-License-Identifier: Apache-2.0 */
/* How long what is left to write may take, once the program wants to end. Any thread.
 */
#ifndef TM_AGENT_WRITER_HURRY_H
#define TM_AGENT_WRITER_HURRY_H

#include <stdint.h>

/** A recording begins: it may take as long as it wants. */
void tm__hurry_begin(void);

/** The program wants to end: give up soon what makes no progress. */
void tm__hurry(void);

/** Whether the time that remained has passed. */
int tm__hurry_is_over(int64_t now_ns);

#endif
