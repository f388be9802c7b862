/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores, whose layout glibc and musl share. */
#ifndef TM_NATIVE_INSPECT_SEMAPHORE_WORDS_H
#define TM_NATIVE_INSPECT_SEMAPHORE_WORDS_H

#include "inspect/target_state.h"

/** @param is_sure  the frames say that it is one: the layout need not fit
 * @return whether the word at an address is that of a semaphore; `wait` describes it */
int tm__semaphore_words(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, int is_sure);

#endif
