/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from which uses of resources are found: begins and ends of waits, and
 * releases. */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCE_STEPS_H
#define TM_ANALYSIS_RESOURCES_RESOURCE_STEPS_H

#include "analysis/resources/resource_state.h"
#include "base/sort.h"

/** A release by a thread, as it called it. */
typedef struct tm__release {
    int64_t time_ns;
    uint32_t thread;
    uint32_t object;
    uint32_t class_name;
    uint32_t place; ///< strings
    uint8_t is_always_seen;
} tm__release;

/** At one instant: a wait begins, a release, a wait ends. */
enum tm__use_step { TM__USE_BEGINS, TM__USE_RELEASES, TM__USE_ENDS, TM__USE_STEPS };

/** A queue for a resource. */
typedef struct tm__use_queue {
    uint32_t waiting;
    uint32_t emptied;
    uint32_t threads;   ///< that waited in it
    uint32_t releasers; ///< of these, who also released others
} tm__use_queue;

/** When an object was waited for and released. */
typedef struct tm__object_life {
    int64_t released_ns; ///< first
    int64_t last_ns;     ///< last wait begun or release
} tm__object_life;

/** The use that the end of a wait was thought to end, by another thread. */
typedef struct tm__use_turn {
    uint32_t use;  ///< uses[] + 1; 0: none
    uint32_t wait; ///< waits[] with which that use began
} tm__use_turn;

typedef struct tm__use_sweep {
    tm__resources *all;
    tm__use_queue *queues;
    tm__object_life *lives; ///< of each object
    tm__triple_map pending; ///< (thread, class, releasing): waits[] + 1
    tm__triple_map
        members;         ///< (queue, thread, 0): member + 1; if any releaser is known
    uint32_t *latest;    ///< of each member: waits[] + 1
    tm__use_turn *turns; ///< of each wait
    TM__ARRAY(tm__release, releases);
    TM__ARRAY(tm__sortable,
              steps); ///< waits[] or releases[], times TM__USE_STEPS, + which
} tm__use_sweep;

/** @return the number of a thread in a queue; TM__NONE: it never waited there, or no
 *          releaser is known at all */
static inline uint32_t tm__use_member(const tm__use_sweep *s, uint32_t queue,
                                      uint32_t thread)
{
    const uint32_t *found = tm__triple_map_find(&s->members, queue, thread, 0);

    return found ? *found - 1 : TM__NONE;
}

/**
 * Gather the steps in the order of time, the lives of objects, and who waits in each
 * queue.
 * @param s  with queues and lives to be filled, and latest, which is left as it was
 * @return TM_OK or TM_ENOMEM
 */
int tm__use_steps_gather(tm__use_sweep *s);

#endif
