/* SPDX-License-Identifier: Apache-2.0 */
/* The owners that block threads, as each thread read them when it blocked. */
#ifndef TM_AGENT_CAPTURE_WAIT_FOR_H
#define TM_AGENT_CAPTURE_WAIT_FOR_H

#include <stdint.h>

#include <threadmodel/event.h>

/**
 * Follow the calling thread into a blocking interval, or out of one.
 * @return whether its event closed a cycle, or may have, that the writer is to look
 * at now
 */
int tm__wait_for_follow(const tm_event *event);

/** The thread that blocks a thread; 0: it is not blocked, or the owner is not known. */
uint64_t tm__wait_for_owner(uint64_t thread);

/** The thread that did so since this was asked last; 0: none. */
uint64_t tm__wait_for_closed(void);

#endif
