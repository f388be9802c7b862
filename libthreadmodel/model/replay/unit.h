/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work that the producer states: requests, tasks, messages. */
#ifndef TM_MODEL_UNIT_H
#define TM_MODEL_UNIT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/** More units than these are counted and left out; fewer under a memory limit. */
#define TM__STATED_UNITS_MAX (UINT32_C(1) << 24)

/** A unit, in the order in which units begin. */
typedef struct tm__stated_unit {
    int64_t start_ns;
    int64_t end_ns;  ///< INT64_MIN: not seen to end
    uint64_t id;     ///< the producer's; 0: none
    uint32_t thread; ///< threads[] on which it began
    uint32_t object; ///< objects[]: its class is the kind, its name the label; TM__NONE
    uint32_t parent; ///< units[] that submitted it, or in which it began; TM__NONE
    uint32_t below;  ///< units[] to which its present thread returns; TM__NONE
    uint32_t on_thread;  ///< threads[] that works on it now, or TM__NONE
    uint32_t first_move; ///< unit_moves[] or TM__NONE
    uint32_t last_move;  ///< the same
    uint32_t stack;      ///< stacks[] where it began, or TM__NONE
} tm__stated_unit;

/** From time_ns on, `thread` works on the unit. */
typedef struct tm__unit_move {
    int64_t time_ns;
    uint32_t thread; ///< threads[]; TM__NONE: no thread does
    uint32_t next;   ///< unit_moves[] of the same unit, or TM__NONE
} tm__unit_move;

/** @param parent_id  as the event has it; 0: none. @return TM_OK or TM_ENOMEM */
int tm__on_unit(tm_model *model, const tm__fact *fact, uint64_t parent_id);

#endif
