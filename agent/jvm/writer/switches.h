/* SPDX-License-Identifier: Apache-2.0 */
/* When threads had a processor, as events of theirs. */
#ifndef TM_AGENT_WRITER_SWITCHES_H
#define TM_AGENT_WRITER_SWITCHES_H

#include <stdint.h>

#include <threadmodel/event.h>

#include "ring/buffer.h"

/** Begin to record, by the thread that will start all others, or late. A reason that
 * forbids it is a caveat of the trace. */
void tm__switches_open(int is_late);

/** State in the trace what is recorded of it, or why it is not. @return TM_OK or what
 * the sink returned */
int tm__switches_emit_facts(void);

/** A round begins: its events are of the threads that have a buffer by now. */
void tm__switches_begin_round(void);

/** An event that is being merged, which may begin or end a block. */
void tm__switches_follow(tm__buffer *buffer, const tm_event *event);

/** Recording goes on after a pause, in which nothing was merged: what the kernel
 * recorded meanwhile shows only who has a processor now. */
void tm__switches_resume(int64_t now_ns);

/**
 * The next event, when all before a time has been merged.
 * @return 1: `event` is it; 0: there is none
 */
int tm__switches_next(tm_event *event, int64_t until_ns);

/** Say what was lost. @return TM_OK or what the sink returned */
int tm__switches_report(void);

void tm__switches_close(void);

#endif
