/* SPDX-License-Identifier: Apache-2.0 */
/* Who queued for each object, gathered share by share, and what is to be said of it. */
#ifndef TM_ANALYSIS_FINDINGS_QUEUES_H
#define TM_ANALYSIS_FINDINGS_QUEUES_H

#include "analysis/findings.h"
#include "analysis/shares.h"

/** The blocks for an object. */
typedef struct tm__queue {
    int64_t first_ns;
    int64_t last_ns;
    int64_t total_ns;
    uint32_t blocks;
    uint32_t contended_handoffs; ///< ends of blocks after which others queued on
    uint32_t most;               ///< that queued at once
    uint32_t threads;
} tm__queue;

typedef struct tm__queues {
    tm__findings *findings;
    tm__queue *items; ///< an object each
    tm__triples seen; ///< (object, thread, 0)
} tm__queues;

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__queues_open(tm__queues *queues, tm__findings *findings);

/** Take a share of a block whose object is known, as tm__shares_walk() gives it. */
int tm__queue_note(tm__queues *queues, const tm__share *share);

/**
 * Find convoys and crowds.
 * @param places      sums whose keys are class, place and `blocked_at`: where threads
 *                    were blocked
 */
int tm__queues_tell(const tm__queues *queues, const tm__tally *places,
                    uint32_t blocked_at);

void tm__queues_close(tm__queues *queues);

#endif
