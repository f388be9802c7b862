/* SPDX-License-Identifier: Apache-2.0 */
/* From a producer's 64-bit ids to dense indexes. Ids are never forgotten. */
#ifndef TM_BASE_MAP_H
#define TM_BASE_MAP_H

#include "base/memory.h"

/** No index. */
#define TM__NONE UINT32_MAX

typedef struct tm__map_slot {
    uint64_t key;
    uint32_t index; ///< TM__NONE: the slot is free
    uint32_t reserved;
} tm__map_slot;

typedef struct tm__map {
    tm__memory *memory;
    tm__map_slot *slots; ///< a power of two of them, at most half in use
    uint64_t mask;       ///< slots - 1
    uint32_t shift;      ///< 64 - log2(slots)
    uint32_t count;
} tm__map;

void tm__map_init(tm__map *map, tm__memory *memory);

/** @return the index of a key, TM__NONE when it has none */
uint32_t tm__map_find(const tm__map *map, uint64_t key);

/** Have the memory that a look-up of this key will touch on its way. */
void tm__map_prefetch(const tm__map *map, uint64_t key);

/** Give a key that is not in the map its index. @return TM_OK or TM_ENOMEM */
int tm__map_put(tm__map *map, uint64_t key, uint32_t index);

void tm__map_clear(tm__map *map);

#endif
