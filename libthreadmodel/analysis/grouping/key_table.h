/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From three small numbers to a place that keeps one: an array where all combinations
 * fit, which is most questions, and a map where they do not.
 */
#ifndef TM_ANALYSIS_GROUPING_KEY_TABLE_H
#define TM_ANALYSIS_GROUPING_KEY_TABLE_H

#include <threadmodel/model.h>

#include "base/prefetch.h"
#include "base/triple_map.h"

typedef struct tm__key_table {
    tm__memory *memory;
    uint32_t *all; ///< a slot for each combination; NULL: see `map`
    size_t count;  ///< of all
    size_t whats, sites;
    tm__triple_map map;
} tm__key_table;

/** @return what an array may take beside a model: a small part of that */
size_t tm__key_table_budget_bytes(const tm_model *model);

/**
 * @param memory         lent until close
 * @param whats, sites, contexts  each number is below these
 * @param bytes_at_most  that the array may take
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__key_table_open(tm__key_table *key_table, tm__memory *memory, size_t whats,
                       size_t sites, size_t contexts, size_t bytes_at_most);

static inline size_t tm__key_table_slot(const tm__key_table *key_table, uint32_t what,
                                        uint32_t site, uint32_t context)
{
    return (context * key_table->sites + site) * key_table->whats + what;
}

/** @return the slot, valid until the next call: 0 when new, and then it must be given
 *          another value. NULL when there is no memory */
static inline uint32_t *tm__key_table_at(tm__key_table *key_table, uint32_t what,
                                         uint32_t site, uint32_t context)
{
    return key_table->all
               ? &key_table->all[tm__key_table_slot(key_table, what, site, context)]
               : tm__triple_map_at(&key_table->map, key_table->memory, what, site,
                                   context);
}

/** @return what the slot holds; 0: nothing yet */
static inline uint32_t tm__key_table_value(const tm__key_table *key_table,
                                           uint32_t what, uint32_t site,
                                           uint32_t context)
{
    const uint32_t *found;

    if (key_table->all)
        return key_table->all[tm__key_table_slot(key_table, what, site, context)];
    found = tm__triple_map_find(&key_table->map, what, site, context);
    return found ? *found : 0;
}

/** Ask for the memory that a look-up will touch. */
static inline void tm__key_table_ask_for(const tm__key_table *key_table, uint32_t what,
                                         uint32_t site, uint32_t context)
{
    if (key_table->all)
        tm__ask_for(
            &key_table->all[tm__key_table_slot(key_table, what, site, context)]);
    else
        tm__triple_map_ask_for(&key_table->map, what, site, context);
}

void tm__key_table_close(tm__key_table *key_table);

#endif
