/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of events whose own was not taken, on the writer thread. */
#ifndef TM_AGENT_WRITER_STACK_LOANS_H
#define TM_AGENT_WRITER_STACK_LOANS_H

#include <stdint.h>

#include <threadmodel/event.h>

void tm__samples_open(void);

/** An object was defined, of this class. */
void tm__samples_meet(uint64_t object, uint64_t class_id);

/** Learn the stack of an event, or give it one. Events come by rising time. */
void tm__samples_follow(tm_event *event, int is_virtual);

/** Events that were given a stack, and hold-ups that got none. */
uint64_t tm__samples_shown(void);
uint64_t tm__samples_bare(void);
void tm__samples_close(void);

#endif
