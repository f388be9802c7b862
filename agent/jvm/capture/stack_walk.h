/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks, as the VM gives them, into records. */
#ifndef TM_AGENT_CAPTURE_STACK_WALK_H
#define TM_AGENT_CAPTURE_STACK_WALK_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/event_in_work.h"

/**
 * Walk the calling thread's stack into the record in work.
 * @return bytes of frames
 */
size_t tm__stack_walk(const tm__event_report *report, tm__record *record,
                      uint32_t depth);

/**
 * Walk the stack of a thread, NULL for the calling one, into the record in work.
 * @param skipped  innermost frames to leave out
 * @return bytes of frames
 */
size_t tm__stack_walk_of(tm__record *record, jthread thread, int skipped,
                         uint32_t depth);

#endif
