/* SPDX-License-Identifier: Apache-2.0 */
/* From a producer's 64-bit ids to dense indexes. */
#ifndef TM_BASE_MAP_H
#define TM_BASE_MAP_H

#include "base/memory.h"
#include "base/prefetch.h"

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

/** Where a key is looked for first. Ids are often counters or addresses: the high bits
 * of a product spread both. */
static inline uint64_t tm__map_home(const tm__map *map, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> map->shift;
}

/** @return the index of a key, TM__NONE when it has none */
static inline uint32_t tm__map_find(const tm__map *map, uint64_t key)
{
    if (!map->slots)
        return TM__NONE;
    for (uint64_t i = tm__map_home(map, key);; i = (i + 1) & map->mask) {
        const tm__map_slot *slot = &map->slots[i];

        if (slot->key == key || slot->index == TM__NONE)
            return slot->index;
    }
}

/** Ask for the memory that a look-up of this key will touch. */
static inline void tm__map_ask_for(const tm__map *map, uint64_t key)
{
    if (map->slots)
        tm__ask_for(&map->slots[tm__map_home(map, key)]);
}

/** Give a key that is not in the map its index. @return TM_OK or TM_ENOMEM */
int tm__map_put(tm__map *map, uint64_t key, uint32_t index);

/** Give a key, which may be in the map, an index. @return TM_OK or TM_ENOMEM */
int tm__map_set(tm__map *map, uint64_t key, uint32_t index);

/**
 * Make another map of the keys that are kept, with other indexes.
 * @param[out] out  empty on failure
 * @param numbers   by index: the new one; TM__NONE: the key is left out
 * @return TM_OK or TM_ENOMEM
 */
int tm__map_renumber(tm__map *out, const tm__map *map, const uint32_t *numbers);

void tm__map_clear(tm__map *map);

#endif
