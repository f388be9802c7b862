/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asked once for each blocking interval, filled once for each distinct triple: key and
 * value lie in one slot, four to a cache line, with linear probing and at most half
 * full.
 */
#include "base/triple_map.h"

#include "base/error.h"
#include "base/prefetch.h"

enum { FIRST_SLOTS = 64 };

static uint32_t home(uint32_t slot_count, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 32 ^ c) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(mixed >> 32) & (slot_count - 1);
}

static tm__triple *find(tm__triple *slots, uint32_t slot_count, uint32_t a, uint32_t b,
                        uint32_t c)
{
    uint32_t mask = slot_count - 1, at = home(slot_count, a, b, c);

    while (slots[at].value != 0 &&
           (slots[at].a != a || slots[at].b != b || slots[at].c != c))
        at = (at + 1) & mask;
    return &slots[at];
}

static int grow(tm__triple_map *map, tm__memory *memory)
{
    uint32_t slot_count = map->slot_count ? map->slot_count * 2 : FIRST_SLOTS;
    tm__triple *slots;

    if (map->slot_count > UINT32_MAX / 2)
        return tm__fail(TM_ELIMIT, "more than %u groups", map->count);
    slots = tm__zalloc(memory, slot_count * sizeof(*slots));
    if (!slots)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < map->slot_count; i++) {
        const tm__triple *old = &map->slots[i];

        if (old->value != 0)
            *find(slots, slot_count, old->a, old->b, old->c) = *old;
    }
    tm__free(memory, map->slots, map->slot_count * sizeof(*slots));
    map->slots = slots;
    map->slot_count = slot_count;
    return TM_OK;
}

uint32_t *tm__triple_map_at(tm__triple_map *map, tm__memory *memory, uint32_t a,
                            uint32_t b, uint32_t c)
{
    tm__triple *found;

    if (map->count >= map->slot_count / 2 && grow(map, memory) < 0)
        return NULL;
    found = find(map->slots, map->slot_count, a, b, c);
    if (found->value == 0) {
        *found = (tm__triple){a, b, c, 0};
        map->count++;
    }
    return &found->value;
}

uint32_t *tm__triple_map_find(const tm__triple_map *map, uint32_t a, uint32_t b,
                              uint32_t c)
{
    tm__triple *found;

    if (!map->slot_count)
        return NULL;
    found = find(map->slots, map->slot_count, a, b, c);
    return found->value ? &found->value : NULL;
}

void tm__triple_map_ask_for(const tm__triple_map *map, uint32_t a, uint32_t b,
                            uint32_t c)
{
    if (map->slot_count)
        tm__ask_for(&map->slots[home(map->slot_count, a, b, c)]);
}

void tm__triple_map_free(tm__triple_map *map, tm__memory *memory)
{
    tm__free(memory, map->slots, map->slot_count * sizeof(*map->slots));
    *map = (tm__triple_map){0};
}
