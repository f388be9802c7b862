/* SPDX-License-Identifier: Apache-2.0 */
/* The state that an event of a kind touches besides its thread's last interval. */
#ifndef TM_MODEL_EVENT_NEEDS_H
#define TM_MODEL_EVENT_NEEDS_H

#include <threadmodel/event.h>

/** Bits of tm__event_needs. */
enum {
    TM__NEEDS_PEER = 1,       ///< means nothing without another thread
    TM__NEEDS_LIST = 2,       ///< may add to an object's list of notifies
    TM__REPORTS_NO_STATE = 4, ///< the thread may be running or not
    TM__IS_CONTEXT = 8,       ///< says nothing of a state, and may be of no thread
    TM__NEEDS_CAUSES = 16,    ///< looks at what may end a blocking interval
    TM__NEEDS_WAKES = 32,     ///< looks at wakes[]
    TM__IS_USE = 64,          ///< says how much of the processors a thread had
    TM__IS_UNIT = 128,        ///< of a unit of work: `peer` is not a thread
    TM__IS_OBSERVED = 256,    ///< is seen of a thread, which does nothing then
};

/** By kind of event. */
extern const uint16_t tm__event_needs[TM_EVENT_KIND_END];

#endif
