/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contention logs in: a line an event, read once from front to end. The log names
 * objects and threads by their identity hashes alone; what is known of methods stands
 * in files beside it and is defined when a stack first needs it.
 *
 *     line ──dialect──▶ record ──threads of the hashes──▶ event
 *                         └──────stack, methods──────────▶ definitions before it
 *
 * In memory are the metadata, all threads, distinct stacks, and a slot an object.
 */
#include "formats/contention/contention_reader.h"

#include <string.h>

#include "base/error.h"
#include "formats/contention/log_metadata.h"
#include "formats/contention/log_line.h"
#include "formats/contention/log_threads.h"
#include "formats/lines.h"
#include "formats/notes.h"

enum { CALL_LINES = 8192 };

typedef struct reader {
    tm__memory *memory;
    enum { STARTING, READING, CONCLUDING, DONE } state;
    tm__lines lines;
    tm__log_dialect dialect;
    tm__log_record record;
    tm__log_metadata metadata;
    tm__log_threads threads;
    tm__notes notes;
    tm__map objects;    ///< that the sink knows
    tm__map methods;    ///< number in stacks: id
    tm__strings stacks; ///< their frames' bytes; id is the number + 1
    uint32_t classes_emitted;
    uint64_t unknown_methods;
    uint64_t self_owned; ///< blocks on a monitor said to be the blocked thread's
    char *text;
    uint32_t text_capacity;
} reader;

static int probe(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    const uint8_t *end = memchr(bytes, '\n', length);
    const char *comma = memchr(text, ',', end ? (size_t)(end - bytes) : length);
    tm__log_dialect dialect;

    if (tm__log_metadata_is_line(text, end ? (size_t)(end - bytes) : length))
        return 1;
    return comma && tm__log_dialect_init(&dialect, NULL) == TM_OK &&
           tm__log_dialect_kind(&dialect, text, (size_t)(comma - text));
}

static void reader_close(void *payload)
{
    reader *self = payload;
    tm__memory *memory = self->memory;

    tm__log_record_free(&self->record);
    tm__log_metadata_free(&self->metadata);
    tm__log_threads_free(&self->threads);
    tm__notes_free(&self->notes);
    tm__map_clear(&self->objects);
    tm__map_clear(&self->methods);
    tm__strings_clear(&self->stacks);
    tm__free(memory, self->text, self->text_capacity);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    reader *self = payload;
    int rc;

    self->memory = memory;
    self->lines.input = input;
    self->record.memory = memory;
    tm__notes_init(&self->notes, memory);
    tm__log_metadata_init(&self->metadata, memory, &self->notes);
    tm__log_threads_init(&self->threads, memory);
    tm__map_init(&self->objects, memory);
    tm__map_init(&self->methods, memory);
    tm__strings_init(&self->stacks, memory);
    rc = options->dialect ? TM_OK : tm__log_metadata_refuse(input);
    if (rc == TM_OK)
        rc = tm__log_dialect_init(&self->dialect, options->dialect);
    /* Input from memory or a pipe has no files beside it. */
    if (rc == TM_OK && input->descriptor >= 0 && input->is_seekable)
        rc = tm__log_metadata_load(&self->metadata, input->path);
    return rc;
}

static const char *text_of(const reader *self, uint32_t index)
{
    return tm__strings_get(&self->metadata.texts, index);
}

static int emit_run(const reader *self, const tm_sink *sink)
{
    tm_run run = {
        .size = sizeof(run), .policy = TM_POLICY_UNKNOWN, .identity = TM_IDENTITY_HASH};

    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        if (self->dialect.lines[kind].field_count)
            run.kinds |= UINT64_C(1) << kind;
    return sink->run(sink->payload, &run);
}

static int emit_classes(reader *self, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && self->classes_emitted < self->metadata.class_count) {
        const tm__log_class *item = &self->metadata.classes[self->classes_emitted++];
        tm_class definition = {.size = sizeof(definition),
                               .id = self->classes_emitted,
                               .name = text_of(self, item->name),
                               .source = text_of(self, item->source)};

        rc = sink->define_class(sink->payload, &definition);
    }
    return rc;
}

/* Have the sink know a method by the number that stacks give it. */
static int emit_method(reader *self, const tm_sink *sink, uint64_t number)
{
    uint32_t index = tm__log_metadata_method(&self->metadata, number);
    const tm__log_method *method;
    tm_method definition = {.size = sizeof(definition), .id = number};

    if (number == 0 || tm__map_find(&self->methods, number) != TM__NONE)
        return TM_OK;
    if (tm__map_put(&self->methods, number, 0) < 0)
        return tm__failure();
    if (index == TM__NONE) {
        self->unknown_methods++;
        return TM_OK;
    }
    method = &self->metadata.methods[index];
    definition.class_id = (uint64_t)method->class_ + 1;
    definition.name = text_of(self, method->name);
    definition.signature = text_of(self, method->signature);
    definition.line_count = method->line_count;
    if (method->line_count > 0)
        definition.lines = self->metadata.lines + method->first_line;
    return sink->define_method(sink->payload, &definition);
}

static int emit_stack(reader *self, const tm_sink *sink, uint32_t *id)
{
    const tm__log_record *record = &self->record;
    uint32_t known = self->stacks.count, index;
    tm_stack definition = {.size = sizeof(definition),
                           .frames = record->frames,
                           .frame_count = record->frame_count};
    int rc;

    *id = 0;
    if (!record->has_stack || record->frame_count == 0)
        return TM_OK;
    rc = tm__strings_intern_bytes(&self->stacks, &index, (const char *)record->frames,
                                  record->frame_count * sizeof(*record->frames));
    if (rc < 0)
        return rc;
    *id = definition.id = index + 1;
    if (index < known)
        return TM_OK;
    for (uint32_t i = 0; rc >= 0 && i < record->frame_count; i++)
        rc = emit_method(self, sink, record->frames[i].method);
    return rc < 0 ? rc : sink->define_stack(sink->payload, &definition);
}

static int emit_object(reader *self, const tm_sink *sink, uint32_t hash)
{
    tm_object definition = {.size = sizeof(definition),
                            .id = hash,
                            .hash = hash,
                            .flags = TM_OBJECT_HAS_HASH | TM_OBJECT_MAYBE_MANY};

    if (hash == 0 || tm__map_find(&self->objects, hash) != TM__NONE)
        return TM_OK;
    if (tm__map_put(&self->objects, hash, 0) < 0)
        return tm__failure();
    return sink->define_object(sink->payload, &definition);
}

/* A thread's object is known by the hash of its first thread alone. */
static int emit_thread(reader *self, const tm_sink *sink, uint64_t id)
{
    const tm__log_record *record = &self->record;
    tm_thread definition = {
        .size = sizeof(definition), .id = id, .object = id <= UINT32_MAX ? id : 0};
    int rc = definition.object ? emit_object(self, sink, (uint32_t)id) : TM_OK;

    if (rc < 0)
        return rc;
    if (record->name) {
        if (tm__reserve(self->memory, &self->text, &self->text_capacity,
                        record->name_length + 1, 1) < 0)
            return tm__failure();
        memcpy(self->text, record->name, record->name_length);
        self->text[record->name_length] = '\0';
        definition.name = self->text;
    }
    return sink->define_thread(sink->payload, &definition);
}

static uint64_t id_of(const reader *self, uint32_t index)
{
    return self->threads.threads[index].id;
}

/* The other thread of an event, from the log's word for it. */
static int find_peer(reader *self, tm_event *event)
{
    const tm__log_record *record = &self->record;
    int is_start = record->kind == TM_EVENT_THREAD_START_CALLED;
    uint32_t hash = record->target, index;
    int rc;

    if (record->kind == TM_EVENT_CONTENDED_ENTER) {
        hash = record->owner;
        /* Two objects share a hash: nobody waits for a monitor of his own. */
        if (hash && hash == record->thread) {
            self->self_owned++;
            return TM_OK;
        }
    }
    if (hash == 0)
        return TM_OK;
    rc = tm__log_threads_name(&self->threads, hash, is_start, &index);
    if (rc < 0)
        return rc;
    event->peer = id_of(self, index);
    event->flags = TM_EVENT_PEER_REPORTED;
    return TM_OK;
}

static int emit_record(reader *self, const tm_sink *sink)
{
    const tm__log_record *record = &self->record;
    uint32_t known = self->threads.count, index;
    tm_event event = {.time_ns = record->time_ns,
                      .object = record->object,
                      .kind = (uint16_t)record->kind};
    int rc =
        tm__log_threads_event(&self->threads, record->thread, record->kind,
                              record->object ? record->object : record->target, &index);

    if (rc < 0)
        return rc;
    event.thread = id_of(self, index);
    if (index >= known || record->name)
        rc = emit_thread(self, sink, event.thread);
    known = self->threads.count;
    if (rc >= 0)
        rc = find_peer(self, &event);
    if (rc >= 0 && self->threads.count > known) {
        self->record.name = NULL;
        rc = emit_thread(self, sink, event.peer);
    }
    if (rc >= 0)
        rc = emit_object(self, sink, record->object);
    if (rc >= 0)
        rc = emit_stack(self, sink, &event.stack);
    return rc < 0 ? rc : sink->events(sink->payload, &event, 1);
}

static int read_line(reader *self, const tm_sink *sink)
{
    const tm__lines *lines = &self->lines;
    const char *why = "it has over a million bytes";
    int rc = TM_OK;

    if (lines->length == 0)
        return TM_OK;
    if (!lines->is_too_long)
        rc = tm__log_record_read(&self->record, &self->dialect, lines->text,
                                 lines->length, &why);
    if (rc < 0)
        return rc;
    if (why)
        return tm__notes_damage(&self->notes, "the line at byte %llu is left out: %s",
                                (unsigned long long)lines->start, why);
    return self->record.thread ? emit_record(self, sink)
                               : tm__notes_damage(&self->notes,
                                                  "the line at byte %llu is left out: "
                                                  "it is of no thread",
                                                  (unsigned long long)lines->start);
}

static int read_lines(reader *self, const tm_sink *sink)
{
    for (int i = 0; i < CALL_LINES; i++) {
        int rc = tm__lines_next(&self->lines);

        if (rc == TM_OK)
            self->state = CONCLUDING;
        if (rc == TM_MORE)
            rc = read_line(self, sink);
        if (rc == TM_OK && self->state == READING)
            rc = tm__lines_skip(&self->lines);
        if (rc < 0)
            return rc;
        if (self->state != READING)
            break;
    }
    return tm__notes_emit(&self->notes, sink);
}

static int note_counts(reader *self)
{
    const tm__log_threads *threads = &self->threads;
    tm__notes *notes = &self->notes;
    int rc =
        tm__notes_caveat(notes, "The log identifies objects and threads by identity "
                                "hash only: two may share one, and no class is known.");

    if (rc == TM_OK && self->metadata.file_count == 0)
        rc = tm__notes_caveat(notes,
                              "The log has no metadata files: methods have no names.");
    if (rc == TM_OK && self->unknown_methods)
        rc = tm__notes_caveat(notes, "%llu methods of stacks are not in the metadata.",
                              (unsigned long long)self->unknown_methods);
    if (rc == TM_OK && threads->shared)
        rc = tm__notes_caveat(notes,
                              "%llu times two live threads had one hash; they are "
                              "distinguished by what each was doing.",
                              (unsigned long long)threads->shared);
    if (rc == TM_OK && threads->reused)
        rc = tm__notes_caveat(notes,
                              "%llu times a thread had the hash of one that had ended.",
                              (unsigned long long)threads->reused);
    if (rc == TM_OK && self->self_owned)
        rc = tm__notes_caveat(notes,
                              "%llu times a thread was blocked by itself: its monitor "
                              "shares a hash with another; the owner is left unknown.",
                              (unsigned long long)self->self_owned);
    if (rc == TM_OK && threads->torn)
        rc = tm__notes_caveat(notes,
                              "%llu events are of a thread that was blocked just then: "
                              "lines are missing, or two threads have one hash.",
                              (unsigned long long)threads->torn);
    return rc;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    switch (self->state) {
    case STARTING:
        rc = emit_run(self, sink);
        if (rc >= 0)
            rc = emit_classes(self, sink);
        if (rc >= 0)
            self->state = READING;
        return rc < 0 ? rc : TM_MORE;
    case READING: rc = read_lines(self, sink); return rc < 0 ? rc : TM_MORE;
    case CONCLUDING:
        rc = note_counts(self);
        if (rc < 0)
            return rc;
        self->state = DONE;
        return TM_MORE;
    case DONE: break;
    }
    return tm__notes_conclude(&self->notes, sink, self->lines.input->path);
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->lines.offset;
}

const tm__format tm__format_contention = {
    .name = "contention",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};
