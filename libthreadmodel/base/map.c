/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interning of ids: looked up at least once an event, filled once an id. Entries
 * come from chunks, so a million ids are four thousand allocations.
 */
#include "base/map.h"

#include "base/error.h"
#include "base/hash.h"

struct tm__map_entry {
    uint64_t key;
    uint32_t index;
    UT_hash_handle hh;
};

enum { CHUNK_ENTRIES = 256 };

struct tm__map_chunk {
    struct tm__map_chunk *next;
    uint32_t used;
    struct tm__map_entry entries[CHUNK_ENTRIES];
};

/* Ids are often counters or addresses: a multiplicative mix spreads both. */
#define MIX(keyptr, keylen, hashv)                                                     \
    do {                                                                               \
        uint64_t mixed = *(const uint64_t *)(keyptr)*UINT64_C(0x9e3779b97f4a7c15);     \
        (void)(keylen);                                                                \
        (hashv) = (unsigned)(mixed ^ (mixed >> 32));                                   \
    } while (0)
#undef HASH_FUNCTION
#define HASH_FUNCTION(keyptr, keylen, hashv) MIX(keyptr, keylen, hashv)

void tm__map_init(tm__map *map, tm__memory *memory)
{
    *map = (tm__map){.memory = memory};
}

uint32_t tm__map_find(const tm__map *map, uint64_t key)
{
    struct tm__map_entry *entry;

    HASH_FIND(hh, map->entries, &key, sizeof(key), entry);
    return entry ? entry->index : TM__NONE;
}

static struct tm__map_entry *new_entry(tm__map *map)
{
    struct tm__map_chunk *chunk = map->chunks;

    if (!chunk || chunk->used == CHUNK_ENTRIES) {
        chunk = tm__zalloc(map->memory, sizeof(*chunk));
        if (!chunk)
            return NULL;
        chunk->next = map->chunks;
        map->chunks = chunk;
    }
    return &chunk->entries[chunk->used++];
}

int tm__map_put(tm__map *map, uint64_t key, uint32_t index)
{
    tm__memory *memory = map->memory;
    struct tm__map_entry *entry = new_entry(map);
    int failed = 0;

    if (!entry)
        return TM_ENOMEM;
    entry->key = key;
    entry->index = index;
    HASH_ADD(hh, map->entries, key, sizeof(entry->key), entry);
    if (failed) {
        map->chunks->used--;
        return TM_ENOMEM;
    }
    return TM_OK;
}

void tm__map_clear(tm__map *map)
{
    tm__memory *memory = map->memory;
    struct tm__map_chunk *chunk;

    HASH_CLEAR(hh, map->entries);
    while ((chunk = map->chunks) != NULL) {
        map->chunks = chunk->next;
        tm__free(map->memory, chunk, sizeof(*chunk));
    }
}
