/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a model: the run and its clock, which every room reads, and a part
 * for each room. Entities lie in dense arrays. An index is a position in one of them;
 * TM__NONE stands for the absence of one. Analyses only read, except for caches that
 * they keep for the next question.
 */
#ifndef TM_MODEL_MODEL_H
#define TM_MODEL_MODEL_H

#include <threadmodel/diagnostics.h>
#include <threadmodel/event.h>
#include <threadmodel/model.h>
#include <threadmodel/sink.h>

#include "base/memory.h"
#include "model/state/deadlock_state.h"
#include "model/state/entity_state.h"
#include "model/state/interval_state.h"
#include "model/state/kept_state.h"
#include "model/state/ownership_state.h"
#include "model/state/replay_state.h"
#include "model/state/wakeup_state.h"

struct tm_model {
    tm__memory memory;
    size_t memory_limit_bytes; ///< 0: none
    int64_t first_ns;          ///< the earliest time of any event; INT64_MIN: none yet
    int64_t last_ns;           ///< the latest time of any event
    uint64_t event_count;
    tm_run run; ///< strings in it are interned
    int32_t forced_policy;

    tm__entities entities;
    tm__intervals intervals;
    tm__ownership ownership;
    tm__deadlocks deadlocks;
    tm__wakeups wakeups;
    tm__replayed replay;

    uint64_t diagnostics[TM_DIAGNOSTIC_END];
    uint64_t kind_counts[TM_EVENT_KIND_END];
    tm_executor executor; ///< for questions
    tm__kept *kept;       ///< by questions
    tm_sink sink;
};

#endif
