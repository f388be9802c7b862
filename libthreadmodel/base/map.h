/* SPDX-License-Identifier: Apache-2.0 */
/* From a producer's 64-bit ids to dense indexes. Ids are never forgotten. */
#ifndef TM_BASE_MAP_H
#define TM_BASE_MAP_H

#include "base/memory.h"

/** No index. */
#define TM__NONE UINT32_MAX

typedef struct tm__map {
    tm__memory *memory;
    struct tm__map_entry *entries; ///< uthash's head
    struct tm__map_chunk *chunks;  ///< where entries live, many an allocation
} tm__map;

void tm__map_init(tm__map *map, tm__memory *memory);

/** @return the index of a key, TM__NONE when it has none */
uint32_t tm__map_find(const tm__map *map, uint64_t key);

/** Give a key that is not in the map its index. @return TM_OK or TM_ENOMEM */
int tm__map_put(tm__map *map, uint64_t key, uint32_t index);

void tm__map_clear(tm__map *map);

#endif
