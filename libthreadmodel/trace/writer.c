/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces out. An agent calls from one thread of its own, twenty times a second or
 * whenever a block is full; a converter pours millions of events. Both end in
 * finish_block(), where all the work is done.
 *
 * What arrives is kept as it is, events in an array and definitions coded, until the
 * block is complete. After TM_ENOMEM all that was taken is still there and the next
 * call tries again; an event call then took the events before the block was full.
 * After a failed write nobody knows what is in the file, so the writer stays failed.
 */
#include <threadmodel/trace.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/columns.h"
#include "trace/definitions.h"
#include "trace/file.h"
#include "trace/frame.h"
#include "trace/index.h"
#include "trace/order.h"

enum {
    DEFAULT_BLOCK_EVENTS = 16384,
    BLOCK_DEFINITION_BYTES = 1 << 20, ///< a block with more of them is complete
};

/* One definition of the block in work. */
typedef struct mark {
    uint32_t kind;
    uint32_t arrival; ///< events that came before it
    uint32_t end;     ///< of its body in `definitions`
} mark;

struct tm_trace_writer {
    tm__memory memory;
    tm_sink sink;
    tm_write_fn write;
    void *payload;
    tm__file file; ///< when we opened it ourselves
    int level;
    uint32_t block_events;

    tm_event *events;
    uint32_t event_count;
    uint32_t event_capacity;
    int unsorted;
    tm__bytes definitions;
    mark *marks;
    uint32_t mark_count;
    uint32_t mark_capacity;

    tm__order order;
    tm__columns columns;
    tm__packer packer;
    tm__bytes section, raw, out;
    tm__index index;
    uint64_t bytes;
    int failure; ///< of `write`; 0: none so far
    char failure_text[512];
};

static int put_out(tm_trace_writer *writer)
{
    const tm__bytes *out = &writer->out;
    int rc = writer->write(writer->payload, (const char *)out->data, out->length);

    if (rc >= 0) {
        writer->bytes += out->length;
        return TM_OK;
    }
    if (writer->write != tm__file_write)
        tm__fail(rc, "the trace's write function failed: %d (%s)", rc,
                 tm_error_name(rc));
    writer->failure = rc;
    snprintf(writer->failure_text, sizeof(writer->failure_text), "%s", tm_error_text());
    return rc;
}

/* Failed once, failed for good: the first error is what every call tells. */
static int usable(const tm_trace_writer *writer)
{
    return writer->failure < 0 ? tm__fail(writer->failure, "%s", writer->failure_text)
                               : TM_OK;
}

/* Write what is in `raw` as a block; with `tail` bytes after it. */
static int put_block(tm_trace_writer *writer, tm__block_header *header,
                     const uint8_t *tail, size_t tail_bytes)
{
    tm__bytes *out = &writer->out;
    int rc;

    out->length = 0;
    if (tm__bytes_reserve(out, TM__BLOCK_HEADER_BYTES) < 0)
        return TM_ENOMEM;
    out->length = TM__BLOCK_HEADER_BYTES;
    rc = tm__pack(&writer->packer, out, &writer->raw, writer->level);
    if (rc < 0)
        return rc;
    header->raw_bytes = (uint32_t)writer->raw.length;
    header->packed_bytes = (uint32_t)(out->length - TM__BLOCK_HEADER_BYTES);
    header->events_before = (uint32_t)writer->index.events;
    tm__block_header_put(out->data, header);
    if (tm__bytes_append(out, tail, tail_bytes) < 0)
        return TM_ENOMEM;
    return put_out(writer);
}

static int put_index(tm_trace_writer *writer)
{
    tm__block_header header = {.type = TM__BLOCK_INDEX,
                               .first_ns = writer->index.run_first_ns,
                               .last_ns = writer->index.run_last_ns};
    uint64_t offset = writer->bytes;
    int rc;

    writer->raw.length = 0;
    if (tm__index_put(&writer->index, &writer->raw) < 0)
        return TM_ENOMEM;
    rc = put_block(writer, &header, NULL, 0);
    if (rc == TM_OK)
        tm__index_next(&writer->index, offset);
    return rc;
}

static int put_end(tm_trace_writer *writer)
{
    tm__block_header header = {.type = TM__BLOCK_END,
                               .first_ns = writer->index.run_first_ns,
                               .last_ns = writer->index.run_last_ns};
    uint8_t trailer[TM__TRAILER_BYTES];

    writer->raw.length = 0;
    if (tm__index_put_end(&writer->index, &writer->raw) < 0)
        return TM_ENOMEM;
    tm__trailer_put(trailer, writer->bytes);
    return put_block(writer, &header, trailer, sizeof(trailer));
}

/* Definitions in their order of arrival, each at its place among sorted events. */
static int put_definitions(tm_trace_writer *writer, const uint32_t *positions)
{
    tm__bytes *section = &writer->section;
    uint32_t position = 0, start = 0;

    if (writer->mark_count == 0)
        return TM_OK;
    section->length = 0;
    for (uint32_t i = 0; i < writer->mark_count; i++) {
        const mark *one = &writer->marks[i];
        uint32_t here = positions ? positions[one->arrival] : one->arrival;
        uint32_t length = one->end - start;
        uint8_t *at;

        if (tm__bytes_reserve(section, 3 * TM__VARINT_BYTES + length) < 0)
            return TM_ENOMEM;
        at = tm__put_varint(section->data + section->length, here - position);
        at = tm__put_varint(at, one->kind);
        at = tm__put_varint(at, length);
        memcpy(at, writer->definitions.data + start, length);
        section->length = (size_t)(at - section->data) + length;
        position = here;
        start = one->end;
    }
    return tm__section_put(&writer->raw, TM__SECTION_DEFINITIONS, section->data,
                           section->length);
}

/* The sections of the block in work, into `raw`. */
static int put_sections(tm_trace_writer *writer, tm__block_header *header)
{
    const uint32_t *arrivals = NULL, *positions = NULL;
    uint32_t count = writer->event_count;

    writer->raw.length = 0;
    if (writer->unsorted &&
        (tm__order_events(&writer->order, &arrivals, writer->events, count) < 0 ||
         tm__order_positions(&writer->order, &positions, arrivals, count) < 0))
        return TM_ENOMEM;
    if (put_definitions(writer, positions) < 0)
        return TM_ENOMEM;
    header->events = count;
    if (count == 0)
        return TM_OK;
    header->first_ns = writer->events[arrivals ? arrivals[0] : 0].time_ns;
    header->last_ns =
        writer->events[arrivals ? arrivals[count - 1] : count - 1].time_ns;
    return tm__columns_put(&writer->columns, &writer->raw, writer->events, arrivals,
                           count);
}

static int finish_block(tm_trace_writer *writer)
{
    tm__block_header header = {.type = TM__BLOCK_DATA};
    tm__index_entry entry = {.offset = writer->bytes};
    int rc;

    if (writer->event_count == 0 && writer->mark_count == 0)
        return TM_OK;
    if (writer->index.entry_count >= TM__INDEX_ENTRIES) {
        rc = put_index(writer);
        if (rc < 0)
            return rc;
        entry.offset = writer->bytes;
    }
    if (tm__index_reserve(&writer->index) < 0 || put_sections(writer, &header) < 0)
        return TM_ENOMEM;
    rc = put_block(writer, &header, NULL, 0);
    if (rc < 0)
        return rc;
    entry.events = header.events;
    entry.definitions = writer->mark_count;
    entry.first_ns = header.first_ns;
    entry.last_ns = header.last_ns;
    tm__index_add(&writer->index, &entry);
    writer->event_count = 0;
    writer->mark_count = 0;
    writer->definitions.length = 0;
    writer->unsorted = 0;
    return TM_OK;
}

static int take_events(void *payload, const tm_event *events, size_t count)
{
    tm_trace_writer *writer = payload;
    int rc = usable(writer);

    while (rc == TM_OK && count > 0) {
        uint32_t have = writer->event_count;
        size_t room = writer->block_events - have;
        size_t taken = count < room ? count : room;

        if (tm__reserve(&writer->memory, &writer->events, &writer->event_capacity,
                        have + taken, sizeof(*events)) < 0)
            return TM_ENOMEM;
        for (size_t i = 0; i < taken; i++) {
            uint32_t at = have + (uint32_t)i;

            writer->events[at] = events[i];
            writer->unsorted |=
                at > 0 && events[i].time_ns < writer->events[at - 1].time_ns;
        }
        writer->event_count += (uint32_t)taken;
        events += taken;
        count -= taken;
        if (writer->event_count == writer->block_events)
            rc = finish_block(writer);
    }
    return rc;
}

/* Room to note one more definition, before it is coded. */
static int begin_definition(tm_trace_writer *writer)
{
    int rc = usable(writer);

    if (rc == TM_OK && writer->definitions.length >= BLOCK_DEFINITION_BYTES)
        rc = finish_block(writer); /* it had no memory the last time */
    if (rc == TM_OK)
        rc = tm__reserve(&writer->memory, &writer->marks, &writer->mark_capacity,
                         (size_t)writer->mark_count + 1, sizeof(*writer->marks));
    return rc;
}

/* Note what was coded, unless `rc` says that it was not. */
static int end_definition(tm_trace_writer *writer, enum tm__definition_kind kind,
                          int rc)
{
    if (rc < 0)
        return rc;
    writer->marks[writer->mark_count++] =
        (mark){kind, writer->event_count, (uint32_t)writer->definitions.length};
    return writer->definitions.length < BLOCK_DEFINITION_BYTES ? TM_OK
                                                               : finish_block(writer);
}

#define TAKE(name, type, put, kind)                                                    \
    static int name(void *payload, const type *given)                                  \
    {                                                                                  \
        tm_trace_writer *writer = payload;                                             \
        int rc;                                                                        \
        TM__CHECK(given);                                                              \
        rc = begin_definition(writer);                                                 \
        return rc < 0                                                                  \
                   ? rc                                                                \
                   : end_definition(writer, kind, put(&writer->definitions, given));   \
    }

TAKE(take_run, tm_run, tm__run_put, TM__DEFINE_RUN)
TAKE(take_limit, char, tm__limit_put, TM__DEFINE_LIMIT)
TAKE(take_class, tm_class, tm__class_put, TM__DEFINE_CLASS)
TAKE(take_method, tm_method, tm__method_put, TM__DEFINE_METHOD)
TAKE(take_stack, tm_stack, tm__stack_put, TM__DEFINE_STACK)
TAKE(take_thread, tm_thread, tm__thread_put, TM__DEFINE_THREAD)
TAKE(take_object, tm_object, tm__object_put, TM__DEFINE_OBJECT)

/* Free all but the file. */
static void writer_free(tm_trace_writer *writer)
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

static int writer_new(tm_trace_writer **out, const tm_trace_writer_options *given)
{
    tm_trace_writer_options options = {0};
    tm_trace_writer *writer;
    tm__memory memory;

    if (given)
        memcpy(&options, given,
               given->size < sizeof(options) ? given->size : sizeof(options));
    tm__memory_init(&memory, options.allocator);
    writer = tm__zalloc(&memory, sizeof(*writer));
    if (!writer)
        return TM_ENOMEM;
    writer->memory = memory;
    writer->sink =
        (tm_sink){sizeof(tm_sink), writer,     take_run,    take_limit,  take_class,
                  take_method,     take_stack, take_thread, take_object, take_events};
    writer->file.descriptor = -1;
    writer->level = options.level;
    writer->block_events =
        options.block_events ? options.block_events : DEFAULT_BLOCK_EVENTS;
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

static int put_file_header(tm_trace_writer *writer)
{
    if (tm__bytes_reserve(&writer->out, TM__FILE_HEADER_BYTES) < 0)
        return TM_ENOMEM;
    tm__file_header_put(writer->out.data);
    writer->out.length = TM__FILE_HEADER_BYTES;
    return put_out(writer);
}

int tm_trace_writer_open(tm_trace_writer **out, const char *path,
                         const tm_trace_writer_options *options)
{
    tm_trace_writer *writer;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(path);
    rc = writer_new(&writer, options);
    if (rc < 0)
        return rc;
    writer->write = tm__file_write;
    writer->payload = &writer->file;
    rc = tm__file_open(&writer->file, &writer->memory, path);
    if (rc == TM_OK)
        rc = put_file_header(writer);
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

int tm_trace_writer_new(tm_trace_writer **out, tm_write_fn write, void *payload,
                        const tm_trace_writer_options *options)
{
    tm_trace_writer *writer;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(write);
    rc = writer_new(&writer, options);
    if (rc < 0)
        return rc;
    writer->write = write;
    writer->payload = payload;
    rc = put_file_header(writer);
    if (rc < 0) {
        writer_free(writer);
        return rc;
    }
    *out = writer;
    return TM_OK;
}

const tm_sink *tm_trace_writer_sink(tm_trace_writer *writer)
{
    return &writer->sink;
}

int tm_trace_writer_flush(tm_trace_writer *writer)
{
    int rc;

    TM__CHECK(writer);
    rc = usable(writer);
    return rc < 0 ? rc : finish_block(writer);
}

uint64_t tm_trace_writer_bytes(const tm_trace_writer *writer)
{
    return writer->bytes;
}

int tm_trace_writer_close(tm_trace_writer *writer)
{
    char text[512] = "";
    int rc, closed;

    if (!writer)
        return TM_OK;
    rc = usable(writer);
    if (rc == TM_OK)
        rc = finish_block(writer);
    if (rc == TM_OK && writer->index.entry_count > 0)
        rc = put_index(writer);
    if (rc == TM_OK)
        rc = put_end(writer);
    if (rc < 0)
        snprintf(text, sizeof(text), "%s", tm_error_text());
    closed = tm__file_close(&writer->file, &writer->memory);
    writer_free(writer);
    if (rc < 0)
        return tm__fail(rc, "%s", text);
    return closed;
}
