/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly all ids are small numbers and mean one thing for good: those keep their
 * number, so that a person finds them again. All others are numbered from 2^61 up.
 */
#include "formats/tptp/tptp_ids.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define TEXT_KEY (UINT64_C(1) << 62)
#define TRANSIENT_KEY (UINT64_C(1) << 63)
#define FIRST_MINTED (UINT64_C(1) << 61)

void tm__tptp_ids_init(tm__tptp_ids *ids, tm__memory *memory)
{
    *ids = (tm__tptp_ids){.memory = memory};
    tm__strings_init(&ids->texts, memory);
    tm__map_init(&ids->map, memory);
}

uint64_t tm__tptp_ids_mint(tm__tptp_ids *ids)
{
    return FIRST_MINTED + ids->minted++;
}

static int key_of(tm__tptp_ids *ids, const char *text, uint64_t *key)
{
    char *end = NULL;
    uint32_t index;
    int rc;

    errno = 0;
    *key = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (end && !*end && errno == 0 && *key > 0 && *key < FIRST_MINTED)
        return TM_OK;
    rc = tm__strings_intern(&ids->texts, &index, text);
    *key = TEXT_KEY | index;
    return rc;
}

int tm__tptp_ids_find(tm__tptp_ids *ids, const char *text, int is_transient,
                      tm__tptp_entity **entity)
{
    uint64_t key;
    uint32_t index;
    int rc = key_of(ids, text, &key);

    if (rc < 0)
        return rc;
    if (is_transient)
        key |= TRANSIENT_KEY;
    index = tm__map_find(&ids->map, key);
    if (index == TM__NONE) {
        if (tm__reserve(ids->memory, &ids->entities, &ids->capacity,
                        (size_t)ids->count + 1, sizeof(*ids->entities)) < 0 ||
            tm__map_put(&ids->map, key, ids->count) < 0)
            return tm__failure();
        index = ids->count++;
        ids->entities[index] =
            (tm__tptp_entity){.id = key < FIRST_MINTED ? key : tm__tptp_ids_mint(ids)};
    }
    *entity = &ids->entities[index];
    if ((*entity)->is_over) {
        ids->reused++;
        tm__tptp_ids_renew(ids, *entity);
    }
    return TM_OK;
}

void tm__tptp_ids_renew(tm__tptp_ids *ids, tm__tptp_entity *entity)
{
    *entity = (tm__tptp_entity){.id = tm__tptp_ids_mint(ids)};
}

void tm__tptp_ids_free(tm__tptp_ids *ids)
{
    tm__strings_clear(&ids->texts);
    tm__map_clear(&ids->map);
    tm__free(ids->memory, ids->entities, ids->capacity * sizeof(*ids->entities));
}
