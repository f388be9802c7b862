/* SPDX-License-Identifier: Apache-2.0 */
/* How long threads waited for a processor. On the writer thread. */
#ifndef TM_AGENT_WRITER_PROCESSOR_WAITS_H
#define TM_AGENT_WRITER_PROCESSOR_WAITS_H

#include <stdint.h>

/** A recording begins. */
void tm__processor_waits_begin(void);

/** Ask the kernel what the threads of this process have waited by now. */
void tm__processor_waits_look(void);

/** What all of them waited while the process had processors for cpu_ns. */
int64_t tm__processor_waits_ns(int64_t cpu_ns);

#endif
