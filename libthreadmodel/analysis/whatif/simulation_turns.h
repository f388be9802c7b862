/* SPDX-License-Identifier: Apache-2.0 */
/* The thread whose turn it is in a simulation. */
#ifndef TM_ANALYSIS_WHATIF_SIMULATION_TURNS_H
#define TM_ANALYSIS_WHATIF_SIMULATION_TURNS_H

#include "analysis/whatif/simulation_play.h"

/** The thread whose turn it is now. @return TM__NONE: nobody can go on */
uint32_t tm__play_next(tm__play *r);

/** A thread has a turn at its time, or none. */
void tm__play_turn(tm__play *r, uint32_t thread);
void tm__play_no_turn(tm__play *r, uint32_t thread);

/** It works, together with others, and then has a turn. */
void tm__play_work(tm__play *r, uint32_t thread, int64_t length_ns);

/** Note that a thread is blocked, or no longer and at which time. */
void tm__play_block(tm__play *r, uint32_t thread);
void tm__play_unblock(tm__play *r, uint32_t thread, int64_t time_ns);

#endif
