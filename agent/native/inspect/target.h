/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is looked at from outside: its threads and what each waits for in the
 * kernel, by /proc, and its memory. Nothing is loaded into it, and nothing is stopped.
 */
#ifndef TM_NATIVE_INSPECT_TARGET_H
#define TM_NATIVE_INSPECT_TARGET_H

#include "inspect/target_state.h"

/** Look at a process. @return 0, or -1 with `refusal`: there is none */
int tm__target_open(tm__target *it, uint32_t pid);

/** Look at its threads, again. @return how many there are; 0: it has ended */
size_t tm__target_look(tm__target *it);

/**
 * Confirm what threads wait for: those that have not run since they were looked at.
 * @return how many have, which `has_moved` names
 */
size_t tm__target_confirm(tm__target *it);

/** Look again at the threads that have moved. */
void tm__target_look_again(tm__target *it);

/** Forget which locks threads waited for that have moved since. */
void tm__target_forget_moved(tm__target *it);

void tm__target_close(tm__target *it);

#endif
