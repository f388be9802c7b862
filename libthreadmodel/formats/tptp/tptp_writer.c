/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TPTP XML out, one document: elements as events come. The format names threads that
 * are started, interrupted or joined by their objects, so a thread without a known
 * object gets one. It has no stacks, no parks, and milliseconds for timeouts.
 */
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "formats/file_writer.h"

enum { SECOND_NS = 1000000000, MILLISECOND_NS = 1000000 };

/* Objects that only the log has are numbered from here. */
static const uint64_t first_minted = UINT64_C(1) << 60;

typedef struct named_thread {
    uint64_t object;
    char *name, *group; ///< NULL: unknown
} named_thread;

typedef struct log_state {
    tm__memory *memory;
    tm__output output;
    int64_t unit_ns;
    tm__map map; ///< id: threads[]
    named_thread *threads;
    uint32_t count, capacity;
} log_state;

static void put_letter(tm__output *output, const char *letter)
{
    switch (*letter) {
    case '&': tm__output_text(output, "&amp;"); break;
    case '<': tm__output_text(output, "&lt;"); break;
    case '>': tm__output_text(output, "&gt;"); break;
    case '"': tm__output_text(output, "&quot;"); break;
    case '\t': tm__output_text(output, "&#9;"); break;
    case '\n': tm__output_text(output, "&#10;"); break;
    case '\r': tm__output_text(output, "&#13;"); break;
    default: tm__output_put(output, (unsigned char)*letter < ' ' ? "?" : letter, 1);
    }
}

/* Characters that XML cannot contain are replaced: control characters, U+FFFE and
 * U+FFFF, and bytes that are not UTF-8. */
static void put_attribute(tm__output *output, const char *name, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t left = strlen(text);

    tm__output_format(output, " %s=\"", name);
    while (left > 0) {
        size_t valid = tm__utf8_valid_bytes(text, left), i = 0;

        while (i < valid) {
            if (valid - i >= 3 && memcmp(text + i, "\xef\xbf", 2) == 0 &&
                (unsigned char)text[i + 2] >= 0xbe) {
                tm__output_text(output, replacement);
                i += 3;
            } else {
                put_letter(output, text + i++);
            }
        }
        text += valid;
        left -= valid;
        if (left > 0) {
            tm__output_text(output, replacement);
            text++;
            left--;
        }
    }
    tm__output_text(output, "\"");
}

static void put_id(tm__output *output, const char *name, uint64_t id)
{
    tm__output_format(output, " %s=\"%llu\"", name, (unsigned long long)id);
}

static int register_class(void *payload, const tm_class *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm__output *output = &self->output;
    tm_class definition;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc < 0 || !definition.name)
        return rc;
    tm__output_text(output, "<classDef");
    put_id(output, "classId", definition.id);
    put_attribute(output, "name", definition.name);
    if (definition.source)
        put_attribute(output, "sourceName", definition.source);
    tm__output_text(output, "/>\n");
    return tm__output_state(output);
}

static int register_object(void *payload, const tm_object *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm_object definition;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0 || !definition.class_id)
        return rc;
    tm__output_text(&self->output, "<objDef");
    put_id(&self->output, "objId", definition.id);
    put_id(&self->output, "classIdRef", definition.class_id);
    tm__output_text(&self->output, "/>\n");
    return tm__output_state(&self->output);
}

static int find_thread(log_state *self, uint64_t id, named_thread **thread)
{
    uint32_t index = tm__map_find(&self->map, id);

    if (index == TM__NONE) {
        if (tm__reserve(self->memory, &self->threads, &self->capacity,
                        (size_t)self->count + 1, sizeof(*self->threads)) < 0 ||
            tm__map_put(&self->map, id, self->count) < 0)
            return tm__failure();
        index = self->count++;
        self->threads[index] = (named_thread){.object = 0};
    }
    *thread = &self->threads[index];
    return TM_OK;
}

static int replace(log_state *self, char **kept, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *copy = text ? tm__resize(self->memory, NULL, 0, bytes) : NULL;

    if (!text)
        return TM_OK;
    if (!copy)
        return tm__failure();
    memcpy(copy, text, bytes);
    if (*kept)
        tm__free(self->memory, *kept, strlen(*kept) + 1);
    *kept = copy;
    return TM_OK;
}

static int register_thread(void *payload, const tm_thread *given)
{
    log_state *self = ((tm_writer *)payload)->state;
    tm_thread definition;
    named_thread *thread;
    int rc = TM__READ(&definition, given, tm_thread, id);

    if (rc == TM_OK)
        rc = find_thread(self, definition.id, &thread);
    if (rc < 0)
        return rc;
    /* Once it was written by another number it keeps that. */
    if (definition.object && !thread->object)
        thread->object = definition.object;
    rc = replace(self, &thread->name, definition.name);
    return rc < 0 ? rc : replace(self, &thread->group, definition.group);
}

static int object_of(log_state *self, uint64_t id, uint64_t *object)
{
    named_thread *thread;
    int rc = find_thread(self, id, &thread);

    if (rc < 0)
        return rc;
    if (!thread->object)
        thread->object = first_minted + (uint64_t)(thread - self->threads);
    *object = thread->object;
    return TM_OK;
}

/* An element as far as all have it. */
static void begin(log_state *self, const char *name, const char *thread_name,
                  const tm_event *event)
{
    tm__output *output = &self->output;

    tm__output_format(output, "<%s", name);
    put_id(output, thread_name, event->thread);
    tm__output_text(output, " time=\"");
    tm__log_put_time(output, event->time_ns, self->unit_ns);
    tm__output_text(output, "\"");
}

static int put_start(log_state *self, const tm_event *event)
{
    named_thread *thread;
    uint64_t object;
    int rc = object_of(self, event->thread, &object);

    if (rc == TM_OK)
        rc = find_thread(self, event->thread, &thread);
    if (rc < 0)
        return rc;
    begin(self, "threadStart", "threadId", event);
    put_id(&self->output, "objIdRef", object);
    if (thread->name)
        put_attribute(&self->output, "threadName", thread->name);
    if (thread->group)
        put_attribute(&self->output, "groupName", thread->group);
    return TM_OK;
}

static int put_call(log_state *self, const char *name, const tm_event *event)
{
    uint64_t object;
    int rc = object_of(self, event->peer, &object);

    if (rc < 0)
        return rc;
    begin(self, name, "threadId", event);
    put_id(&self->output, "objIdRef", object);
    return TM_OK;
}

/* A sleep is a wait on object -1, a join one on the thread's object. */
static int put_wait(log_state *self, const tm_event *event, int is_begin)
{
    int64_t timeout_ms =
        event->value / MILLISECOND_NS + (event->value % MILLISECOND_NS > 0);
    int is_sleep = event->kind == TM_EVENT_SLEEP || event->kind == TM_EVENT_SLEPT;
    uint64_t object = event->object;
    int rc = TM_OK;

    if (event->kind == TM_EVENT_JOIN || event->kind == TM_EVENT_JOINED)
        rc = object_of(self, event->peer, &object);
    if (rc < 0)
        return rc;
    begin(self, is_begin ? "monWait" : "monWaited", "threadIdRef", event);
    if (is_sleep)
        tm__output_text(&self->output, " objIdRef=\"-1\"");
    else if (object)
        put_id(&self->output, "objIdRef", object);
    if (is_begin)
        tm__output_format(&self->output, " timeout=\"%lld\"", (long long)timeout_ms);
    else
        tm__output_format(&self->output, " isTimedOut=\"%d\"",
                          event->flags & TM_EVENT_TIMED_OUT ? 1 : 0);
    return TM_OK;
}

static void put_monitor(log_state *self, const char *name, const char *thread_name,
                        const tm_event *event)
{
    begin(self, name, thread_name, event);
    put_id(&self->output, "objIdRef", event->object);
    if (event->kind == TM_EVENT_CONTENDED_ENTER && event->peer)
        put_id(&self->output, "threadOwner", event->peer);
    if (event->kind == TM_EVENT_NOTIFY || event->kind == TM_EVENT_NOTIFY_ALL)
        tm__output_format(&self->output, " isNotifyAll=\"%d\"",
                          event->kind == TM_EVENT_NOTIFY_ALL);
}

/* Whether the format has an element for it that says all it needs. */
static int can_hold(const tm_event *event)
{
    if (event->thread == 0 || event->flags & TM__LOG_LEFT_OUT)
        return 0;
    switch (event->kind) {
    case TM_EVENT_THREAD_START:
    case TM_EVENT_THREAD_END:
    case TM_EVENT_INTERRUPTED:
    case TM_EVENT_SLEEP:
    case TM_EVENT_SLEPT:
    case TM_EVENT_WAIT:
    case TM_EVENT_WAITED: return 1;
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: return event->object != 0;
    case TM_EVENT_THREAD_START_CALLED:
    case TM_EVENT_INTERRUPT_CALLED:
    case TM_EVENT_JOIN:
    case TM_EVENT_JOINED: return event->peer != 0;
    default: return 0;
    }
}

static int put_event(tm_writer *writer, const tm_event *event)
{
    log_state *self = writer->state;
    int rc = TM_OK;

    if (!can_hold(event))
        return tm__log_drop(writer, event);
    switch (event->kind) {
    case TM_EVENT_THREAD_START_CALLED: rc = put_call(self, "callStart", event); break;
    case TM_EVENT_INTERRUPT_CALLED: rc = put_call(self, "callInterrupt", event); break;
    case TM_EVENT_THREAD_START: rc = put_start(self, event); break;
    case TM_EVENT_THREAD_END: begin(self, "threadEnd", "threadIdRef", event); break;
    case TM_EVENT_CONTENDED_ENTER:
        put_monitor(self, "monContendedEnter", "threadIdRef", event);
        break;
    case TM_EVENT_CONTENDED_ENTERED:
        put_monitor(self, "monContendedEntered", "threadIdRef", event);
        break;
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: put_monitor(self, "callNotify", "threadId", event); break;
    case TM_EVENT_INTERRUPTED:
        begin(self, "threadInterrupted", "threadId", event);
        break;
    case TM_EVENT_WAIT:
    case TM_EVENT_SLEEP:
    case TM_EVENT_JOIN: rc = put_wait(self, event, 1); break;
    default: rc = put_wait(self, event, 0); break;
    }
    if (rc == TM_OK)
        tm__output_text(&self->output, "/>\n");
    return rc;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    tm_writer *writer = payload;
    log_state *self = writer->state;
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < count; i++)
        rc = put_event(writer, &events[i]);
    return rc < 0 ? rc : tm__output_state(&self->output);
}

static int log_open(tm_writer *writer, const char *path,
                    const tm_writer_options *options)
{
    log_state *self = tm__zalloc(&writer->memory, sizeof(*self));
    int rc;

    if (!self)
        return TM_ENOMEM;
    self->memory = &writer->memory;
    self->unit_ns = options->time_unit_ns ? options->time_unit_ns : SECOND_NS;
    tm__map_init(&self->map, self->memory);
    writer->state = self;
    writer->sink.define_class = register_class;
    writer->sink.define_thread = register_thread;
    writer->sink.define_object = register_object;
    writer->sink.events = ingest_events;
    rc = path ? tm__output_open(&self->output, self->memory, path)
              : tm__output_begin(&self->output, self->memory, options->write,
                                 options->payload);
    if (rc == TM_OK)
        tm__output_text(&self->output,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TRACE>\n");
    return rc;
}

static int log_flush(tm_writer *writer)
{
    log_state *self = writer->state;

    return tm__output_flush(&self->output);
}

static uint64_t log_bytes(const tm_writer *writer)
{
    const log_state *self = writer->state;

    return self->output.written;
}

static int log_close(tm_writer *writer)
{
    log_state *self = writer->state;
    int rc;

    if (!self)
        return TM_OK;
    if (self->output.bytes)
        tm__output_text(&self->output, "</TRACE>\n");
    rc = tm__output_close(&self->output);
    for (uint32_t i = 0; i < self->count; i++) {
        named_thread *thread = &self->threads[i];

        if (thread->name)
            tm__free(self->memory, thread->name, strlen(thread->name) + 1);
        if (thread->group)
            tm__free(self->memory, thread->group, strlen(thread->group) + 1);
    }
    tm__map_clear(&self->map);
    tm__free(self->memory, self->threads, self->capacity * sizeof(*self->threads));
    tm__free(&writer->memory, self, sizeof(*self));
    return rc;
}

const tm__writer_kind tm__writer_tptp = {log_open, log_flush, log_bytes, log_close};
