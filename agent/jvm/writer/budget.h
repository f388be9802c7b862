/* SPDX-License-Identifier: Apache-2.0 */
/* The options budget and memory, on the writer thread. */
#ifndef TM_AGENT_WRITER_BUDGET_H
#define TM_AGENT_WRITER_BUDGET_H

/** A recording begins, with all that it may spend. */
void tm__budget_begin(void);

/** Leave out as much from here on as the budget asks for. Once a round. */
void tm__budget_pace(void);

/** Say what was left out for it. @return TM_OK or what the sink returned */
int tm__budget_report(void);

#endif
