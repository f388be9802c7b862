/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts of musl's locks. */
#ifndef TM_NATIVE_INSPECT_MUSL_WORDS_H
#define TM_NATIVE_INSPECT_MUSL_WORDS_H

#include "inspect/target_state.h"

/** As those of lock_words.h, where the C library is musl. */
void tm__musl_words_find(tm__target *target, tm__task *task, int hint);
uint32_t tm__musl_words_owner(const tm__target *target, const tm__thread_wait *wait);

#endif
