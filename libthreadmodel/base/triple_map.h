/* SPDX-License-Identifier: Apache-2.0 */
/* From three indexes to a number: what questions and sums group by. */
#ifndef TM_BASE_TRIPLE_MAP_H
#define TM_BASE_TRIPLE_MAP_H

#include "base/memory.h"

typedef struct tm__triple {
    uint32_t a, b, c;
    uint32_t value; ///< 0: the slot is free
} tm__triple;

/** Zero is an empty map. */
typedef struct tm__triple_map {
    tm__triple *slots;
    uint32_t slot_count; ///< a power of two, or 0
    uint32_t count;
} tm__triple_map;

/**
 * Where the value of a triple is kept.
 * @return valid until the next call. A triple that is new has value 0, and must be
 *         given another one. NULL when there is no room; tm__failure() says why
 */
uint32_t *tm__triple_map_at(tm__triple_map *map, tm__memory *memory, uint32_t a,
                            uint32_t b, uint32_t c);

/** @return where the value of a triple is kept; NULL when it has none */
uint32_t *tm__triple_map_find(const tm__triple_map *map, uint32_t a, uint32_t b,
                              uint32_t c);

/** Ask for the memory that a look-up of this triple will touch. */
void tm__triple_map_ask_for(const tm__triple_map *map, uint32_t a, uint32_t b,
                            uint32_t c);

void tm__triple_map_free(tm__triple_map *map, tm__memory *memory);

#endif
