/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing what a chunk tells into the order of its instants. */
#ifndef TM_FORMATS_JFR_FACT_ORDER_H
#define TM_FORMATS_JFR_FACT_ORDER_H

#include "base/memory.h"
#include "base/sort.h"

/** A blocking interval with both its ends, or what has one end only; 56 bytes. */
typedef struct tm__jfr_fact {
    int64_t start_ns;
    int64_t end_ns;
    uint64_t thread;
    uint64_t object;
    uint64_t peer;
    int64_t value;
    uint32_t stack;
    uint8_t start_kind; ///< 0: none, as the start was emitted before
    uint8_t end_kind;   ///< 0: none
    uint16_t flags;     ///< of the end, where it has one
} tm__jfr_fact;

typedef struct tm__jfr_order {
    tm__memory *memory;
    uint64_t *keys; ///< time, and below it what the instant is of; and room to sort
    uint32_t key_capacity;
    uint32_t wide_capacity;
    tm__sortable *wide;     ///< in place of keys where times are too far apart
    const uint64_t *sorted; ///< within `keys`; NULL: `wide` is sorted
    uint64_t mask;
    uint32_t count; ///< instants
} tm__jfr_order;

/**
 * Sort the starts and ends of facts by time; what is of the same time keeps the order
 * of the facts, and a start comes before its end.
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_order_make(tm__jfr_order *order, const tm__jfr_fact *facts, uint32_t count);

/** The fact of an instant: twice the number of the fact, and 1 more for its end. */
static inline uint32_t tm__jfr_order_at(const tm__jfr_order *order, uint32_t i)
{
    return order->sorted ? (uint32_t)(order->sorted[i] & order->mask)
                         : order->wide[i].number;
}

void tm__jfr_order_free(tm__jfr_order *order);

#endif
