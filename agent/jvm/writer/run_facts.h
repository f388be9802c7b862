/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the run as a whole. */
#ifndef TM_AGENT_WRITER_RUN_FACTS_H
#define TM_AGENT_WRITER_RUN_FACTS_H

#include <stdint.h>

#include <threadmodel/run.h>

/** A recording begins. */
void tm__run_facts_open(void);

/** The process did not run for so long: it was stopped, or the machine suspended. */
void tm__run_facts_note_stopped(int64_t for_ns);

/** Emit what is known before there is a VM. @return TM_OK or what the sink returned */
int tm__run_facts_announce(void);

/**
 * Emit all.
 *
 * @param end_ns  of the recording; 0: it goes on
 * @param ending  of the process, by then
 * @return TM_OK or what the sink returned
 */
int tm__run_facts_emit(int64_t end_ns, enum tm_ending ending);

#endif
