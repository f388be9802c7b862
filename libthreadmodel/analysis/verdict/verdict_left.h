/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that are left where the data ends, and those that had ended before. */
#ifndef TM_ANALYSIS_VERDICT_VERDICT_LEFT_H
#define TM_ANALYSIS_VERDICT_VERDICT_LEFT_H

#include "analysis/verdict/judge_state.h"

/** Threads of the program that live at the instant. */
uint32_t tm__live_threads(const tm__judgement *it);
/** Those that had ended. */
uint32_t tm__ended_threads(const tm__judgement *it);
/** Living ones that ran on without an event. */
uint32_t tm__left_silent(const tm__judgement *it);
/** These, and those that wait where no event shows which thread could end that. */
uint32_t tm__left_unclear(const tm__judgement *it);

/** Where dumps show no thread that cannot go on: what threads do in the last one. */
void tm__write_last_dump(tm__words *words, const tm__judgement *it);
/** Where no thread is stuck: the activities of the remaining threads. */
void tm__write_left(tm__words *words, tm__judgement *it);
/** Where no event shows which thread could end a wait, it may be one that has ended. */
void tm__write_ended(tm__words *words, const tm__judgement *it);

#endif
