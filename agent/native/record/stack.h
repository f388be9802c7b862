/* SPDX-License-Identifier: Apache-2.0 */
/* Where the calling thread is. */
#ifndef TM_NATIVE_RECORD_STACK_H
#define TM_NATIVE_RECORD_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "layout/region.h"
#include "record/known_stacks.h"

/** Once a process image, before it can fork. */
void tm__stacks_begin(void);

/** Around a walk and the report of modules, with the signals that were blocked before.
 * @return 0: not in this process */
int tm__stack_walk_begin(uint64_t *blocked);
void tm__stack_walk_end(const uint64_t *blocked);

/** The process was found to be a fork, by a call that runs no handlers perhaps. */
void tm__stack_forked(void);

/**
 * Return addresses, innermost first.
 * @param site  the first: frames before it are ours
 * @param known  NULL, or where to note where they lie
 * @return how many; at least one
 */
size_t tm__stack_walk(uint64_t frames[TM__FRAMES_MOST], const void *site,
                      tm__known_stack *known);

/** @return how much is left of the stack of its own that a signal handler may have;
 * SIZE_MAX: the thread is not in such a one. errno stays. */
size_t tm__left_of_alternate(uintptr_t frame);

/** Whether a signal handler has left what a thread began in `begun` by a jump, and is
 * not on a stack of its own. */
int tm__frame_was_left(uintptr_t begun, uintptr_t frame);

#endif
