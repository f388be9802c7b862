/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in, front to end, a block at a time, whole or not, finished or still being
 * written. The index is not used: reading all needs none, and what damage took away
 * is known from the count that every block header carries.
 *
 *      LOOKING ──block good──▶ emit it ──▶ LOOKING ... end block ──▶ ENDING ──▶ DONE
 *         │  ▲                                                                   ▲
 *        bad │ header found                                                      │
 *         ▼  │                                                                   │
 *      SCANNING ───────────────────────── end of file ──▶ RECOVERING ────────────┘
 */
#include "trace/trace_reader.h"

#include <stdio.h>

#include "base/error.h"
#include "trace/block.h"
#include "trace/recovery.h"
#include "trace/unpack.h"

enum {
    CALL_EVENTS = 16384,      ///< emitted by one call at most
    CALL_SCAN_BYTES = 1 << 20 ///< searched by one call at most
};

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { LOOKING, SCANNING, ENDING, RECOVERING, DONE } state;
    uint64_t offset; ///< of what is read next
    uint32_t major;  ///< version of the file; 0 where that is damaged
    uint32_t minor;
    uint64_t end_offset; ///< of the end block, once it was read
    tm__block block;
    int is_emitting; ///< the block has more to emit
    int is_growing;  ///< what is not there may still come

    uint32_t events_before; ///< that the next header should state
    int64_t last_ns;        ///< of the last block with events
    int64_t origin_ns;
    int has_origin;
    int has_run_start; ///< the origin is the run's own
    tm__gap gap;
    uint64_t run_id;
    tm__leftover leftover;

    tm__loss_report report;
    uint64_t passed_over;
} reader;

static int probe(const uint8_t *bytes, size_t length)
{
    tm__block_header header;
    uint32_t major, minor;

    if (tm__file_header_get(bytes, length, &major, &minor) != TM__FILE_HEADER_FOREIGN)
        return 1;
    return length >= TM__FILE_HEADER_BYTES + TM__BLOCK_HEADER_BYTES &&
           tm__block_header_get(&header, bytes + TM__FILE_HEADER_BYTES);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    uint32_t major, minor;
    const uint8_t *bytes;
    size_t available;
    reader *self = payload;
    tm__file_header_state header;
    int rc;

    (void)options;
    self->memory = memory;
    self->input = input;
    tm__block_init(&self->block, memory);
    rc = tm__input_view(input, 0, TM__FILE_HEADER_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    header = tm__file_header_get(bytes, available, &major, &minor);
    if (header == TM__FILE_HEADER_NEWER)
        return tm__fail(TM_EVERSION,
                        "%s: trace format %u.%u; this release reads %d.x and %d.x",
                        input->path, major, minor, TM__TRACE_OLDEST, TM__TRACE_MAJOR);
    self->major = major;
    self->minor = minor;
    self->offset = TM__FILE_HEADER_BYTES;
    if (header != TM__FILE_HEADER_WHOLE) {
        self->offset = tm__gap_add(&self->gap, 0, NULL);
        self->state = SCANNING;
    }
    return TM_OK;
}

static void owe(reader *self, const tm__trace_loss *loss)
{
    tm__loss_owe(&self->report, loss, self->origin_ns);
    self->gap.is_open = 0;
}

/* The input has ended without an end marker. */
static int read_end(reader *self, uint64_t end)
{
    const tm__gap *gap = &self->gap;
    tm__trace_loss loss = {
        .from = gap->is_open ? gap->from : end, .to = end, .is_end = 1};

    if (gap->is_open) {
        loss.blocks = gap->blocks;
        loss.events = gap->events;
        loss.first_ns = gap->first_ns;
        loss.last_ns = gap->last_ns;
        loss.is_oversized = gap->is_oversized;
    }
    /* Memory and pipes have nothing beside them. */
    if (self->input->descriptor >= 0 && self->input->is_seekable) {
        int rc;

        tm__leftover_free(&self->leftover);
        rc = tm__leftover_open(&self->leftover, self->memory, self->input->path,
                               self->run_id, self->events_before, self->last_ns);
        if (rc == TM_ENOMEM)
            return rc;
        loss.leftover = &self->leftover;
        /* The events of a truncated block are in the rings, too. */
        if (self->leftover.state == TM__LEFTOVER_RECOVERED) {
            loss.events = (uint64_t)self->leftover.missing;
            loss.first_ns = loss.last_ns = self->last_ns;
        } else if (self->leftover.state == TM__LEFTOVER_RUNNING) {
            loss.events = 0;
        }
    }
    self->offset = end;
    self->state = RECOVERING;
    owe(self, &loss);
    return TM_MORE;
}

/* A bad place: look on behind it. */
static int pass_over(reader *self, const tm__block_header *header)
{
    self->offset = tm__gap_add(&self->gap, self->offset, header);
    self->state = SCANNING;
    return TM_MORE;
}

static int scan(reader *self)
{
    uint64_t stop = self->offset + CALL_SCAN_BYTES;

    while (self->offset < stop) {
        const size_t wanted = 64 << 10;
        const uint8_t *bytes;
        size_t available, at;
        int found;
        int rc = tm__input_view(self->input, self->offset, wanted, &bytes, &available);

        if (rc < 0)
            return rc;
        at = available > 0 ? tm__header_find(bytes, available, &found) : 0;
        if (available > 0 && found) {
            self->offset += at;
            self->state = LOOKING;
            return TM_MORE;
        }
        if (available < wanted && self->is_growing) {
            self->offset += at;
            return TM_OK;
        }
        if (available < wanted)
            return read_end(self, self->offset + available);
        self->offset += at;
    }
    return TM_MORE;
}

/* The headers count events, so a good one tells how many went before it unread. */
static void settle(reader *self, const tm__block_header *header)
{
    const tm__gap *gap = &self->gap;
    uint32_t missing = header->events_before - self->events_before;
    tm__trace_loss loss = {.from = gap->is_open ? gap->from : self->offset,
                           .to = self->offset,
                           .is_oversized = gap->is_open && gap->is_oversized};

    if (!self->has_run_start && self->block.run.size > 0 &&
        self->block.run.start_ns != 0) {
        self->origin_ns = self->block.run.start_ns;
        self->has_origin = self->has_run_start = 1;
    }
    if (!self->has_origin && header->events > 0) {
        self->origin_ns = self->last_ns = header->first_ns;
        self->has_origin = 1;
    }
    if (missing < UINT32_MAX / 2) {
        loss.is_counted = 1;
        loss.events = missing;
    } else if (gap->is_open)
        loss.events = gap->events;
    if (gap->is_open && gap->events > 0 && gap->events == loss.events) {
        loss.blocks = gap->blocks;
        loss.first_ns = gap->first_ns;
        loss.last_ns = gap->last_ns;
    } else {
        /* Index and end blocks state the time of the whole run. */
        loss.first_ns = self->last_ns;
        loss.last_ns = header->events > 0 ? header->first_ns : header->last_ns;
    }
    if (gap->is_open || missing != 0)
        owe(self, &loss);
    self->events_before = header->events_before + header->events;
    if (header->events > 0)
        self->last_ns = header->last_ns;
}

/* The end block was read: the trailer is all that may follow, and says where that
 * block is, unless bytes before it were lost. */
static int read_trailer(reader *self)
{
    tm__input *input = self->input;
    uint64_t end = self->offset, after, stated;
    const uint8_t *bytes;
    size_t available;
    int rc = tm__input_view(input, end, TM__TRAILER_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    if (available < TM__TRAILER_BYTES && self->is_growing)
        return TM_OK;
    self->state = DONE;
    after = end + available;
    if (available == TM__TRAILER_BYTES && tm__trailer_get(&stated, bytes) &&
        (stated == self->end_offset || self->report.count > 0)) {
        end = self->offset = after;
        /* A pipe may stay open behind it: nothing is waited for. */
        if (!input->is_seekable)
            return TM_MORE;
        rc = tm__input_view(input, after, 1, &bytes, &available);
        if (rc < 0)
            return rc;
        if (available == 0)
            return TM_MORE;
        after = input->length > after ? input->length : after + 1;
    } else if (available < TM__TRAILER_BYTES)
        end = after;
    owe(self, &(tm__trace_loss){.from = end, .to = after, .is_tail = 1});
    return TM_MORE;
}

/* Unpack what a whole block holds. */
static int open_block(reader *self, const tm__block_header *header,
                      const uint8_t *packed)
{
    uint64_t end = self->offset + TM__BLOCK_HEADER_BYTES + header->packed_bytes;

    if (header->type == TM__BLOCK_DATA)
        return tm__block_open(&self->block, header, packed, end);
    if (header->type == TM__BLOCK_INDEX || header->type == TM__BLOCK_END)
        return tm__unpack(&self->block.unpacker, &self->block.raw, packed,
                          header->packed_bytes, header->raw_bytes);
    return TM_OK;
}

static int look(reader *self)
{
    tm__block_header header;
    const uint8_t *bytes;
    size_t available, whole;
    int rc = tm__input_view(self->input, self->offset, TM__BLOCK_HEADER_BYTES, &bytes,
                            &available);

    if (rc < 0)
        return rc;
    if (available < TM__BLOCK_HEADER_BYTES && self->is_growing)
        return TM_OK;
    if (available == 0)
        return read_end(self, self->offset);
    if (available < TM__BLOCK_HEADER_BYTES || !tm__block_header_get(&header, bytes))
        return pass_over(self, NULL);
    whole = TM__BLOCK_HEADER_BYTES + (size_t)header.packed_bytes;
    rc = tm__input_view(self->input, self->offset, whole, &bytes, &available);
    if (rc < 0)
        return rc;
    if (available < whole && self->is_growing)
        return TM_OK;
    if (available < whole) {
        header.packed_bytes = (uint32_t)(available - TM__BLOCK_HEADER_BYTES);
        return pass_over(self, &header);
    }
    rc = open_block(self, &header, bytes + TM__BLOCK_HEADER_BYTES);
    if (rc == TM_EDAMAGED || rc == TM_ELIMIT) {
        pass_over(self, &header);
        self->gap.is_oversized |= rc == TM_ELIMIT;
        return TM_MORE;
    }
    if (rc < 0)
        return rc;
    settle(self, &header);
    self->offset += whole;
    if (header.type == TM__BLOCK_END) {
        self->end_offset = self->offset - whole;
        self->state = ENDING;
    }
    self->is_emitting = header.type == TM__BLOCK_DATA;
    if (self->is_emitting && self->block.run.size > 0 && self->block.run.id)
        self->run_id = self->block.run.id;
    if (header.type > TM__BLOCK_END || header.type == 0)
        self->passed_over++;
    else if (self->is_emitting)
        self->passed_over += self->block.passed_over;
    return TM_MORE;
}

static int conclude(reader *self, const tm_sink *sink)
{
    if (self->passed_over > 0) {
        char text[160];
        int rc;

        snprintf(text, sizeof(text),
                 "%llu parts of the trace were skipped: its format, %u.%u, is newer "
                 "than %d.%d",
                 (unsigned long long)self->passed_over, self->major, self->minor,
                 TM__TRACE_MAJOR, TM__TRACE_MINOR);
        self->passed_over = 0;
        rc = sink->caveat(sink->payload, text);
        if (rc < 0)
            return rc;
    }
    if (self->report.count == 0)
        return TM_OK;
    if (self->report.count == 1)
        return tm__fail(TM_EDAMAGED, "%s: %s", self->input->path, self->report.first);
    return tm__fail(TM_EDAMAGED, "%s: %s; and %u more such places", self->input->path,
                    self->report.first, self->report.count - 1);
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = tm__loss_report_emit(&self->report, sink);

    if (rc < 0)
        return rc;
    if (self->is_emitting) {
        rc = tm__block_emit(&self->block, sink, CALL_EVENTS);
        if (rc == TM_OK)
            self->is_emitting = 0;
        return rc < 0 ? rc : TM_MORE;
    }
    switch (self->state) {
    case LOOKING: return look(self);
    case SCANNING: return scan(self);
    case ENDING: return read_trailer(self);
    case RECOVERING:
        rc = tm__leftover_emit(&self->leftover, sink, CALL_EVENTS);
        if (rc == TM_OK)
            self->state = DONE;
        return rc < 0 ? rc : TM_MORE;
    case DONE: break;
    }
    return conclude(self, sink);
}

void tm__trace_follow(void *payload, int growing)
{
    reader *self = payload;

    self->is_growing = growing;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->offset;
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__block_free(&self->block);
    tm__leftover_free(&self->leftover);
}

const tm__format tm__format_tmt = {
    .name = "tmt",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};
