/* SPDX-License-Identifier: Apache-2.0 */
/* When the writer does its rounds. */
#ifndef TM_AGENT_SESSION_PACE_H
#define TM_AGENT_SESSION_PACE_H

/** The writer begins: the calling thread is it, and its first round is due. */
void tm__pace_begin(void);

/**
 * Wait for the next round, for a question that is due before it, or to be woken. Time
 * in which the process or the machine stood still is noted as such.
 * @param wake_fd  readable: somebody wakes the writer
 * @return whether somebody did
 */
int tm__pace_wait(int wake_fd);

/** Whether it is time for a round. */
int tm__pace_is_due(void);

/** A round was done. */
void tm__pace_next(void);

void tm__pace_end(void);

#endif
