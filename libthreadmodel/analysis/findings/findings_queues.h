/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that queued for each object, gathered share by share, and the findings
 * about it. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_QUEUES_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_QUEUES_H

#include "analysis/findings/finding.h"
#include "analysis/locks/shares.h"
#include "model/state/model.h"

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

/** Take a share of a block whose object is known, as tm__blocks_walk() gives it. */
int tm__queue_note(tm__queues *queues, const tm__share *share);

/** A hot lock has so many blocks, and of the run's length such a part. */
enum { TM__HOT_BLOCKS = 5, TM__HOT_PART_OF_RUN = 100 };

/** The locks that one finding is about. */
typedef struct tm__lock_group {
    uint32_t class_name; ///< strings or TM__NONE
    uint32_t object;     ///< objects[]: the one with the most blocked time
    uint32_t place;      ///< where the longest block for each began
    uint32_t objects;
    int is_mixed;    ///< of several classes, nested in one
    int64_t most_ns; ///< blocked time for `object`
} tm__lock_group;

/**
 * Objects belong together if their classes are nested in one, or are one, and the
 * longest block for each began at one place: the locks of rows, the heads of a map's
 * bins. All blocks for an object are in its group, wherever they began.
 */
typedef struct tm__lock_groups {
    tm__findings *findings;
    const tm__queues *queues;
    tm__triple_map map; ///< (hash of outer class, place): items[] + 1
    TM__ARRAY(tm__lock_group, items);
    uint32_t *of_object; ///< items[] or TM__NONE; the findings keep it
} tm__lock_groups;

/** "Lock", "7 Lock": what a title calls it. */
typedef struct tm__lock_name {
    char text[200];
} tm__lock_name;

/** Whether the queue for an object is seldom empty, and whether it is long. */
int tm__queue_is_convoy(const tm__queues *queues, uint32_t object);
int tm__queue_is_long(const tm__queues *queues, uint32_t object);
/** A sentence on the queue, of a convoy or a long one. */
void tm__finding_add_queue(tm__finding *finding, const tm__queues *queues,
                           uint32_t object);

void tm__queues_close(tm__queues *queues);

#endif
