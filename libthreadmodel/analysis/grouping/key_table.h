/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From three small numbers to a place that keeps one: an array where all combinations
 * fit, which is most questions, and a map where they do not.
 */
#ifndef TM_ANALYSIS_GROUPING_SEATS_H
#define TM_ANALYSIS_GROUPING_SEATS_H

#include <threadmodel/model.h>

#include "base/prefetch.h"
#include "base/triple_map.h"

typedef struct tm__seats {
    tm__memory *memory;
    uint32_t *all; ///< a seat for each combination; NULL: see `map`
    size_t count;  ///< of all
    size_t whats, sites;
    tm__triples map;
} tm__seats;

/** @return what an array may take beside a model: a small part of that */
size_t tm__seats_budget_bytes(const tm_model *model);

/**
 * @param memory         lent until close
 * @param whats, sites, contexts  each number is below these
 * @param bytes_at_most  that the array may take
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__seats_open(tm__seats *seats, tm__memory *memory, size_t whats, size_t sites,
                   size_t contexts, size_t bytes_at_most);

static inline size_t tm__seat_number(const tm__seats *seats, uint32_t what,
                                     uint32_t site, uint32_t context)
{
    return (context * seats->sites + site) * seats->whats + what;
}

/** @return the seat, valid until the next call: 0 when new, and then it must be given
 *          another value. NULL when there is no memory */
static inline uint32_t *tm__seat_at(tm__seats *seats, uint32_t what, uint32_t site,
                                    uint32_t context)
{
    return seats->all ? &seats->all[tm__seat_number(seats, what, site, context)]
                      : tm__triples_at(&seats->map, seats->memory, what, site, context);
}

/** @return what the seat holds; 0: nothing yet */
static inline uint32_t tm__seat_value(const tm__seats *seats, uint32_t what,
                                      uint32_t site, uint32_t context)
{
    const uint32_t *found;

    if (seats->all)
        return seats->all[tm__seat_number(seats, what, site, context)];
    found = tm__triples_find(&seats->map, what, site, context);
    return found ? *found : 0;
}

/** Ask for the memory that a look-up will touch. */
static inline void tm__seat_ask_for(const tm__seats *seats, uint32_t what,
                                    uint32_t site, uint32_t context)
{
    if (seats->all)
        tm__ask_for(&seats->all[tm__seat_number(seats, what, site, context)]);
    else
        tm__triples_ask_for(&seats->map, what, site, context);
}

void tm__seats_close(tm__seats *seats);

#endif
