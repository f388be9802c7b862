/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of virtual threads that are reported from where they are made. */
#ifndef TM_AGENT_CAPTURE_VIRTUAL_CALLS_H
#define TM_AGENT_CAPTURE_VIRTUAL_CALLS_H

#include <stdatomic.h>
#include <stdint.h>

#include "capture/event_in_work.h"

/** Whether parks, sleeps and joins of virtual threads are. */
extern atomic_int tm__virtual_is_instrumented;

/** A thread begins to join a virtual thread, whose end unparks it. */
void tm__virtual_join_begin(uint64_t thread);
void tm__virtual_join_end(uint64_t thread);

/** Whether a thread is in such a join. */
int tm__virtual_joins(uint64_t thread);

/** Whether the event in work is of a virtual thread whose parks, sleeps and joins are
 * reported at the call, or of one inside a join, which parks. */
int tm__virtual_reports(const tm__event_report *report);

/** A virtual thread is blocked from here on, and until then what it calls is the JDK's
 * own doing: JDK 21 has other threads unpark it. */
void tm__virtual_block_begin(const tm__event_report *report);
void tm__virtual_block_end(const tm__event_report *report);

/** Whether the calling thread is one of these. */
int tm__virtual_is_blocking(const tm__event_report *report);

/** Recording begins: what is known of these is of another one. */
void tm__virtual_calls_reset(void);

#endif
