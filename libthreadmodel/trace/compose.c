/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what was taken to blocks in the file: sorted, split into columns, packed. One
 * write a block. Memory is asked for before anything is written, so that a block is
 * either out and forgotten, or still there to be tried again.
 */
#include "trace/compose.h"
#include "trace/trace_writer_state.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/pack.h"

static int put_out(tm__trace_writer *writer)
{
    const tm__bytes *out = &writer->out;
    int rc =
        tm__write(writer->write, writer->payload, (const char *)out->data, out->length);

    if (rc >= 0) {
        writer->bytes += out->length;
        return TM_OK;
    }
    writer->failure = rc;
    snprintf(writer->failure_text, sizeof(writer->failure_text), "%s", tm_error_text());
    return rc;
}

/* Write what is in `raw` as a block; with `tail` bytes after it. */
static int put_block(tm__trace_writer *writer, tm__block_header *header,
                     const uint8_t *tail, size_t tail_bytes)
{
    tm__bytes *out = &writer->out;
    int rc;

    out->length = 0;
    if (tm__bytes_reserve(out, TM__BLOCK_HEADER_BYTES) < 0)
        return tm__failure();
    out->length = TM__BLOCK_HEADER_BYTES;
    rc = tm__pack(&writer->packer, out, &writer->raw, writer->level);
    if (rc < 0)
        return rc;
    header->raw_bytes = (uint32_t)writer->raw.length;
    header->packed_bytes = (uint32_t)(out->length - TM__BLOCK_HEADER_BYTES);
    header->events_before = (uint32_t)writer->index.events;
    tm__block_header_put(out->data, header);
    if (tm__bytes_append(out, tail, tail_bytes) < 0)
        return tm__failure();
    return put_out(writer);
}

static int put_index(tm__trace_writer *writer)
{
    tm__block_header header = {.type = TM__BLOCK_INDEX,
                               .first_ns = writer->index.run_first_ns,
                               .last_ns = writer->index.run_last_ns};
    uint64_t offset = writer->bytes;
    int rc;

    writer->raw.length = 0;
    if (tm__index_put(&writer->index, &writer->raw) < 0)
        return tm__failure();
    rc = put_block(writer, &header, NULL, 0);
    if (rc == TM_OK)
        tm__index_next(&writer->index, offset);
    return rc;
}

static int put_end(tm__trace_writer *writer)
{
    tm__block_header header = {.type = TM__BLOCK_END,
                               .first_ns = writer->index.run_first_ns,
                               .last_ns = writer->index.run_last_ns};
    uint8_t trailer[TM__TRAILER_BYTES];

    writer->raw.length = 0;
    if (tm__index_put_end(&writer->index, &writer->raw) < 0)
        return tm__failure();
    tm__trailer_put(trailer, writer->bytes);
    return put_block(writer, &header, trailer, sizeof(trailer));
}

/* Definitions in their order of arrival, each at its place among sorted events. */
static int put_definitions(tm__trace_writer *writer, const uint32_t *positions)
{
    tm__bytes *section = &writer->section;
    uint32_t position = 0, start = 0;

    if (writer->mark_count == 0)
        return TM_OK;
    section->length = 0;
    for (uint32_t i = 0; i < writer->mark_count; i++) {
        const tm__trace_mark *one = &writer->marks[i];
        uint32_t here = positions ? positions[one->arrival] : one->arrival;
        uint32_t length = one->end - start;
        uint8_t *at;

        if (tm__bytes_reserve(section, 3 * TM__VARINT_BYTES + length) < 0)
            return tm__failure();
        at = tm__encode_varint(section->data + section->length, here - position);
        at = tm__encode_varint(at, one->kind);
        at = tm__encode_varint(at, length);
        memcpy(at, writer->definitions.data + start, length);
        section->length = (size_t)(at - section->data) + length;
        position = here;
        start = one->end;
    }
    return tm__section_put(&writer->raw, TM__SECTION_DEFINITIONS, section->data,
                           section->length);
}

/* The sections of the block in work, into `raw`. */
static int put_sections(tm__trace_writer *writer, tm__block_header *header)
{
    const uint32_t *arrivals = NULL, *positions = NULL;
    uint32_t count = writer->event_count;

    writer->raw.length = 0;
    if (writer->unsorted &&
        (tm__order_events(&writer->order, &arrivals, writer->events, count) < 0 ||
         tm__order_positions(&writer->order, &positions, arrivals, count) < 0))
        return tm__failure();
    if (put_definitions(writer, positions) < 0)
        return tm__failure();
    header->events = count;
    if (count == 0)
        return TM_OK;
    header->first_ns = writer->events[arrivals ? arrivals[0] : 0].time_ns;
    header->last_ns =
        writer->events[arrivals ? arrivals[count - 1] : count - 1].time_ns;
    return tm__columns_put(&writer->columns, &writer->raw, writer->events, arrivals,
                           count);
}

int tm__trace_writer_finish_block(tm__trace_writer *writer)
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
        return tm__failure();
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

uint64_t tm__trace_writer_events(const tm__trace_writer *writer)
{
    return writer->index.events;
}

int tm__trace_writer_begin(tm__trace_writer *writer)
{
    if (tm__bytes_reserve(&writer->out, TM__FILE_HEADER_BYTES) < 0)
        return tm__failure();
    tm__file_header_put(writer->out.data);
    writer->out.length = TM__FILE_HEADER_BYTES;
    return put_out(writer);
}

int tm__trace_writer_finish(tm__trace_writer *writer)
{
    int rc = tm__trace_writer_finish_block(writer);

    if (rc == TM_OK && writer->index.entry_count > 0)
        rc = put_index(writer);
    return rc == TM_OK ? put_end(writer) : rc;
}
