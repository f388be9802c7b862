/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interning of ids: looked up two or three times an event, filled once an id,
 * emptied seldom. So: open addressing with keys and indexes side by side, one cache
 * line a look-up where uthash's chains cost three (tests/bench/profiles.md has the
 * figures).
 */
#include "base/map.h"

#include "base/error.h"

enum { FIRST_SLOTS = 16 };

void tm__map_init(tm__map *map, tm__memory *memory)
{
    *map = (tm__map){.memory = memory};
}

static void insert(tm__map *map, uint64_t key, uint32_t index)
{
    uint64_t i = tm__map_home(map, key);

    while (map->slots[i].index != TM__NONE)
        i = (i + 1) & map->mask;
    map->slots[i] = (tm__map_slot){.key = key, .index = index};
}

static int grow(tm__map *map)
{
    tm__map grown = *map;
    size_t old = map->slots ? (size_t)map->mask + 1 : 0;
    size_t slots = old ? old * 2 : FIRST_SLOTS;

    if (slots > SIZE_MAX / sizeof(*grown.slots))
        return tm__fail(TM_ELIMIT, "more than %zu items of one kind", old / 2);
    grown.slots = tm__resize(map->memory, NULL, 0, slots * sizeof(*grown.slots));
    if (!grown.slots)
        return TM_ENOMEM;
    grown.mask = slots - 1;
    grown.shift = 64;
    for (size_t i = slots; i > 1; i /= 2)
        grown.shift--;
    for (size_t i = 0; i < slots; i++)
        grown.slots[i] = (tm__map_slot){.key = 0, .index = TM__NONE};
    for (size_t i = 0; i < old; i++)
        if (map->slots[i].index != TM__NONE)
            insert(&grown, map->slots[i].key, map->slots[i].index);
    tm__free(map->memory, map->slots, old * sizeof(*map->slots));
    *map = grown;
    return TM_OK;
}

int tm__map_put(tm__map *map, uint64_t key, uint32_t index)
{
    if ((!map->slots || map->count >= (map->mask + 1) / 2) && grow(map) < 0)
        return tm__failure();
    insert(map, key, index);
    map->count++;
    return TM_OK;
}

int tm__map_set(tm__map *map, uint64_t key, uint32_t index)
{
    if (!map->slots)
        return tm__map_put(map, key, index);
    for (uint64_t i = tm__map_home(map, key);; i = (i + 1) & map->mask) {
        tm__map_slot *slot = &map->slots[i];

        if (slot->index == TM__NONE)
            return tm__map_put(map, key, index);
        if (slot->key == key) {
            slot->index = index;
            return TM_OK;
        }
    }
}

int tm__map_renumber(tm__map *out, const tm__map *map, const uint32_t *numbers)
{
    size_t slots = map->slots ? (size_t)map->mask + 1 : 0;

    tm__map_init(out, map->memory);
    for (size_t i = 0; i < slots; i++) {
        uint32_t index = map->slots[i].index;

        if (index == TM__NONE || numbers[index] == TM__NONE)
            continue;
        if (tm__map_put(out, map->slots[i].key, numbers[index]) < 0) {
            tm__map_clear(out);
            return TM_ENOMEM;
        }
    }
    return TM_OK;
}

void tm__map_clear(tm__map *map)
{
    if (map->slots)
        tm__free(map->memory, map->slots,
                 ((size_t)map->mask + 1) * sizeof(*map->slots));
    tm__map_init(map, map->memory);
}
