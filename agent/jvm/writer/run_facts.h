/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the run as a whole. */
#ifndef TM_AGENT_WRITER_RUN_FACTS_H
#define TM_AGENT_WRITER_RUN_FACTS_H

#include <stdint.h>

/** A recording begins. */
void tm__run_facts_open(void);

/** The process did not run for so long: it was stopped, or the machine suspended. */
void tm__run_facts_note_stopped(int64_t for_ns);

/** Emit what is known before there is a VM. @return TM_OK or what the sink returned */
int tm__run_facts_announce(void);

/** Emit all. @param end_ns  0: it goes on  @return TM_OK or what the sink returned */
int tm__run_facts_emit(int64_t end_ns);

#endif
