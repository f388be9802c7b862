/* SPDX-License-Identifier: Apache-2.0 */
/* Events by time, and where the definitions among them then belong. */
#ifndef TM_TRACE_EVENT_SORT_H
#define TM_TRACE_EVENT_SORT_H

#include <threadmodel/event.h>

#include "base/memory.h"

typedef struct tm__order_key {
    int64_t time_ns;
    uint32_t arrival;
} tm__order_key;

/** Zero but for `memory` is a new one; kept from block to block. */
typedef struct tm__order {
    tm__memory *memory;
    tm__order_key *keys; ///< two halves, merged to and fro
    uint32_t *arrivals;
    uint32_t *ranks;
    uint32_t key_capacity;
    uint32_t arrival_capacity;
    uint32_t rank_capacity;
} tm__order;

/**
 * Sort, stable.
 * @param[out] arrivals  arrivals[i] is the event to come i-th; lent until the next
 * @return TM_OK or TM_ENOMEM
 */
int tm__order_events(tm__order *order, const uint32_t **arrivals,
                     const tm_event *events, uint32_t count);

/**
 * How many of the sorted events may stand before a definition that arrived after
 * the first `a` of them, for every a from 0 to count: all that come before the
 * earliest of the later arrivals, so that none of those loses its definition.
 *
 * @param[out] positions  of count + 1 items; lent until the next
 * @return TM_OK or TM_ENOMEM
 */
int tm__order_positions(tm__order *order, const uint32_t **positions,
                        const uint32_t *arrivals, uint32_t count);

void tm__order_free(tm__order *order);

#endif
