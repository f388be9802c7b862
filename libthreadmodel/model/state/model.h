/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model holds: entities in dense arrays, each kind in a header of its own. An
 * index is a number in one of them, TM__NONE is none. Analyses read and change nothing.
 */
#ifndef TM_MODEL_MODEL_H
#define TM_MODEL_MODEL_H

#include <threadmodel/deadlock.h>
#include <threadmodel/diagnostics.h>
#include <threadmodel/event.h>
#include <threadmodel/model.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/strings.h"
#include "base/triple_map.h"
#include "model/state/interval_state.h"
#include "model/state/ownership_state.h"

/** array, count, capacity of one kind of thing */
#define TM__ARRAY(type, name)                                                          \
    type *name;                                                                        \
    uint32_t name##_count;                                                             \
    uint32_t name##_capacity

struct tm_model {
    tm__memory memory;
    tm_executor executor; ///< for questions
    tm_sink sink;
    tm__strings strings;
    tm__map thread_map, object_map, class_map, method_map, stack_map;
    TM__ARRAY(struct tm__thread, threads);
    tm__pool first_intervals; ///< arrays of TM__FIRST_INTERVALS
    TM__ARRAY(struct tm__object, objects);
    struct tm__object_links *links; ///< as many as objects, as are details
    uint32_t links_capacity;
    struct tm__object_detail *details;
    uint32_t details_capacity;
    TM__ARRAY(struct tm__class, classes);
    TM__ARRAY(struct tm__method, methods);
    TM__ARRAY(tm_line, lines);
    TM__ARRAY(struct tm__stack, stacks);
    TM__ARRAY(struct tm__frame, frames);
    TM__ARRAY(struct tm__interaction, interactions);
    uint32_t interactions_first; ///< number of interactions[0]: as many were dropped
    TM__ARRAY(struct tm__aggregate, aggregates);
    tm__triple_map
        aggregate_map; ///< (object or class, stack, thread and state): aggregates[] + 1
    size_t memory_limit_bytes;     ///< 0: none
    size_t evict_at_bytes;         ///< evict when more is in use
    size_t aggregate_bytes;        ///< that the sums take
    size_t definition_bytes;       ///< that definitions take
    uint64_t definitions_left_out; ///< they took their share of the limit
    int64_t evicted_ns;            ///< what ended before is evicted; INT64_MIN: nothing
    TM__ARRAY(struct tm__hold_sum, hold_sums);
    tm__triple_map hold_sum_map; ///< (class, stack, 0): hold_sums[] + 1
    uint64_t hold_sums_left_out; ///< holds for which there was no memory
    TM__ARRAY(struct tm__nesting, nestings);
    TM__ARRAY(struct tm__held, helds);
    tm__triple_map nesting_map; ///< (wanted, thread, stack): nestings[] + 1
    uint32_t nestings_max;      ///< there are never more
    uint32_t nestings_coarse;   ///< half of them are in use: what is new is coarse
    uint64_t nestings_left_out; ///< blocks whose held locks were not kept
    uint64_t nestings_unproven; ///< blocks of which stacks do not show what was held
    tm__noted noted[TM__NOTED_AT_ONCE]; ///< to be put into nestings
    uint32_t noted_count;               ///< 0 except inside ingest
    tm__inside inside[TM__INSIDE_SLOTS];
    TM__ARRAY(struct tm__deadlock, deadlocks);
    TM__ARRAY(struct tm__deadlock_member, deadlock_members);
    TM__ARRAY(int64_t, dumps);        ///< times of the dumps that the run is made of
    TM__ARRAY(struct tm__loss, gaps); ///< when events were lost, by rising time
    TM__ARRAY(struct tm__binding, bindings);
    TM__ARRAY(uint32_t, caveats); ///< strings
    uint64_t caveats_left_out;
    uint32_t policy_changes;
    TM__ARRAY(struct tm__context, contexts);
    tm__context_sum context_sums[TM_EVENT_KIND_END];
    TM__ARRAY(struct tm__tenure, tenures);
    uint32_t tenures_first; ///< as many were dropped: the number before tenures[0]'s
    tm__latency wakeups[TM__WAKEUP_END]; ///< from a release to who got it
    TM__ARRAY(struct tm__post, posts);
    TM__ARRAY(struct tm__wake, wakes);       ///< by thread, once a producer reports any
    TM__ARRAY(struct tm__cpu_use, cpu_uses); ///< by thread, once any is counted
    TM__ARRAY(struct tm__stated_unit, units);    ///< that the producer states
    TM__ARRAY(struct tm__unit_move, unit_moves); ///< from one thread to another
    TM__ARRAY(uint32_t, unit_tops); ///< by thread, once any is stated: units[]
    tm__map unit_map;               ///< id: units[], the last of that id
    uint32_t free_binding;
    uint32_t free_post;
    uint32_t group_count;
    TM__ARRAY(struct tm__lead, leads); ///< of threads in long chains
    /** A deadlock is to be looked at again: one of its threads has no longer what
     * others want. It lies above the rooms that know of owners. */
    void (*owner_changed)(tm_model *model, uint32_t deadlock);
    uint64_t edges_gone;   ///< times that a link in somebody's chain went; from 1
    uint64_t search_steps; ///< that deadlock searches may still take
    uint64_t searches_abandoned;
    uint32_t blocked_count;  ///< threads that want an object or join another
    uint32_t losses;         ///< loss markers seen
    int64_t loss_ns;         ///< time of the last one; INT64_MIN: none
    int64_t nameless_end_ns; ///< a thread whose object is not known ended; INT64_MIN
    int64_t shutdown_ns;     ///< the first Shutdown; INT64_MIN: none
    uint32_t shutdown_by;    ///< threads[] that it is of, or TM__NONE

    tm_run run; ///< strings in it are interned
    int32_t forced_policy;
    int64_t first_ns; ///< of the first event; INT64_MIN: none yet
    int64_t last_ns;  ///< the latest time of any event
    uint64_t event_count;
    uint64_t diagnostics[TM_DIAGNOSTIC_END];
    uint64_t kind_counts[TM_EVENT_KIND_END];

    tm_deadlock_fn deadlock_found;
    void *deadlock_payload;
};

#endif
