/* SPDX-License-Identifier: Apache-2.0 */
/* The limits that end a recording before the program ends and without a request, on the
 * writer thread, which looks wherever it may be for long. */
#ifndef TM_AGENT_WRITER_LIMITS_H
#define TM_AGENT_WRITER_LIMITS_H

#include <stdint.h>

/** A recording begins. */
void tm__limits_begin(void);

/**
 * Look whether its time is over, whether the file is there that stops it, and whether a
 * thread has ended it since the writer was missed.
 */
int tm__limits_are_reached(void);

/**
 * Look for the file that stops it. Once it is there threads report nothing any more,
 * the line on stderr is out, and what is left to write has little time. Any thread.
 */
int tm__limits_look_for_file(void);

/** It is to stop, which has time for a last look at threads unless the output is stuck.
 * Any thread. */
void tm__limits_ask(void);

/** The output is: where it is to stop, threads report nothing any more. */
void tm__limits_stuck(void);

/** Have the file looked for by another thread, while the writer is where it cannot. */
void tm__limits_watch(void);

/** The writer is back. */
void tm__limits_watch_no_more(void);

/** Whether it is to end this instant, without a last look at threads: these may have
 * gone on since without a word. */
int tm__limits_are_urgent(void);

/** Say in the trace, and on stderr unless that is done, what ended it. @return TM_OK or
 * what the sink returned */
int tm__limits_report(void);

/** Until when the trace is true: now, or when it was ended. */
int64_t tm__limits_end_ns(void);

#endif
