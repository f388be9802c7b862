/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk after the other into what is known of the whole recording. Types and
 * constants stand behind the events that need them, and settings and the JVM, which
 * decide on ids, may stand anywhere: so the types come first, then one walk by the
 * sizes of the events says where the rest stands, and only what matters is decoded.
 */
#include "formats/jfr/jfr_recording.h"

#include "base/error.h"
#include "formats/jfr/decode.h"
#include "formats/jfr/jfr_definitions.h"

static int is_zero(const uint8_t *bytes, const uint8_t *end)
{
    while (bytes < end)
        if (*bytes++)
            return 0;
    return 1;
}

/* Note that the events of a chunk end elsewhere than its header states. */
static int note_end(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                    const tm__jfr_walk *walk)
{
    unsigned long long offset = chunk->offset;
    unsigned long long end = offset + (uint64_t)(walk->at - walk->base);

    if (chunk->state != 0)
        return tm__notes_damage(
            &self->notes,
            "the chunk at byte %llu was not finished: its JVM was killed, or still ran "
            "when the file was copied; it was read up to byte %llu",
            offset, end);
    if (chunk->is_cut)
        return tm__notes_damage(
            &self->notes,
            "the file ends at byte %llu within the chunk at byte %llu, and %llu "
            "bytes of the chunk are missing; it was read up to byte %llu",
            offset + (unsigned long long)chunk->bytes, offset,
            (unsigned long long)(chunk->stated_bytes - chunk->bytes), end);
    if (walk->at == walk->limit || is_zero(walk->at, walk->limit))
        return TM_OK;
    return tm__notes_damage(
        &self->notes,
        "the event at byte %llu cannot be %llu bytes long: the rest "
        "of its chunk, up to byte %llu, is not read",
        end, (unsigned long long)walk->size, offset + (unsigned long long)chunk->bytes);
}

static int note_damage(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                       const tm__jfr_walk *event, const tm__jfr_cursor *cursor,
                       const char *what)
{
    return tm__notes_damage(
        &self->notes, "the %s event at byte %llu is damaged at or before byte %llu",
        what, (unsigned long long)(chunk->offset + (uint64_t)(event->at - event->base)),
        (unsigned long long)(chunk->offset + (uint64_t)(cursor->at - event->base)));
}

/* Read the metadata event at an offset. @return TM_MORE: types are known; TM_OK: not */
static int read_types(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                      const tm__jfr_walk *walk, uint64_t offset)
{
    tm__jfr_walk event = *walk;
    tm__jfr_cursor cursor;
    int rc;

    if (offset < TM__JFR_HEADER_BYTES || offset >= chunk->bytes)
        return TM_OK;
    event.end = walk->base + offset;
    if (!tm__jfr_walk_next(&event) || event.type != TM__JFR_METADATA_TYPE)
        return TM_OK;
    cursor = (tm__jfr_cursor){.at = event.body, .limit = event.end};
    rc = tm__jfr_metadata_read(&self->metadata, &cursor);
    if (rc == TM_EDAMAGED)
        return note_damage(self, chunk, &event, &cursor, "metadata");
    return rc == TM_OK ? TM_MORE : rc;
}

/* The header of a finished chunk says where its types stand; of another chunk the last
 * whole metadata event has the most of them. @return as above */
static int load_types(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                      const tm__jfr_walk *walk)
{
    tm__jfr_walk from = *walk;
    int rc = TM_OK;

    if (chunk->state == 0)
        rc = read_types(self, chunk, walk, chunk->metadata_offset);
    if (rc != TM_OK)
        return rc;
    self->mark_count = 0;
    while (tm__jfr_walk_next(&from)) {
        if (from.type != TM__JFR_METADATA_TYPE)
            continue;
        if (tm__reserve(self->memory, &self->marks, &self->mark_capacity,
                        (size_t)self->mark_count + 1, sizeof(*self->marks)) < 0)
            return tm__failure();
        self->marks[self->mark_count++] = (uint32_t)(from.at - from.base);
    }
    for (uint32_t i = self->mark_count; i > 0 && rc == TM_OK; i--)
        rc = read_types(self, chunk, walk, self->marks[i - 1]);
    if (rc != TM_OK)
        return rc;
    rc = note_end(self, chunk, &from);
    return rc < 0 ? rc
                  : tm__notes_damage(&self->notes,
                                     "the chunk at byte %llu has no whole metadata "
                                     "event: its events cannot be read",
                                     (unsigned long long)chunk->offset);
}

static int load_constants(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                          const tm__jfr_walk *walk)
{
    const tm__jfr_index *index = &self->events.index;
    int rc = TM_OK;

    for (uint32_t i = 0; i < index->checkpoint_count && rc == TM_OK; i++) {
        tm__jfr_walk event = *walk;
        tm__jfr_cursor cursor;

        event.end = walk->base + index->checkpoints[i];
        tm__jfr_walk_next(&event);
        cursor = (tm__jfr_cursor){.at = event.body, .limit = event.limit};
        rc = tm__jfr_pools_add(&self->pools, &cursor, event.end);
        if (rc == TM_EDAMAGED)
            rc = note_damage(self, chunk, &event, &cursor, "checkpoint");
    }
    return rc;
}

/* Note the events of a chunk that are not read. */
static int note_passed(tm__jfr_recording *self)
{
    const tm__jfr_metadata *metadata = &self->metadata;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < metadata->type_count; i++) {
        uint64_t id = metadata->types[i].id;

        if (id > TM__JFR_CHECKPOINT_TYPE && id < TM__JFR_DENSE_TYPES &&
            self->events.index.passed[id])
            rc = tm__jfr_settings_pass(&self->settings,
                                       tm__jfr_type_name(metadata, &metadata->types[i]),
                                       self->events.index.passed[id]);
    }
    return rc;
}

/* Where the chunk's types are known: what it says, and where. */
static int load_known(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                      const tm__jfr_walk *walk)
{
    tm__jfr_walk end = *walk;
    int rc = tm__jfr_pools_start(&self->pools, walk->base, walk->limit);

    if (rc == TM_OK)
        rc = tm__jfr_events_start(&self->events, chunk);
    if (rc == TM_OK)
        rc = tm__jfr_index_build(&self->events.index, &end, self->settings.counts,
                                 &self->notes, chunk->offset);
    if (rc == TM_OK)
        rc = note_end(self, chunk, &end);
    if (rc == TM_OK)
        rc = load_constants(self, chunk, walk);
    if (rc == TM_OK)
        rc = tm__jfr_events_about(&self->events, walk->base);
    self->entities.jvm = self->settings.jvm;
    if (rc == TM_OK && !self->events.is_by_thread)
        rc = tm__jfr_events_decode(&self->events, walk->base);
    if (rc == TM_OK && self->events.index.entry_count == 0)
        rc = note_passed(self);
    return rc;
}

static int load_content(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                        const tm__jfr_walk *walk)
{
    int rc = load_types(self, chunk, walk);

    self->bytes = walk->base;
    if (rc == TM_MORE)
        rc = load_known(self, chunk, walk);
    return rc;
}

int tm__jfr_recording_next(tm__jfr_recording *self)
{
    return tm__jfr_events_decode(&self->events, self->bytes);
}

int tm__jfr_recording_init(tm__jfr_recording *self, tm__memory *memory)
{
    self->memory = memory;
    tm__notes_init(&self->notes, memory);
    tm__jfr_metadata_init(&self->metadata, memory);
    tm__jfr_pools_init(&self->pools, memory, &self->metadata);
    tm__jfr_settings_init(&self->settings, memory);
    self->events =
        (tm__jfr_events){.memory = memory,
                         .index = {.memory = memory, .metadata = &self->metadata},
                         .order = {.memory = memory},
                         .metadata = &self->metadata,
                         .entities = &self->entities,
                         .settings = &self->settings,
                         .notes = &self->notes,
                         .last_ns = INT64_MIN};
    tm__jfr_witness_init(&self->events.witness, memory, &self->entities, &self->notes);
    tm__jfr_events_want(&self->events, 0);
    return tm__jfr_entities_init(&self->entities, memory, &self->pools);
}

int tm__jfr_recording_load(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                           const uint8_t *bytes)
{
    uint64_t counts[TM__JFR_WHAT_COUNT], lost_bytes = self->settings.lost_bytes;
    uint64_t unknown_threads = self->entities.unknown_threads;
    uint32_t damage_count = self->notes.damage_count;
    tm__jfr_walk walk;
    int rc;

    self->events.index.entry_count = self->events.decoded = 0;
    memcpy(counts, self->settings.counts, sizeof(counts));
    self->events.sleeps_before = counts[TM__JFR_SLEEP];
    tm__jfr_walk_start(&walk, bytes, (size_t)chunk->bytes);
    rc = load_content(self, chunk, &walk);
    if (rc < 0) {
        /* A second attempt counts the same events again. */
        memcpy(self->settings.counts, counts, sizeof(counts));
        self->settings.lost_bytes = lost_bytes;
        self->entities.unknown_threads = unknown_threads;
        self->notes.damage_count = damage_count;
    }
    return rc;
}

void tm__jfr_recording_free(tm__jfr_recording *self)
{
    tm__jfr_events_free(&self->events);
    tm__jfr_settings_free(&self->settings);
    tm__jfr_entities_free(&self->entities);
    tm__jfr_pools_free(&self->pools);
    tm__jfr_metadata_free(&self->metadata);
    tm__notes_free(&self->notes);
    tm__free(self->memory, self->marks, self->mark_capacity * sizeof(*self->marks));
}
