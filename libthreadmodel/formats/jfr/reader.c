/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings in, a chunk at a time. A chunk is some 12 MB, and nothing in it can be
 * understood before its end is read, where types and constants stand:
 *
 *     FINDING ──chunks by their start──▶ LOADING ──▶ POURING ──▶ CONCLUDING ──▶ DONE
 *                                          ▲            │
 *                                          └────────────┘
 *     load:  walk over the sizes: where are metadata and checkpoints, where is the end
 *            types ─▶ constants ─▶ settings and JVM ─▶ events ─▶ by time
 *
 * So what is in memory is one chunk, a few dozen bytes an event of it, and what is
 * known of threads, stacks and objects of all chunks. Chunks of a regular file are
 * taken in the order of their starts: recordings may have been joined in any order.
 */
#include "formats/jfr/reader.h"

#include <stdio.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/jfr/events.h"

enum { CALL_EVENTS = 16384 };

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { FINDING, LOADING, POURING, CONCLUDING, DONE } state;
    tm__jfr_notes notes;
    tm__jfr_finder finder;
    tm__jfr_chunk *chunks;
    tm__sortable *order; ///< of regular files: chunks by their start, and spare room
    uint32_t chunk_count;
    uint32_t chunk_capacity;
    uint32_t order_capacity;
    uint32_t next;     ///< order[]
    tm__map chunk_map; ///< start: chunks[]
    uint32_t doubles;  ///< chunks that were there already
    uint64_t position;

    tm__jfr_metadata metadata;
    tm__jfr_pools pools;
    tm__jfr_entities entities;
    tm__jfr_settings settings;
    tm__jfr_events events;
    uint32_t *marks; ///< offsets in the chunk of metadata and checkpoint events
    uint32_t mark_count;
    uint32_t mark_capacity;
    int64_t start_ns; ///< of the first chunk
    int64_t end_ns;   ///< of the last one, where it was finished
    uint16_t major, minor;
} reader;

static int probe(const uint8_t *bytes, size_t length)
{
    tm__jfr_chunk chunk;

    if (length < TM__JFR_HEADER_BYTES)
        return length >= 4 && memcmp(bytes, "FLR\0", 4) == 0;
    return tm__jfr_chunk_get(&chunk, bytes);
}

static void reader_close(void *payload)
{
    reader *self = payload;
    tm__memory *memory = self->memory;

    tm__jfr_events_free(&self->events);
    tm__jfr_settings_free(&self->settings);
    tm__jfr_entities_free(&self->entities);
    tm__jfr_pools_free(&self->pools);
    tm__jfr_metadata_free(&self->metadata);
    tm__jfr_notes_free(&self->notes);
    tm__map_clear(&self->chunk_map);
    tm__free(memory, self->marks, self->mark_capacity * sizeof(*self->marks));
    tm__free(memory, self->chunks, self->chunk_capacity * sizeof(*self->chunks));
    tm__free(memory, self->order, self->order_capacity * sizeof(*self->order));
    tm__free(memory, self, sizeof(*self));
}

static int reader_open(void **out, tm__memory *memory, tm__input *input)
{
    reader *self = tm__zalloc(memory, sizeof(*self));

    if (!self)
        return TM_ENOMEM;
    self->memory = memory;
    self->input = input;
    tm__jfr_notes_init(&self->notes, memory);
    tm__map_init(&self->chunk_map, memory);
    self->finder = (tm__jfr_finder){.input = input, .notes = &self->notes};
    tm__jfr_metadata_init(&self->metadata, memory);
    tm__jfr_pools_init(&self->pools, memory, &self->metadata);
    tm__jfr_settings_init(&self->settings, memory);
    self->events = (tm__jfr_events){.memory = memory,
                                    .metadata = &self->metadata,
                                    .entities = &self->entities,
                                    .settings = &self->settings,
                                    .notes = &self->notes,
                                    .last_ns = INT64_MIN};
    if (tm__jfr_entities_init(&self->entities, memory, &self->pools) < 0) {
        reader_close(self);
        return TM_ENOMEM;
    }
    *out = self;
    return TM_OK;
}

/* The same chunk again: two dumps of one recording share all but their last ones. */
static int is_double(const reader *self, const tm__jfr_chunk *chunk)
{
    uint32_t index = tm__map_find(&self->chunk_map, (uint64_t)chunk->start_ns);
    const tm__jfr_chunk *other = &self->chunks[index];

    return index != TM__NONE && other->start_ticks == chunk->start_ticks &&
           other->ticks_per_second == chunk->ticks_per_second &&
           other->duration_ns == chunk->duration_ns && other->bytes == chunk->bytes;
}

/* Look for the next chunk. @return TM_MORE: there is one; TM_OK: no more */
static int find_chunk(reader *self)
{
    for (;;) {
        tm__jfr_chunk chunk;
        int rc = tm__jfr_chunk_find(&self->finder, &chunk);

        if (rc != TM_MORE)
            return rc;
        if (self->chunk_count > 0 && is_double(self, &chunk)) {
            self->doubles++;
            continue;
        }
        if (tm__reserve(self->memory, &self->chunks, &self->chunk_capacity,
                        (size_t)self->chunk_count + 1, sizeof(chunk)) < 0 ||
            tm__reserve(self->memory, &self->order, &self->order_capacity,
                        2 * ((size_t)self->chunk_count + 1), sizeof(*self->order)) < 0)
            return TM_ENOMEM;
        if (tm__map_find(&self->chunk_map, (uint64_t)chunk.start_ns) == TM__NONE &&
            tm__map_put(&self->chunk_map, (uint64_t)chunk.start_ns, self->chunk_count) <
                0)
            return TM_ENOMEM;
        self->chunks[self->chunk_count] = chunk;
        self->order[self->chunk_count] =
            (tm__sortable){.key = chunk.start_ns, .number = self->chunk_count};
        self->chunk_count++;
        return TM_MORE;
    }
}

static int by_place(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (left > right) - (left < right);
}

/* All chunks of a regular file; of a pipe the next one, which it alone has. */
static int find_chunks(reader *self)
{
    int rc = find_chunk(self);

    while (rc == TM_MORE && self->input->is_seekable)
        rc = find_chunk(self);
    if (rc < 0)
        return rc;
    if (self->input->is_seekable)
        tm__sort(self->order, self->order + self->chunk_count, self->chunk_count,
                 by_place, NULL);
    self->state = self->next < self->chunk_count ? LOADING : CONCLUDING;
    return TM_MORE;
}

static int mark(reader *self, const tm__jfr_walk *walk)
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
static int note_end(reader *self, const tm__jfr_chunk *chunk, const tm__jfr_walk *walk)
{
    unsigned long long offset = chunk->offset;
    unsigned long long end = offset + (uint64_t)(walk->at - walk->base);

    if (chunk->state != 0)
        return tm__jfr_damage(
            &self->notes,
            "the chunk at byte %llu was not finished: its JVM was killed, or still ran "
            "when the file was copied; it was read up to byte %llu",
            offset, end);
    if (chunk->is_cut)
        return tm__jfr_damage(
            &self->notes,
            "the file ends at byte %llu within the chunk at byte %llu, of which %llu "
            "bytes are missing; it was read up to byte %llu",
            offset + (unsigned long long)chunk->bytes, offset,
            (unsigned long long)(chunk->stated_bytes - chunk->bytes), end);
    if (walk->at == walk->limit || is_zero(walk->at, walk->limit))
        return TM_OK;
    return tm__jfr_damage(&self->notes,
                          "the event at byte %llu cannot be %llu bytes long: the rest "
                          "of its chunk, up to byte %llu, is not read",
                          end, (unsigned long long)walk->size,
                          offset + (unsigned long long)chunk->bytes);
}

/* Find where the events end, and mark those about types and constants. */
static int survey(reader *self, const tm__jfr_chunk *chunk, tm__jfr_walk *walk)
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

static int note_damage(reader *self, const tm__jfr_chunk *chunk,
                       const tm__jfr_walk *event, const tm__jfr_cursor *cursor,
                       const char *what)
{
    return tm__jfr_damage(
        &self->notes, "the %s event at byte %llu is damaged at or before byte %llu",
        what, (unsigned long long)(chunk->offset + (uint64_t)(event->at - event->base)),
        (unsigned long long)(chunk->offset + (uint64_t)(cursor->at - event->base)));
}

/* The last whole metadata hold all types of the chunk.
 * @return TM_MORE: types are known; TM_OK: not */
static int load_types(reader *self, const tm__jfr_chunk *chunk,
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
    return tm__jfr_damage(&self->notes,
                          "the chunk at byte %llu has no whole metadata event: its "
                          "events cannot be read",
                          (unsigned long long)chunk->offset);
}

static int load_constants(reader *self, const tm__jfr_chunk *chunk,
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

static int load_events(reader *self, const tm__jfr_chunk *chunk,
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

static void note_time(reader *self, const tm__jfr_chunk *chunk)
{
    int64_t end_ns;

    if (self->next == 0) {
        self->start_ns = chunk->start_ns;
        self->major = chunk->major;
        self->minor = chunk->minor;
    }
    if (__builtin_add_overflow(chunk->start_ns, chunk->duration_ns, &end_ns) ||
        chunk->state != 0)
        end_ns = self->events.last_ns;
    if (end_ns > self->end_ns)
        self->end_ns = end_ns;
}

static int pour_run(reader *self, const tm_sink *sink)
{
    char producer[64];
    tm_run run = {.size = sizeof(run),
                  .producer = producer,
                  .start_wall_ns = self->start_ns,
                  .start_ns = self->start_ns,
                  .end_ns = self->end_ns,
                  .policy = TM_POLICY_REPORTED,
                  .identity = TM_IDENTITY_ADDRESS};

    snprintf(producer, sizeof(producer), "JDK Flight Recorder %u.%u", self->major,
             self->minor);
    tm__jfr_settings_describe(&self->settings, &run);
    return sink->run(sink->payload, &run);
}

/* Types, constants and events of a chunk, as far as it has them. */
static int load_content(reader *self, const tm__jfr_chunk *chunk, tm__jfr_walk *walk)
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

/* Have the next chunk ready to be poured. Out of memory, it can be tried again. */
static int load(reader *self)
{
    const tm__jfr_chunk *chunk = &self->chunks[self->order[self->next].number];
    const uint8_t *bytes = NULL;
    uint64_t counts[TM__JFR_WHAT_COUNT], lost_bytes = self->settings.lost_bytes;
    uint32_t damage_count = self->notes.damage_count;
    size_t available;
    tm__jfr_walk walk;
    int rc = tm__input_view(self->input, chunk->offset, (size_t)chunk->bytes, &bytes,
                            &available);

    if (rc < 0)
        return rc;
    memcpy(counts, self->settings.counts, sizeof(counts));
    if (available == chunk->bytes) {
        tm__jfr_walk_start(&walk, bytes, available);
        rc = load_content(self, chunk, &walk);
    } else {
        rc = tm__jfr_damage(&self->notes,
                            "the chunk at byte %llu is gone: the file was cut while it "
                            "was read",
                            (unsigned long long)chunk->offset);
    }
    if (rc < 0) {
        memcpy(self->settings.counts, counts, sizeof(counts));
        self->settings.lost_bytes = lost_bytes;
        self->notes.damage_count = damage_count;
        return rc;
    }
    note_time(self, chunk);
    self->next++;
    self->position += chunk->bytes;
    self->state = POURING;
    return TM_OK;
}

static int pour(reader *self, const tm_sink *sink)
{
    int rc = tm__jfr_notes_tell(&self->notes, sink);

    if (rc >= 0)
        rc = tm__jfr_entities_pour(&self->entities, sink);
    if (rc >= 0)
        rc = tm__jfr_events_pour(&self->events, sink, CALL_EVENTS);
    if (rc != TM_OK)
        return rc;
    if (self->next < self->chunk_count)
        self->state = LOADING;
    else
        self->state = self->input->is_seekable ? CONCLUDING : FINDING;
    return TM_MORE;
}

/* What holds for all of the recording can be said only now. */
static int conclude(reader *self, const tm_sink *sink)
{
    int rc = tm__jfr_settings_limits(&self->settings, &self->notes);

    if (rc == TM_OK && self->entities.has_virtual)
        rc = tm__jfr_limit(&self->notes,
                           "JFR hardly records virtual threads that are held up: as of "
                           "JDK 25 their contended enters and parks leave no event and "
                           "their waits look far too short; starts, sleeps and ends "
                           "are right.");
    if (rc == TM_OK && self->entities.unknown_threads)
        rc = tm__jfr_limit(&self->notes,
                           "Threads are named %llu times that the recording does not "
                           "describe.",
                           (unsigned long long)self->entities.unknown_threads);
    if (rc == TM_OK && self->doubles)
        rc = tm__jfr_limit(&self->notes,
                           "The file holds %u chunks twice; each was read once.",
                           self->doubles);
    if (rc < 0)
        return rc;
    self->state = DONE;
    return tm__jfr_notes_tell(&self->notes, sink);
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    switch (self->state) {
    case FINDING: return find_chunks(self);
    case LOADING:
        rc = load(self);
        if (rc == TM_OK)
            rc = pour_run(self, sink);
        return rc < 0 ? rc : TM_MORE;
    case POURING: return pour(self, sink);
    case CONCLUDING: rc = conclude(self, sink); return rc < 0 ? rc : TM_MORE;
    case DONE: break;
    }
    rc = tm__jfr_notes_tell(&self->notes, sink);
    return rc < 0 ? rc : tm__jfr_notes_conclude(&self->notes, self->input->path);
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->position;
}

const tm__format tm__format_jfr = {
    "jfr", probe, reader_open, reader_read, reader_position, reader_close,
};
