/* SPDX-License-Identifier: Apache-2.0 */
/* For how long threads were on processors, and waited for one. */
#ifndef TM_AGENT_CAPTURE_CPU_USE_H
#define TM_AGENT_CAPTURE_CPU_USE_H

#include "capture/event_in_work.h"

/** Add the processor time of a platform thread that is about to end, while the report
 * of its end is in work. */
void tm__cpu_use_of_ending(tm__event_report *report);

/** On the writer thread: of all threads that are due. @param at_end  of all */
void tm__cpu_use_round(tm__buffer *own, int at_end);

#endif
