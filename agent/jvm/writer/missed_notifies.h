/* SPDX-License-Identifier: Apache-2.0 */
/* Whether calls are missing, on the writer thread. */
#ifndef TM_AGENT_WRITER_MISSED_NOTIFIES_H
#define TM_AGENT_WRITER_MISSED_NOTIFIES_H

#include <threadmodel/event.h>

void tm__missed_notifies_follow(const tm_event *event);

/** Say so if they are. @return TM_OK or what the sink returned */
int tm__missed_notifies_report(void);

#endif
