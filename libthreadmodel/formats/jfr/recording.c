/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One chunk after the other into what is known of the whole recording. Events are
 * walked over three times: by their sizes alone, to find types and constants, which
 * stand behind what needs them; for settings and the JVM, which decide on ids; and to
 * decode those that matter.
 */
#include "formats/jfr/recording.h"

#include "base/error.h"

static int mark(tm__jfr_recording *self, const tm__jfr_walk *walk)
{
    if (tm__reserve(self->memory, &self->marks, &self->mark_capacity,
                    (size_t)self->mark_count + 1, sizeof(*self->marks)) < 0)
        return TM_ENOMEM;
    self->marks[self->mark_count++] = (uint32_t)(walk->at - walk->base);
    return TM_OK;
}

static int is_zero(const uint8_t *bytes, const uint8_t *end)
{
    while (bytes < end)
        if (*bytes++)
            return 0;
    return 1;
}

/* What is said where the events of a chunk end other than by its header. */
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
            "the file ends at byte %llu within the chunk at byte %llu, of which %llu "
            "bytes are missing; it was read up to byte %llu",
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

/* Find where the events end, and mark those about types and constants. */
static int survey(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                  tm__jfr_walk *walk)
{
    tm__jfr_walk from = *walk;
    int rc;

    self->mark_count = 0;
    while (tm__jfr_walk_next(&from))
        if (from.type <= TM__JFR_CHECKPOINT_TYPE && mark(self, &from) < 0)
            return TM_ENOMEM;
    rc = note_end(self, chunk, &from);
    walk->limit = from.at;
    return rc;
}

/* The event at a mark. */
static tm__jfr_walk go_to(const tm__jfr_walk *walk, uint32_t offset)
{
    tm__jfr_walk there = *walk;

    there.end = walk->base + offset;
    tm__jfr_walk_next(&there);
    return there;
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

/* The last whole metadata hold all types of the chunk.
 * @return TM_MORE: types are known; TM_OK: not */
static int load_types(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                      const tm__jfr_walk *walk)
{
    for (uint32_t i = self->mark_count; i > 0; i--) {
        tm__jfr_walk event = go_to(walk, self->marks[i - 1]);
        tm__jfr_cursor cursor = {.at = event.body, .limit = event.end};
        int rc;

        if (event.type != TM__JFR_METADATA_TYPE)
            continue;
        rc = tm__jfr_metadata_read(&self->metadata, &cursor);
        if (rc == TM_OK)
            return TM_MORE;
        if (rc == TM_EDAMAGED)
            rc = note_damage(self, chunk, &event, &cursor, "metadata");
        if (rc < 0)
            return rc;
    }
    return tm__notes_damage(&self->notes,
                            "the chunk at byte %llu has no whole metadata event: its "
                            "events cannot be read",
                            (unsigned long long)chunk->offset);
}

static int load_constants(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                          const tm__jfr_walk *walk)
{
    int rc = tm__jfr_pools_start(&self->pools, walk->base, walk->limit);

    for (uint32_t i = 0; i < self->mark_count && rc == TM_OK; i++) {
        tm__jfr_walk event = go_to(walk, self->marks[i]);
        tm__jfr_cursor cursor = {.at = event.body, .limit = event.limit};

        if (event.type != TM__JFR_CHECKPOINT_TYPE)
            continue;
        rc = tm__jfr_pools_add(&self->pools, &cursor, event.end);
        if (rc == TM_EDAMAGED)
            rc = note_damage(self, chunk, &event, &cursor, "checkpoint");
    }
    return rc;
}

static int load_events(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                       const tm__jfr_walk *walk)
{
    int rc = tm__jfr_events_start(&self->events, chunk);

    if (rc == TM_OK)
        rc = tm__jfr_events_scan(&self->events, *walk);
    self->entities.jvm = self->settings.jvm;
    if (rc == TM_OK)
        rc = tm__jfr_events_decode(&self->events, *walk);
    return rc;
}

static int load_content(tm__jfr_recording *self, const tm__jfr_chunk *chunk,
                        tm__jfr_walk *walk)
{
    int rc = survey(self, chunk, walk);

    if (rc == TM_OK)
        rc = load_types(self, chunk, walk);
    if (rc == TM_MORE) {
        rc = load_constants(self, chunk, walk);
        if (rc == TM_OK)
            rc = load_events(self, chunk, walk);
    }
    return rc;
}

int tm__jfr_recording_init(tm__jfr_recording *self, tm__memory *memory)
{
    self->memory = memory;
    tm__notes_init(&self->notes, memory);
    tm__jfr_metadata_init(&self->metadata, memory);
    tm__jfr_pools_init(&self->pools, memory, &self->metadata);
    tm__jfr_settings_init(&self->settings, memory);
    self->events = (tm__jfr_events){.memory = memory,
                                    .metadata = &self->metadata,
                                    .entities = &self->entities,
                                    .settings = &self->settings,
                                    .notes = &self->notes,
                                    .last_ns = INT64_MIN};
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

    memcpy(counts, self->settings.counts, sizeof(counts));
    tm__jfr_walk_start(&walk, bytes, (size_t)chunk->bytes);
    rc = load_content(self, chunk, &walk);
    if (rc < 0) {
        /* What was counted is counted again when it is tried again. */
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
