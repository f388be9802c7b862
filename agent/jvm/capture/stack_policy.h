/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of the events whose stack is taken. */
#ifndef TM_AGENT_CAPTURE_STACK_POLICY_H
#define TM_AGENT_CAPTURE_STACK_POLICY_H

#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#include <threadmodel/event.h>

#include "capture/event_in_work.h"

/** Blocked for this long, a thread has its stack taken, whatever it costs. */
#define TM__LONG_NS INT64_C(10000000)

/**
 * How many frames the event in work is to get.
 * @param depth  that it may get at most; 0: its kind gets none
 * @return from 0 to the depth of the options
 */
uint32_t tm__stack_policy_depth(const tm__event_report *report, uint32_t depth,
                                const tm_event *event);

/** Set how many of the short blocking intervals of the time to come are walked. Once a
 * round. */
void tm__stack_policy_pace(void);

#endif
