/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the run as a whole, and the remains of its past under a limit: see
 * model/replay. */
#ifndef TM_MODEL_REPLAY_STATE_H
#define TM_MODEL_REPLAY_STATE_H

#include "base/map.h"
#include "base/triple_map.h"
#include "model/state/array.h"

typedef struct tm__replayed {
    TM__ARRAY(struct tm__aggregate, aggregates);
    tm__triple_map
        aggregate_map; ///< (object or class, stack, thread and state): aggregates[] + 1
    size_t evict_at_bytes;        ///< evict when more is in use
    size_t aggregate_bytes;       ///< that the sums take
    int64_t evicted_ns;           ///< what ended before is evicted; INT64_MIN: nothing
    TM__ARRAY(int64_t, dumps);    ///< times of the dumps that the run is made of
    TM__ARRAY(uint32_t, caveats); ///< strings
    uint64_t caveats_left_out;
    TM__ARRAY(struct tm__stated_unit, units);    ///< that the producer states
    TM__ARRAY(struct tm__unit_move, unit_moves); ///< from one thread to another
    TM__ARRAY(uint32_t, unit_tops); ///< by thread, once any is stated: units[]
    tm__map unit_map;               ///< id: units[], the last of that id
    uint32_t policy_changes;
    uint32_t others;      ///< threads[] that stands for those forgotten, or TM__NONE
    uint32_t shutdown_by; ///< threads[] that it is of, or TM__NONE
    int64_t listed_ns;    ///< the last dump that lists all synchronizers which threads
                          ///< own; 0: none did, or one since does not
    int64_t shutdown_ns;  ///< the first Shutdown; INT64_MIN: none
} tm__replayed;

#endif
