/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces out: the sink, and the writer's life. An agent calls from one thread of its
 * own, twenty times a second or whenever a block is full; a converter emits millions
 * of events. Input is kept, events in an array and definitions coded, until the block
 * is complete.
 *
 * A block that is full is put out when something more comes, so TM_ENOMEM means that
 * this definition or event was not taken, and all before it is still there: the next
 * call tries again. If events come in a batch, those up to a full block were taken.
 * After a failed write nobody knows what is in the file, so the writer stays failed.
 */
#include "trace/compose.h"
#include "trace/trace_writer.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/pack.h"

enum {
    DEFAULT_BLOCK_EVENTS = 16384,
    BLOCK_DEFINITION_BYTES = 1 << 20, ///< a block with more of them is complete
};

/* Failed once, failed for good: the first error is what every call tells. */
static int usable(const tm__trace_writer *writer)
{
    return writer->failure < 0 ? tm__fail(writer->failure, "%s", writer->failure_text)
                               : TM_OK;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    tm__trace_writer *writer = payload;
    int rc = usable(writer);

    while (rc == TM_OK && count > 0) {
        uint32_t have = writer->event_count;
        size_t taken = writer->block_events - have;

        if (taken == 0) {
            rc = tm__trace_writer_finish_block(writer);
            continue;
        }
        if (taken > count)
            taken = count;
        if (tm__reserve(&writer->memory, &writer->events, &writer->event_capacity,
                        have + taken, sizeof(*events)) < 0)
            return tm__failure();
        memcpy(writer->events + have, events, taken * sizeof(*events));
        for (size_t i = have > 0 ? have : 1; i < have + taken; i++)
            writer->unsorted |=
                writer->events[i].time_ns < writer->events[i - 1].time_ns;
        writer->event_count += (uint32_t)taken;
        events += taken;
        count -= taken;
    }
    return rc;
}

/* Room to note one more definition, before it is coded. */
static int begin_definition(tm__trace_writer *writer)
{
    int rc = usable(writer);

    if (rc == TM_OK && (writer->definitions.length >= BLOCK_DEFINITION_BYTES ||
                        writer->event_count == writer->block_events))
        rc = tm__trace_writer_finish_block(writer);
    if (rc == TM_OK)
        rc = tm__reserve(&writer->memory, &writer->marks, &writer->mark_capacity,
                         (size_t)writer->mark_count + 1, sizeof(*writer->marks));
    return rc;
}

/* Note what was coded, unless `rc` says that it was not. */
static int end_definition(tm__trace_writer *writer, enum tm__definition_kind kind,
                          int rc)
{
    if (rc < 0)
        return rc;
    writer->marks[writer->mark_count++] = (tm__trace_mark){
        kind, writer->event_count, (uint32_t)writer->definitions.length};
    return TM_OK;
}

#define TAKE(name, type, put, kind)                                                    \
    static int name(void *payload, const type *given)                                  \
    {                                                                                  \
        tm__trace_writer *writer = payload;                                            \
        int rc;                                                                        \
        TM__CHECK(given);                                                              \
        rc = begin_definition(writer);                                                 \
        return rc < 0                                                                  \
                   ? rc                                                                \
                   : end_definition(writer, kind, put(&writer->definitions, given));   \
    }

TAKE(register_run, tm_run, tm__run_put, TM__DEFINE_RUN)
TAKE(register_caveat, char, tm__caveat_put, TM__DEFINE_CAVEAT)
TAKE(register_class, tm_class, tm__class_put, TM__DEFINE_CLASS)
TAKE(register_method, tm_method, tm__method_put, TM__DEFINE_METHOD)
TAKE(register_stack, tm_stack, tm__stack_put, TM__DEFINE_STACK)
TAKE(register_thread, tm_thread, tm__thread_put, TM__DEFINE_THREAD)
TAKE(register_object, tm_object, tm__object_put, TM__DEFINE_OBJECT)

/* Free all but the file. */
static void writer_free(tm__trace_writer *writer)
{
    tm__memory memory = writer->memory;

    tm__free(&writer->memory, writer->events,
             writer->event_capacity * sizeof(*writer->events));
    tm__free(&writer->memory, writer->marks,
             writer->mark_capacity * sizeof(*writer->marks));
    tm__bytes_free(&writer->definitions);
    tm__bytes_free(&writer->section);
    tm__bytes_free(&writer->raw);
    tm__bytes_free(&writer->out);
    tm__bytes_free(&writer->index.entries);
    tm__order_free(&writer->order);
    tm__columns_free(&writer->columns);
    tm__packer_free(&writer->packer);
    tm__free(&memory, writer, sizeof(*writer));
}

static int writer_new(tm__trace_writer **out, const tm_writer_options *options)
{
    tm__trace_writer *writer;
    tm__memory memory;

    tm__memory_init(&memory, options->allocator);
    writer = tm__zalloc(&memory, sizeof(*writer));
    if (!writer)
        return TM_ENOMEM;
    writer->memory = memory;
    writer->sink =
        (tm_sink){sizeof(tm_sink), writer,          register_run,   register_caveat,
                  register_class,  register_method, register_stack, register_thread,
                  register_object, ingest_events};
    writer->file.descriptor = -1;
    writer->level = options->level;
    writer->block_events =
        options->block_events ? options->block_events : DEFAULT_BLOCK_EVENTS;
    if (writer->block_events > TM__BLOCK_EVENT_LIMIT)
        writer->block_events = TM__BLOCK_EVENT_LIMIT;
    writer->definitions.memory = &writer->memory;
    writer->section.memory = &writer->memory;
    writer->raw.memory = &writer->memory;
    writer->out.memory = &writer->memory;
    writer->index.entries.memory = &writer->memory;
    writer->order.memory = &writer->memory;
    writer->columns.memory = &writer->memory;
    writer->packer.memory = &writer->memory;
    *out = writer;
    return TM_OK;
}

int tm__trace_writer_open(tm__trace_writer **out, const char *path,
                          const tm_writer_options *options)
{
    tm__trace_writer *writer = NULL;
    int rc;

    *out = NULL;
    rc = tm__trace_check_build();
    if (rc == TM_OK)
        rc = writer_new(&writer, options);
    if (rc < 0)
        return rc;
    writer->write = path ? tm__file_write : options->write;
    writer->payload = path ? (void *)&writer->file : options->payload;
    if (path)
        rc = tm__file_open_private(&writer->file, &writer->memory, path);
    if (rc == TM_OK)
        rc = tm__trace_writer_begin(writer);
    if (rc < 0) {
        int first = rc;
        char text[512];

        snprintf(text, sizeof(text), "%s", tm_error_text());
        tm__file_close(&writer->file, &writer->memory);
        writer_free(writer);
        return tm__fail(first, "%s", text);
    }
    *out = writer;
    return TM_OK;
}

const tm_sink *tm__trace_writer_sink(tm__trace_writer *writer)
{
    return &writer->sink;
}

int tm__trace_writer_flush(tm__trace_writer *writer)
{
    int rc = usable(writer);

    return rc < 0 ? rc : tm__trace_writer_finish_block(writer);
}

uint64_t tm__trace_writer_bytes(const tm__trace_writer *writer)
{
    return writer->bytes;
}

int tm__trace_writer_close(tm__trace_writer *writer)
{
    char text[512] = "";
    int rc, closed;

    if (!writer)
        return TM_OK;
    rc = usable(writer);
    if (rc == TM_OK)
        rc = tm__trace_writer_finish(writer);
    if (rc < 0)
        snprintf(text, sizeof(text), "%s", tm_error_text());
    closed = tm__file_close(&writer->file, &writer->memory);
    writer_free(writer);
    if (rc < 0)
        return tm__fail(rc, "%s", text);
    return closed;
}
