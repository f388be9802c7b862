/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of recording, on the writer thread. */
#ifndef TM_AGENT_WRITER_OVERHEAD_H
#define TM_AGENT_WRITER_OVERHEAD_H

#include <threadmodel/sink.h>

/** Put down what it cost so far. */
void tm__overhead_add(tm_run *run);

/** Emit that, if it was not lately. @return TM_OK or what the sink returned */
int tm__overhead_emit(void);

/** Say what was left out. @return TM_OK or what the sink returned */
int tm__overhead_report(void);

#endif
