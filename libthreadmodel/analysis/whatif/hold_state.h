/* SPDX-License-Identifier: Apache-2.0 */
/* Holds of locks in a replay. */
#ifndef TM_ANALYSIS_WHATIF_HOLD_STATE_H
#define TM_ANALYSIS_WHATIF_HOLD_STATE_H

#include "analysis/listing/selection.h"
#include "base/triple_map.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/** The threads and locks that are replayed, where not all of them are. */
typedef struct tm__run_slice {
    uint8_t *threads;
    uint8_t *objects;
} tm__run_slice;

/** The key by which holds are chosen: holds of one place are scaled together. */
typedef struct tm__place {
    uint32_t class_name; ///< strings; TM__NONE: not known
    uint32_t method;     ///< strings, of the caller that got it; TM__NONE: not known
    uint32_t inside;     ///< stacks[] at which the owner then stopped, if the method is
                         ///< not known; TM__NONE: nor is that
    uint32_t group;      ///< of the objects asked about; TM__NONE: in none
    uint32_t is_outside; ///< of the part of the run that is asked about
    uint32_t holds;
    int64_t hold_ns;
} tm__place;

/** Whether a thread queues for a lock in an interval. */
static inline int tm__is_lock_block(const tm__interval *it)
{
    return it->object != TM__NONE &&
           (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
            (it->state == TM_STATE_PARKED && it->tenure));
}

/** The end that is taken of the uncertain part of a hold. */
enum tm__holds_bound {
    TM__HOLDS_SHORT,
    TM__HOLDS_LIKELY,
    TM__HOLDS_LONG,
    TM__HOLDS_BOUND_END
};

typedef struct tm__replay_hold {
    int64_t start_ns;
    int64_t end_ns;
    int64_t since_ns;    ///< it may have begun then, unseen: up to its start
    int64_t until_ns;    ///< it may have lasted until then
    int64_t hidden_ns;   ///< its owner was blocked before, and nobody known had it
    uint32_t latency_ns; ///< of the owner's wake-up
    uint32_t object;
    uint32_t place; ///< places[]
    uint32_t owner; ///< threads[]
    uint8_t is_handed;
    uint8_t is_shared;
} tm__replay_hold;

/** Whether it lasted from its start to its end, and nothing of it is guessed. */
static inline int tm__hold_is_plain(const tm__replay_hold *it)
{
    return it->since_ns == it->start_ns && it->until_ns == it->end_ns &&
           (it->is_handed || it->end_ns > it->start_ns);
}

/** How long somebody has a lock, where both ends are known. */
typedef struct tm__length {
    int64_t sum_ns;
    uint32_t count;
} tm__length;

/** The bounds of a record, looked up once. */
typedef struct tm__record_ends {
    int64_t got_earliest_ns; ///< from the run's begin on
    int64_t got_latest_ns;
    int64_t released_earliest_ns;
    int64_t released_latest_ns;
    int64_t released_ns;
    uint32_t at;     ///< the owner's interval in which it got it, or TM__NONE
    uint32_t place;  ///< places[]
    uint32_t object; ///< TM__NONE: no timeline has the record any more
} tm__record_ends;

typedef struct tm__holds {
    const tm_model *model;
    tm__memory *memory;
    const uint32_t *groups;     ///< an object: by which it is asked about, or TM__NONE;
                                ///< NULL: none is
    const uint32_t *callers;    ///< frames[] a stack
    const tm__scope *part;      ///< of the run that is asked about
    const tm__run_slice *slice; ///< whose holds are gathered, or NULL: all
    int bound;                  ///< enum tm__holds_bound
    int64_t origin_ns;          ///< the run's begin
    tm__record_ends *ends;      ///< of each of the model's tenures
    uint32_t *first;         ///< of each owner in items[]; then where its next one goes
    tm__triple_map by_place; ///< (class name, method, group and part): places[] + 1
    tm__triple_map by_owner; ///< (object, owner or TM__NONE, 0): lengths[] + 1
    TM__ARRAY(tm__length, lengths);
    TM__ARRAY(tm__replay_hold, items);
    TM__ARRAY(tm__place, places);
} tm__holds;

#endif
