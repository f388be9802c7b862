/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings in, a chunk at a time. A chunk is some 12 MB, and nothing in it can be
 * understood before its end is read, where types and constants stand:
 *
 *     FINDING ──chunks by their start──▶ LOADING ──▶ EMITTING ──▶ CONCLUDING ──▶ DONE
 *                                          ▲            │
 *                                          └────────────┘
 * So what is in memory is one chunk, a few dozen bytes an event of it, and what is
 * known of threads, stacks and objects of all chunks. Chunks of a regular file are
 * taken in the order of their starts: recordings may have been joined in any order.
 * Those of two writers overlap. Events are emitted up to the begin of the next chunk,
 * and the others are merged with its own.
 */
#include "formats/jfr/jfr_reader.h"

#include <stdio.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/jfr/decode.h"
#include "formats/jfr/emit_events.h"
#include "formats/jfr/jfr_clock.h"
#include "formats/jfr/jfr_definitions.h"
#include "formats/jfr/jfr_recording.h"

enum { CALL_EVENTS = 16384 };

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { FINDING, LOADING, EMITTING, CONCLUDING, DONE } state;
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

    tm__jfr_recording recording;
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

    tm__jfr_recording_free(&self->recording);
    tm__map_clear(&self->chunk_map);
    tm__free(memory, self->chunks, self->chunk_capacity * sizeof(*self->chunks));
    tm__free(memory, self->order, self->order_capacity * sizeof(*self->order));
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    reader *self = payload;

    self->memory = memory;
    self->input = input;
    tm__map_init(&self->chunk_map, memory);
    self->finder = (tm__jfr_finder){.input = input, .notes = &self->recording.notes};
    if (tm__jfr_recording_init(&self->recording, memory) < 0)
        return tm__failure();
    tm__jfr_events_want(&self->recording.events, options->kinds);
    self->recording.events.is_by_thread = options->flags & TM_SOURCE_BY_THREAD;
    self->recording.entities.keeps_stacks = options->flags & TM_SOURCE_NO_STACKS;
    self->recording.events.shows_paths = (options->flags & TM_SOURCE_PATHS) != 0;
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

static int add_chunk(reader *self, const tm__jfr_chunk *chunk)
{
    uint32_t number = self->chunk_count;
    uint64_t start = (uint64_t)chunk->start_ns;

    if (tm__reserve(self->memory, &self->chunks, &self->chunk_capacity,
                    (size_t)number + 1, sizeof(*chunk)) < 0 ||
        tm__reserve(self->memory, &self->order, &self->order_capacity,
                    2 * ((size_t)number + 1), sizeof(*self->order)) < 0)
        return tm__failure();
    if (tm__map_find(&self->chunk_map, start) == TM__NONE &&
        tm__map_put(&self->chunk_map, start, number) < 0)
        return tm__failure();
    self->chunks[number] = *chunk;
    self->order[number] = (tm__sortable){.key = chunk->start_ns, .number = number};
    self->chunk_count++;
    return TM_OK;
}

/* Look for the next chunk. @return TM_MORE: there is one; TM_OK: no more */
static int find_chunk(reader *self)
{
    tm__jfr_chunk chunk;

    for (;;) {
        tm__jfr_finder before = self->finder;
        int rc = tm__jfr_chunk_find(&self->finder, &chunk);

        if (rc == TM_MORE && self->chunk_count > 0 && is_double(self, &chunk)) {
            self->doubles++;
            continue;
        }
        if (rc == TM_MORE && add_chunk(self, &chunk) < 0)
            rc = tm__failure();
        if (rc < 0)
            self->finder = before;
        return rc;
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
    if (self->input->is_seekable && self->chunk_count > 0)
        tm__sort(self->order, self->order + self->chunk_count, self->chunk_count,
                 by_place, NULL);
    self->state = self->next < self->chunk_count ? LOADING : CONCLUDING;
    return TM_MORE;
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
        end_ns = self->recording.events.last_ns;
    if (end_ns > self->end_ns)
        self->end_ns = end_ns;
}

static int emit_run(reader *self, const tm_sink *sink)
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
    tm__jfr_settings_describe(&self->recording.settings, &run);
    return sink->run(sink->payload, &run);
}

/* Chunks of several writers overlap in time: what is not earlier than the begin of the
 * next one waits for it. A pipe does not show the next one. */
static int64_t next_start_ns(const reader *self)
{
    if (!self->input->is_seekable || self->next >= self->chunk_count)
        return INT64_MAX;
    return tm__jfr_clock_earliest_ns(&self->recording.events,
                                     &self->chunks[self->order[self->next].number]);
}

/* Have the next chunk ready to be emitted. */
static int load(reader *self)
{
    const tm__jfr_chunk *chunk = &self->chunks[self->order[self->next].number];
    const uint8_t *bytes = NULL;
    size_t available;
    int rc = tm__input_view(self->input, chunk->offset, (size_t)chunk->bytes, &bytes,
                            &available);

    if (rc < 0)
        return rc;
    self->recording.events.is_last =
        self->input->is_seekable && self->next + 1 == self->chunk_count;
    if (available == chunk->bytes)
        rc = tm__jfr_recording_load(&self->recording, chunk, bytes);
    else
        rc = tm__notes_damage(
            &self->recording.notes,
            "the chunk at byte %llu is gone: the file was cut while it "
            "was read",
            (unsigned long long)chunk->offset);
    if (rc < 0)
        return rc;
    note_time(self, chunk);
    self->next++;
    tm__jfr_events_until(&self->recording.events, next_start_ns(self));
    self->position += chunk->bytes;
    self->state = EMITTING;
    return TM_OK;
}

static int emit(reader *self, const tm_sink *sink)
{
    int rc = tm__notes_emit(&self->recording.notes, sink);

    if (rc >= 0)
        rc = tm__jfr_entities_emit(&self->recording.entities, sink);
    if (rc >= 0)
        rc = tm__jfr_events_emit(&self->recording.events, sink, CALL_EVENTS);
    if (rc != TM_OK)
        return rc;
    if (tm__jfr_events_are_left(&self->recording.events)) {
        rc = tm__jfr_recording_next(&self->recording);
        return rc < 0 ? rc : TM_MORE;
    }
    if (self->next < self->chunk_count)
        self->state = LOADING;
    else
        self->state = self->input->is_seekable ? CONCLUDING : FINDING;
    return TM_MORE;
}

/* Caveats that concern all of the recording can be stated only now. */
static int conclude(reader *self, const tm_sink *sink)
{
    int rc =
        tm__jfr_settings_caveats(&self->recording.settings, &self->recording.notes);

    if (rc == TM_OK && self->recording.entities.has_virtual)
        rc = tm__notes_caveat(
            &self->recording.notes,
            "JFR hardly records virtual threads that are blocked: as of "
            "JDK 25 their contended enters and parks leave no event and "
            "their waits look far too short; starts, sleeps and ends "
            "are right.");
    if (rc == TM_OK && self->recording.entities.unknown_threads)
        rc = tm__notes_caveat(
            &self->recording.notes,
            "%llu events name threads that the recording does not define.",
            (unsigned long long)self->recording.entities.unknown_threads);
    if (rc == TM_OK && self->doubles)
        rc = tm__notes_caveat(&self->recording.notes,
                              "The file holds %u chunks twice; each was read once.",
                              self->doubles);
    if (rc < 0)
        return rc;
    self->state = DONE;
    return tm__notes_emit(&self->recording.notes, sink);
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
            rc = emit_run(self, sink);
        return rc < 0 ? rc : TM_MORE;
    case EMITTING: return emit(self, sink);
    case CONCLUDING: rc = conclude(self, sink); return rc < 0 ? rc : TM_MORE;
    case DONE: break;
    }
    return tm__notes_conclude(&self->recording.notes, sink, self->input->path);
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->position;
}

static int begins(const uint8_t *bytes, size_t length, int64_t *time_ns)
{
    tm__jfr_chunk chunk;

    if (length < TM__JFR_HEADER_BYTES || !tm__jfr_chunk_get(&chunk, bytes))
        return 0;
    *time_ns = chunk.start_ns;
    return 1;
}

const tm__format tm__format_jfr = {
    .name = "jfr",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .begins = begins,
    .is_random = 1,
};
