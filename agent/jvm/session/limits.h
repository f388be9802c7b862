/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a recording before the program ends and without being asked, on the writer
 * thread. */
#ifndef TM_AGENT_SESSION_LIMITS_H
#define TM_AGENT_SESSION_LIMITS_H

#include <stdint.h>

/** A recording begins. */
void tm__limits_begin(void);

/**
 * Look whether its time is over, whether the file is there that stops it, and whether a
 * thread has ended it since the writer was missed.
 */
int tm__limits_are_reached(void);

/** Whether it is to end this instant, without a last look at threads. */
int tm__limits_are_urgent(void);

/** Say in the trace and on stderr what ended it. @return TM_OK or what the sink
 * returned */
int tm__limits_report(void);

/** Until when the trace is true: now, or when a thread ended it. */
int64_t tm__limits_end_ns(void);

#endif
