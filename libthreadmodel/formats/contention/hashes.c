/* SPDX-License-Identifier: Apache-2.0 */
/* Two objects that share a hash in the VM do not share one in a log of ours: there a
 * hash is all that distinguishes them. */
#include "formats/contention/hashes.h"

#include "base/error.h"

void tm__log_hashes_init(tm__log_hashes *hashes, tm__memory *memory)
{
    *hashes = (tm__log_hashes){.next = 1};
    tm__map_init(&hashes->objects, memory);
    tm__map_init(&hashes->threads, memory);
    tm__map_init(&hashes->used, memory);
}

static int is_free(const tm__log_hashes *hashes, uint32_t hash)
{
    return hash != 0 && tm__map_find(&hashes->used, hash) == TM__NONE;
}

/* TM__NONE is the map's own word for nothing. */
static int give(tm__log_hashes *hashes, tm__map *map, uint64_t id, uint32_t wanted,
                uint32_t *hash)
{
    if (wanted == TM__NONE || !is_free(hashes, wanted)) {
        while (!is_free(hashes, hashes->next))
            hashes->next++;
        wanted = hashes->next;
    }
    if (tm__map_put(&hashes->used, wanted, 0) < 0)
        return tm__failure();
    *hash = wanted;
    return tm__map_put(map, id, wanted);
}

int tm__log_hash_object(tm__log_hashes *hashes, uint64_t id, uint32_t wanted,
                        uint32_t *hash)
{
    *hash = id ? tm__map_find(&hashes->objects, id) : 0;
    return *hash == TM__NONE ? give(hashes, &hashes->objects, id, wanted, hash) : TM_OK;
}

int tm__log_hash_thread(tm__log_hashes *hashes, uint64_t id, uint64_t object,
                        uint32_t *hash)
{
    int rc;

    *hash = id ? tm__map_find(&hashes->threads, id) : 0;
    if (*hash != TM__NONE)
        return TM_OK;
    if (!object)
        return give(hashes, &hashes->threads, id, 0, hash);
    rc = tm__log_hash_object(hashes, object, 0, hash);
    return rc < 0 ? rc : tm__map_put(&hashes->threads, id, *hash);
}

void tm__log_hashes_free(tm__log_hashes *hashes)
{
    tm__map_clear(&hashes->objects);
    tm__map_clear(&hashes->threads);
    tm__map_clear(&hashes->used);
}
