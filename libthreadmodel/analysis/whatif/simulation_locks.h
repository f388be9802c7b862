/* SPDX-License-Identifier: Apache-2.0 */
/* Locks in a simulation. */
#ifndef TM_ANALYSIS_WHATIF_SIMULATION_LOCKS_H
#define TM_ANALYSIS_WHATIF_SIMULATION_LOCKS_H

#include "analysis/whatif/simulation_play.h"

/** The time from being released to going on, of a thread whose step is a TAKE or an
 * AWAIT. */
int64_t tm__play_latency_ns(const tm__play *r, uint32_t thread);

/** Take the lock of a thread's step. @return 0: it has to wait */
int tm__play_acquire(tm__play *r, uint32_t thread);

/** Give it up, and wake who is to have it next. */
void tm__play_release(tm__play *r, uint32_t thread);

/** Let somebody have a lock who waits for it, though it is not free. @return who */
uint32_t tm__play_force(tm__play *r, uint32_t number);

#endif
