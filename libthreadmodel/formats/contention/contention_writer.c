/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contention logs out. An event is a line when it comes, so what it needs must have
 * come before: names of threads, stacks. Classes and methods go into files of their own
 * as they are defined.
 *
 * The format has no classes of objects, no timeouts and no reasons for an end.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/strings.h"
#include "formats/contention/dialect.h"
#include "formats/contention/hashes.h"
#include "formats/descriptor.h"
#include "formats/file_writer.h"

enum { SECOND_NS = 1000000000 };

typedef struct log_state {
    tm__memory *memory;
    tm__log_dialect dialect;
    tm__output events, classes, methods;
    tm__log_hashes hashes;
    tm__strings texts;
    tm__map class_names;     ///< id: texts[]
    tm__map thread_names;    ///< id: texts[]
    tm__map stacks;          ///< id: stack_texts[]
    tm__strings stack_texts; ///< as they are written
    char *text;
    uint32_t text_capacity;
} log_state;

static int room(log_state *self, size_t bytes)
{
    return tm__reserve(self->memory, &self->text, &self->text_capacity, bytes, 1);
}

/* The first name that an id got stands: lines before it have been written. */
static int keep(log_state *self, tm__map *map, uint64_t id, const char *text)
{
    uint32_t index;
    int rc = TM_OK;

    if (text && tm__map_find(map, id) == TM__NONE) {
        rc = tm__strings_intern(&self->texts, &index, text);
        if (rc == TM_OK)
            rc = tm__map_put(map, id, index);
    }
    return rc;
}

/* Lines end where names do not. */
static void put_line_text(tm__output *output, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char letter = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];

        tm__output_put(output, &letter, 1);
    }
}

/* The descriptor of a class into `text`. */
static int describe(log_state *self, const char *name, size_t *length)
{
    *length = strlen(name);
    if (room(self, *length + TM__DESCRIPTOR_ROOM) < 0)
        return tm__failure();
    *length = tm__descriptor_from_class(self->text, name, *length);
    return TM_OK;
}

static int register_class(void *payload, const tm_class *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm_class definition;
    size_t length;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc == TM_OK)
        rc = keep(self, &self->class_names, definition.id, definition.name);
    if (rc < 0 || !definition.name)
        return rc;
    if (describe(self, definition.name, &length) < 0)
        return tm__failure();
    put_line_text(&self->classes, self->text, length);
    tm__output_text(&self->classes, ",");
    if (definition.source)
        put_line_text(&self->classes, definition.source, strlen(definition.source));
    tm__output_text(&self->classes, "\n");
    return tm__output_state(&self->classes);
}

static int register_method(void *payload, const tm_method *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm__output *output = &self->methods;
    tm_method definition;
    uint32_t name;
    size_t line_count, length;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0)
        return rc;
    name = tm__map_find(&self->class_names, definition.class_id);
    /* A method is written with its class or not at all. */
    if (name == TM__NONE || !definition.name)
        return TM_OK;
    /* The steps that may fail come first: half a line would be damage. */
    if (describe(self, tm__strings_get(&self->texts, name), &length) < 0)
        return tm__failure();
    line_count = definition.lines ? definition.line_count : 0;
    tm__output_format(output, "%08llX,", (unsigned long long)definition.id);
    put_line_text(output, definition.name, strlen(definition.name));
    tm__output_text(output, ",");
    if (definition.signature)
        put_line_text(output, definition.signature, strlen(definition.signature));
    tm__output_text(output, ",");
    put_line_text(output, self->text, length);
    if (line_count == 0)
        tm__output_text(output, ",-1\n");
    else
        tm__output_format(output, ",%zu", line_count);
    for (size_t i = 0; i < line_count; i++)
        tm__output_format(output, ",%08llX,%d",
                          (unsigned long long)definition.lines[i].location,
                          definition.lines[i].line);
    if (line_count > 0)
        tm__output_text(output, "\n");
    return tm__output_state(output);
}

static int register_stack(void *payload, const tm_stack *given)
{
    enum { FRAME_BYTES = 36 };
    log_state *self = ((tm_writer *)payload)->state;
    tm_stack definition;
    size_t count, length;
    uint32_t index;
    int rc = TM__READ(&definition, given, tm_stack, id);

    if (rc < 0 || tm__map_find(&self->stacks, definition.id) != TM__NONE)
        return rc;
    count = definition.frames ? definition.frame_count : 0;
    if (room(self, (count + 1) * FRAME_BYTES) < 0)
        return tm__failure();
    length = (size_t)sprintf(self->text, "%zu", count);
    for (size_t i = 0; i < count; i++)
        length += (size_t)sprintf(self->text + length, ",%08llX,%08X",
                                  (unsigned long long)definition.frames[i].method,
                                  definition.frames[i].location < 0
                                      ? UINT32_MAX
                                      : (uint32_t)definition.frames[i].location);
    rc = tm__strings_intern_bytes(&self->stack_texts, &index, self->text, length);
    return rc < 0 ? rc : tm__map_put(&self->stacks, definition.id, index);
}

static int register_thread(void *payload, const tm_thread *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm_thread definition;
    uint32_t hash;
    int rc = TM__READ(&definition, given, tm_thread, id);

    if (rc == TM_OK)
        rc = keep(self, &self->thread_names, definition.id, definition.name);
    return rc < 0 ? rc
                  : tm__log_hash_thread(&self->hashes, definition.id, definition.object,
                                        &hash);
}

static int register_object(void *payload, const tm_object *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm_object definition;
    uint32_t wanted, hash;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0)
        return rc;
    wanted = definition.flags & TM_OBJECT_HAS_HASH ? definition.hash : 0;
    return tm__log_hash_object(&self->hashes, definition.id, wanted, &hash);
}

/* The hash of the thread or object that a field names; 0: it names none. */
static int find_hash(log_state *self, int field, const tm_event *event, uint32_t *hash)
{
    switch (field) {
    case TM__LOG_THREAD:
        return tm__log_hash_thread(&self->hashes, event->thread, 0, hash);
    case TM__LOG_OBJECT:
        return tm__log_hash_object(&self->hashes, event->object, 0, hash);
    case TM__LOG_OWNER:
        return tm__log_hash_thread(
            &self->hashes,
            event->kind == TM_EVENT_CONTENDED_ENTERED ? event->thread : event->peer, 0,
            hash);
    case TM__LOG_TARGET:
        return tm__log_hash_thread(&self->hashes, event->peer, 0, hash);
    default: *hash = 0; return TM_OK;
    }
}

static void put_name(log_state *self, uint64_t thread)
{
    uint32_t name = tm__map_find(&self->thread_names, thread);

    if (name != TM__NONE)
        put_line_text(&self->events, tm__strings_get(&self->texts, name),
                      tm__strings_length(&self->texts, name));
}

static void put_stack(log_state *self, uint32_t id)
{
    uint32_t index = id ? tm__map_find(&self->stacks, id) : TM__NONE;

    if (index == TM__NONE)
        tm__output_text(&self->events, "0");
    else
        tm__output_put(&self->events, tm__strings_get(&self->stack_texts, index),
                       tm__strings_length(&self->stack_texts, index));
}

static void put_field(log_state *self, const tm__log_line *line, int field,
                      const tm_event *event, uint32_t hash)
{
    switch (field) {
    case TM__LOG_WORD: tm__output_text(&self->events, line->word); break;
    case TM__LOG_TIME:
        tm__log_put_time(&self->events, event->time_ns, SECOND_NS);
        break;
    case TM__LOG_NAME: put_name(self, event->thread); break;
    case TM__LOG_STACK: put_stack(self, event->stack); break;
    case TM__LOG_SKIP: break;
    default: tm__output_format(&self->events, "%08X", hash); break;
    }
}

static int put_event(tm_writer *writer, const tm_event *event)
{
    log_state *self = writer->state;
    const tm__log_line *line =
        event->kind < TM_EVENT_KIND_END ? &self->dialect.lines[event->kind] : NULL;
    uint32_t hashes[TM__LOG_FIELDS];
    int rc = TM_OK;

    if (!line || line->field_count == 0 || event->thread == 0 ||
        event->flags & TM__LOG_LEFT_OUT)
        return tm__log_drop(writer, event);
    /* The steps that may fail come first: half a line would be damage. */
    for (int i = 0; rc == TM_OK && i < line->field_count; i++)
        rc = find_hash(self, line->fields[i], event, &hashes[i]);
    if (rc < 0)
        return rc;
    for (int i = 0; i < line->field_count; i++) {
        if (i > 0)
            tm__output_text(&self->events, ",");
        put_field(self, line, line->fields[i], event, hashes[i]);
    }
    tm__output_text(&self->events, "\n");
    return TM_OK;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    tm_writer *writer = payload;
    log_state *self = writer->state;
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < count; i++)
        rc = put_event(writer, &events[i]);
    return rc < 0 ? rc : tm__output_state(&self->events);
}

/* "run.orca" has its classes in "run.classtable". */
static int open_beside(log_state *self, tm__output *output, const char *path,
                       const char *extension)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);

    if (room(self, stem + strlen(extension) + 1) < 0)
        return tm__failure();
    memcpy(self->text, path, stem);
    strcpy(self->text + stem, extension);
    if (strcmp(self->text, path) == 0)
        return tm__fail(TM_EINVAL,
                        "%s: the metadata of the log would be written to this file",
                        path);
    return tm__output_open(output, self->memory, self->text);
}

static int log_open(tm_writer *writer, const char *path,
                    const tm_writer_options *options)
{
    log_state *self = tm__zalloc(&writer->memory, sizeof(*self));
    int rc;

    if (!self)
        return TM_ENOMEM;
    self->memory = &writer->memory;
    writer->state = self;
    writer->sink.define_class = register_class;
    writer->sink.define_method = register_method;
    writer->sink.define_stack = register_stack;
    writer->sink.define_thread = register_thread;
    writer->sink.define_object = register_object;
    writer->sink.events = ingest_events;
    tm__log_hashes_init(&self->hashes, self->memory);
    tm__strings_init(&self->texts, self->memory);
    tm__strings_init(&self->stack_texts, self->memory);
    tm__map_init(&self->class_names, self->memory);
    tm__map_init(&self->thread_names, self->memory);
    tm__map_init(&self->stacks, self->memory);
    rc = tm__log_dialect_init(&self->dialect, options->dialect);
    if (rc == TM_OK)
        rc = open_beside(self, &self->classes, path, ".classtable");
    if (rc == TM_OK)
        rc = open_beside(self, &self->methods, path, ".method");
    return rc < 0 ? rc : tm__output_open(&self->events, self->memory, path);
}

static int log_flush(tm_writer *writer)
{
    log_state *self = writer->state;
    int rc = tm__output_flush(&self->classes);

    if (rc == TM_OK)
        rc = tm__output_flush(&self->methods);
    return rc < 0 ? rc : tm__output_flush(&self->events);
}

static uint64_t log_bytes(const tm_writer *writer)
{
    const log_state *self = writer->state;

    return self->events.written + self->classes.written + self->methods.written;
}

static int log_close(tm_writer *writer)
{
    log_state *self = writer->state;
    tm__output *outputs[3];
    int rc = TM_OK;

    if (!self)
        return TM_OK;
    outputs[0] = &self->events;
    outputs[1] = &self->classes;
    outputs[2] = &self->methods;
    for (int i = 0; i < 3; i++) {
        int closed = tm__output_close(outputs[i]);

        rc = rc < 0 ? rc : closed;
    }
    tm__log_hashes_free(&self->hashes);
    tm__strings_clear(&self->texts);
    tm__strings_clear(&self->stack_texts);
    tm__map_clear(&self->class_names);
    tm__map_clear(&self->thread_names);
    tm__map_clear(&self->stacks);
    tm__free(self->memory, self->text, self->text_capacity);
    tm__free(&writer->memory, self, sizeof(*self));
    return rc;
}

const tm__writer_kind tm__writer_contention = {log_open, log_flush, log_bytes,
                                               log_close};
