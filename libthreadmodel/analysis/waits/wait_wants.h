/* SPDX-License-Identifier: Apache-2.0 */
/* The condition that a wait lacks, where the runtime states it. */
#ifndef TM_ANALYSIS_WAITS_WAIT_WANTS_H
#define TM_ANALYSIS_WAITS_WAIT_WANTS_H

#include "analysis/waits/wait_state.h"

/** The condition that a wait for an object lacks, as the runtime states it. */
int tm__wait_want(const tm_model *model, uint32_t object);
/** Whether a timer may end a wait for an object, which shows what is waited for: the
 * channel of a timer is a channel. */
int tm__wait_may_be_timer(const tm_model *model, uint32_t object);
/** Whether a stack waits for room in a queue, or for a receiver: a thread that offers
 * something is not idle, and only a thread that takes it can end the wait. */
int tm__wait_is_giving(const tm_model *model, uint32_t stack);
/** Whether a wait is for a lock, for a permit or to give something away: no thread that
 * has nothing to do waits so. */
int tm__wait_is_no_idleness(const tm_model *model, uint32_t object, uint32_t stack);
/** Find since when any thread moves, and the one that runs when no other can go on. */
void tm__wait_find_movers(tm__wait_graph *graph);
/** Whether a thread has waited for long for a lock or permit that somebody has: no
 * event shows who, or the owner waits as well. */
int tm__wait_is_owed(const tm__wait_graph *graph, uint32_t thread);
/** Whether a thread waits for a permit that no thread which goes on can have: those
 * that wait for one have them, or threads that have ended. */
int tm__wait_is_permit_lost(const tm__wait_graph *graph, uint32_t thread);
/** Whether a thread is another one, or started it, directly or through others.
 * @return 1, 0, or -1: not known, since too many threads lie between */
int tm__is_ancestor(const tm_model *model, uint32_t ancestor, uint32_t thread);
/** Whether nobody is left who would end a wait that nobody has ended before. */
int tm__wait_is_abandoned(const tm__wait_graph *graph, uint32_t thread);

#endif
