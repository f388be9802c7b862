/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one walk over all of a chunk: half a million events of some dozen types, most of
 * them of no use here. Each costs its size, its type and a byte in a table; what lies
 * between is not touched, and whoever decodes later need not walk again.
 */
#include "formats/jfr/event_index.h"

#include "base/error.h"

enum { UNKNOWN = 255 }; ///< the chunk has no such type

int tm__jfr_what_of(const tm__jfr_metadata *metadata, uint64_t type)
{
    uint32_t index = tm__map_find(&metadata->type_map, type);

    if (index == TM__NONE)
        return -1;
    return metadata->types[index].role >= TM__JFR_EVENT_ROLE
               ? metadata->types[index].role - TM__JFR_EVENT_ROLE
               : TM__JFR_NOTHING;
}

static void fill_whats(tm__jfr_index *index)
{
    memset(index->whats, UNKNOWN, sizeof(index->whats));
    for (uint32_t i = 0; i < index->metadata->type_count; i++) {
        uint64_t id = index->metadata->types[i].id;

        if (id < TM__JFR_DENSE_TYPES)
            index->whats[id] = (uint8_t)tm__jfr_what_of(index->metadata, id);
    }
}

static int add_entry(tm__memory *memory, tm__jfr_entry **entries, uint32_t *count,
                     uint32_t *capacity, const tm__jfr_walk *walk, int what)
{
    if (*count == *capacity && tm__reserve(memory, entries, capacity,
                                           (size_t)*count + 1, sizeof(**entries)) < 0)
        return tm__failure();
    (*entries)[(*count)++] =
        (tm__jfr_entry){.body = (uint32_t)(walk->body - walk->base),
                        .end = (uint32_t)(walk->end - walk->base),
                        .what = (uint8_t)what,
                        .head = (uint8_t)(walk->body - walk->at)};
    return TM_OK;
}

static int add_checkpoint(tm__jfr_index *index, const tm__jfr_walk *walk)
{
    if (tm__reserve(index->memory, &index->checkpoints, &index->checkpoint_capacity,
                    (size_t)index->checkpoint_count + 1,
                    sizeof(*index->checkpoints)) < 0)
        return tm__failure();
    index->checkpoints[index->checkpoint_count++] = (uint32_t)(walk->at - walk->base);
    return TM_OK;
}

int tm__jfr_index_build(tm__jfr_index *index, tm__jfr_walk *walk, uint64_t *counts,
                        tm__notes *notes, uint64_t offset)
{
    int rc = TM_OK;

    index->entry_count = index->about_count = index->checkpoint_count = 0;
    fill_whats(index);
    memset(index->passed, 0, sizeof(index->passed));
    while (rc == TM_OK && tm__jfr_walk_next(walk)) {
        int what = walk->type < TM__JFR_DENSE_TYPES
                       ? index->whats[walk->type]
                       : tm__jfr_what_of(index->metadata, walk->type);

        if (walk->type == TM__JFR_CHECKPOINT_TYPE)
            rc = add_checkpoint(index, walk);
        if (what == TM__JFR_NOTHING || walk->type <= TM__JFR_CHECKPOINT_TYPE) {
            index->passed[walk->type % TM__JFR_DENSE_TYPES]++;
            continue;
        }
        if (what < 0 || what == UNKNOWN) {
            rc = tm__notes_damage(notes,
                                  "the event at byte %llu is of a type that the chunk "
                                  "does not have",
                                  (unsigned long long)offset +
                                      (unsigned long long)(walk->at - walk->base));
            continue;
        }
        counts[what]++;
        if (what < TM__JFR_SETTING && index->is_wanted[what])
            rc = add_entry(index->memory, &index->entries, &index->entry_count,
                           &index->entry_capacity, walk, what);
        else if (what >= TM__JFR_SETTING && what <= TM__JFR_LOSS)
            rc = add_entry(index->memory, &index->abouts, &index->about_count,
                           &index->about_capacity, walk, what);
    }
    return rc;
}

void tm__jfr_index_free(tm__jfr_index *index)
{
    tm__free(index->memory, index->entries,
             index->entry_capacity * sizeof(*index->entries));
    tm__free(index->memory, index->abouts,
             index->about_capacity * sizeof(*index->abouts));
    tm__free(index->memory, index->checkpoints,
             index->checkpoint_capacity * sizeof(*index->checkpoints));
}
