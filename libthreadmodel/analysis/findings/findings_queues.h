/* SPDX-License-Identifier: Apache-2.0 */
/* Who queued for each object, gathered share by share, and what is to be said of it. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_QUEUES_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_QUEUES_H

#include "analysis/findings/findings.h"
#include "analysis/locks/shares.h"
#include "model/model.h"

/** The blocks for an object. */
typedef struct tm__queue {
    int64_t first_ns;
    int64_t last_ns;
    int64_t total_ns;
    uint32_t blocks;
    uint32_t contended_handoffs; ///< ends of blocks after which others queued on
    uint32_t most;               ///< that queued at once
    uint32_t threads;
    uint32_t place; ///< of its longest block
    int64_t longest_ns;
} tm__queue;

typedef struct tm__queues {
    tm__findings *findings;
    tm__queue *items;    ///< an object each
    tm__triple_map seen; ///< (object, thread, 0)
} tm__queues;

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__queues_open(tm__queues *queues, tm__findings *findings);

/** Take a share of a block whose object is known, as tm__shares_walk() gives it. */
int tm__queue_note(tm__queues *queues, const tm__share *share);

/** A hot lock has so many blocks, and of the run's length such a part. */
enum { TM__HOT_BLOCKS = 5, TM__HOT_PART_OF_RUN = 100 };

/** One lock, or those of a class for which threads are blocked at a place. */
typedef struct tm__lock_group {
    uint32_t class_name; ///< strings or TM__NONE
    uint32_t object;     ///< objects[]: one of them
    uint32_t place;      ///< where is_one is 0
    uint32_t objects;
    int is_one; ///< no other object of the class blocked anybody
} tm__lock_group;

typedef struct tm__lock_groups {
    tm__findings *findings;
    tm__triple_map of_class; ///< (class, 0, 0): objects that blocked somebody
    tm__triple_map map;      ///< (class, place, is_one): items[] + 1
    tm__triple_map seen;     ///< (group, object, 0)
    TM__ARRAY(tm__lock_group, items);
} tm__lock_groups;

/** Begin, once all blocks were noted. @return TM_OK or TM_ENOMEM; to be closed */
int tm__lock_groups_open(tm__lock_groups *groups, const tm__queues *queues);
/** The group of a block for an object at a place. @return TM_OK or TM_ENOMEM */
int tm__lock_group_of(tm__lock_groups *groups, uint32_t *number, uint32_t object,
                      uint32_t place);
/** "demo.Lock (demo.Lock#1)", "demo.Lock (7 objects)" */
void tm__finding_write_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                                  uint32_t number);
/** The rows of blame that it is made of. */
void tm__where_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                          uint32_t number);
void tm__lock_groups_close(tm__lock_groups *groups);

/** Find convoys and crowds. */
int tm__queues_report(const tm__queues *queues);

void tm__queues_close(tm__queues *queues);

#endif
