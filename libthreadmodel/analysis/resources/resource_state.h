/* SPDX-License-Identifier: Apache-2.0 */
/* Resources: what nobody owns and threads wait for, with its waits and uses. */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCE_STATE_H
#define TM_ANALYSIS_RESOURCES_RESOURCE_STATE_H

#include "analysis/listing/selection.h"
#include "base/histogram.h"
#include "base/triple_map.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/** A wait that no lock explains. */
typedef struct tm__resource_wait {
    int64_t start_ns;
    int64_t end_ns; ///< the last event's time where it is open
    int64_t got_ns; ///< when its thread went on
    uint32_t thread;
    uint32_t object;   ///< objects[] or TM__NONE
    uint32_t resource; ///< items[]
    uint32_t queue;    ///< queues[] of its class and waiting place
    uint32_t member;   ///< number of its thread in that queue
    uint32_t emptied;  ///< how often that queue had been empty when it ended
    uint32_t interval; ///< of the thread's, with which it begins
    uint32_t row;      ///< interactions, by number: what ended it; TM__NONE
    uint32_t release;  ///< the same: what released it, at the root of a chain
    uint32_t releaser; ///< threads[] that released it, or TM__NONE
    int64_t released_ns;
    uint8_t is_open;
    uint8_t is_expired;     ///< its time was up, or it was interrupted
    uint8_t is_used;        ///< a use that began with its end is known
    uint8_t is_always_seen; ///< the release of its kind is, also where nobody waits
    uint8_t is_queued;      ///< others still waited when it ended
} tm__resource_wait;

typedef struct tm__resource {
    uint32_t class_name; ///< strings or TM__NONE, as are methods
    uint32_t waiting;
    uint32_t releasing;
    uint32_t waiting_stack;   ///< stacks[] of its longest wait
    uint32_t releasing_stack; ///< and of what ended that, or TM__NONE
    uint32_t objects;
    uint32_t threads;
    uint32_t waits;
    uint32_t releasers;
    uint32_t releaser; ///< threads[]
    uint32_t waiter;   ///< threads[] that waited for it last
    uint32_t permits;
    uint32_t use_method;
    uint8_t provenance; ///< enum tm_provenance
    uint8_t is_idle;    ///< workers wait for work there, which nobody has
    uint8_t is_library; ///< a method of a library waits there
    int64_t releaser_ns;
    int64_t wait_total_ns;
    int64_t wait_max_ns;
    int64_t first_ns; ///< of its waits
    int64_t last_ns;
    int64_t use_method_ns;
    tm__histogram uses;
} tm__resource;

/** A class and a waiting place. */
typedef struct tm__resource_queue {
    uint32_t thread;   ///< threads[] that waited there last
    uint32_t member;   ///< its number there: each thread has one in each queue
    uint32_t resource; ///< items[] of those waits whose releaser is not known
} tm__resource_queue;

/** A use of a resource by a thread that had waited for it. */
typedef struct tm__resource_use {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t object;
    uint32_t resource;
    uint32_t wait;    ///< waits[] with whose end it begins
    uint32_t at_once; ///< uses of the object as it begins; 0: it takes no time
} tm__resource_use;

typedef struct tm__resources {
    const tm_model *model;
    const tm__scope *scope;
    tm__memory *memory;
    const uint32_t *callers; ///< frames[] of each stack
    int is_lent;             ///< by the model, which keeps it
    tm__triple_map by_place; ///< (class, waiting, 0): queues[] + 1
    tm__triple_map by_key;   ///< (queue, releasing, 0): items[] + 1, if that is known
    tm__triple_map seen;     ///< (resource, key, what): sums[] + 1
    uint32_t members;        ///< of all queues
    TM__ARRAY(int64_t, sums);
    TM__ARRAY(tm__resource_queue, queues);
    TM__ARRAY(tm__resource, items);
    TM__ARRAY(tm__resource_wait, waits);
    TM__ARRAY(tm__resource_use, uses);
} tm__resources;

/** The kinds of sums. */
enum { TM__SUM_OBJECT, TM__SUM_RELEASER, TM__SUM_METHOD };

#endif
