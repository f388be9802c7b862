/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object that a word of memory, for which a thread waits in the kernel, is part of:
 * a mutex, a condition and so on, as the C library lays them out, and its owner.
 */
#ifndef TM_NATIVE_INSPECT_LOCK_WORDS_H
#define TM_NATIVE_INSPECT_LOCK_WORDS_H

#include "inspect/target_state.h"

/** Find out what a thread waits for. Its frames, where they have names, decide. */
void tm__lock_words_find(tm__target *target, tm__task *task);

/** Find the threads that run the routines of call_once() for which others wait, by the
 * frames of all. */
void tm__lock_words_find_once(tm__target *target);

/** Read again who owns what is waited for, as memory has it now. */
void tm__lock_words_owner(const tm__target *target, tm__thread_wait *wait);

#endif
