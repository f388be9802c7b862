/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources: what threads wait for and nobody owns, by class, waiting and releasing
 * place. See threadmodel/resource.h.
 */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCES_H
#define TM_ANALYSIS_RESOURCES_RESOURCES_H

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
    uint32_t releaser; ///< threads[] that let it go, or TM__NONE
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

/** Whether an interval begins a wait for what no thread owns. */
int tm__is_resource_wait(const tm_model *model, const tm__interval *it);

/**
 * Find them all.
 * @param memory   lent until close
 * @param callers  as tm__stack_callers() gives them; lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__resources_open(tm__resources *all, const tm_model *model,
                       const tm__scope *scope, tm__memory *memory,
                       const uint32_t *callers);
void tm__resources_close(tm__resources *all);

/** @return strings of the caller's method of a stack, which may be TM__NONE */
uint32_t tm__resource_place(const tm__resources *all, uint32_t stack);

/** Who let a waiter go, told by interaction. @return its number: `row`, or that of the
 * one at the root of a chain of wake-ups; TM__NONE: not known */
uint32_t tm__release_of(const tm__resources *all, uint32_t row, uint32_t waiting_stack);

/** Whether a thread woke the next one from within the call in which it had waited
 * itself: it released nothing. */
int tm__is_passed_on(const tm__resources *all, const tm__interaction *row);

/** The object of an interaction, or that which its to-thread waited for. */
uint32_t tm__release_object(const tm_model *model, const tm__interaction *row);

/** Find the uses, once the waits are known. @return TM_OK or TM_ENOMEM */
int tm__resources_find_uses(tm__resources *all);
/** Sum them up in items[]. @return TM_OK or TM_ENOMEM */
int tm__resource_uses_sum_up(tm__resources *all);

/** Add a time to the sum of three keys.
 * @param[out] total_ns  the sum
 * @return 1: it is the first of them, 0, or TM_ENOMEM */
int tm__resource_add(tm__resources *all, uint32_t resource, uint32_t key, uint32_t what,
                     int64_t time_ns, int64_t *total_ns);

/** What sums are of. */
enum { TM__SUM_OBJECT, TM__SUM_RELEASER, TM__SUM_METHOD };

#endif
