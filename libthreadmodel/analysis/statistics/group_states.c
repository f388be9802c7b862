/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/statistics/group_states.h"

#include <threadmodel/model.h>

int tm__group_state(int state)
{
    switch (state) {
    case TM_STATE_BLOCKED: return TM__GROUP_BLOCKED;
    case TM_STATE_WAITING: return TM__GROUP_WAITING;
    case TM_STATE_REENTERING: return TM__GROUP_REENTERING;
    case TM_STATE_JOINING: return TM__GROUP_JOINING;
    case TM_STATE_PARKED: return TM__GROUP_PARKED;
    case TM_STATE_IO: return TM__GROUP_IO;
    default: return -1;
    }
}
