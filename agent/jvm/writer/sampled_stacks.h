/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of events whose own was not taken, on the writer thread. */
#ifndef TM_AGENT_WRITER_SAMPLED_STACKS_H
#define TM_AGENT_WRITER_SAMPLED_STACKS_H

#include <stdint.h>

#include <threadmodel/event.h>

void tm__sampled_stacks_open(void);

/** An object was defined, of this class. */
void tm__sampled_stacks_register(uint64_t object, uint64_t class_id);

/** Learn the stack of an event, or give it one. Events come by rising time. */
void tm__sampled_stacks_follow(tm_event *event, int is_virtual);

/** Events that were given a stack, and blocking intervals that got none. */
uint64_t tm__sampled_stacks_reused(void);
uint64_t tm__sampled_stacks_missing(void);
void tm__sampled_stacks_close(void);

#endif
