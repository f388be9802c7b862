/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the file itself. Heap dumps are only noted here: names of what is in them
 * may stand behind them. All but these are small, and lie in memory for a moment.
 */
#include "formats/hprof/hprof_records.h"

#include "base/error.h"
#include "formats/hprof/big_endian.h"

enum {
    STRING = 0x01,
    LOAD_CLASS = 0x02,
    UNLOAD_CLASS = 0x03,
    STACK_FRAME = 0x04,
    STACK_TRACE = 0x05,
    ALLOC_SITES = 0x06,
    HEAP_SUMMARY = 0x07,
    START_THREAD = 0x0a,
    END_THREAD = 0x0b,
    HEAP_DUMP = 0x0c,
    CPU_SAMPLES = 0x0d,
    CONTROL_SETTINGS = 0x0e,
    HEAP_DUMP_SEGMENT = 0x1c,
    HEAP_DUMP_END = 0x2c,
};

enum { HEAD_BYTES = 9, BODY_BYTES = 16 << 20, CALL_RECORDS = 1 << 16 };

int tm__hprof_header_read(tm__hprof_header *header, tm__input *input)
{
    enum { NAME_BYTES = 18 };
    const uint8_t *bytes = NULL;
    size_t available;
    uint64_t time_ms;
    int rc = tm__input_view(input, 0, TM__HPROF_HEADER_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    if (available < TM__HPROF_HEADER_BYTES || bytes[NAME_BYTES] != 0)
        return tm__fail(TM_EFORMAT, "%s: HPROF file with an incomplete header",
                        input->path);
    *header = (tm__hprof_header){.id_bytes = tm__hprof_u4(bytes + NAME_BYTES + 1)};
    memcpy(header->version, bytes + 13, sizeof(header->version) - 1);
    if (strcmp(header->version, "1.0.1") != 0 && strcmp(header->version, "1.0.2") != 0)
        return tm__fail(TM_EVERSION,
                        "%s: HPROF of version %.5s; 1.0.1 and 1.0.2 are read",
                        input->path, header->version);
    if (header->id_bytes != 4 && header->id_bytes != 8)
        return tm__fail(TM_EFORMAT, "%s: unsupported HPROF identifier size: %u bytes",
                        input->path, header->id_bytes);
    time_ms = tm__hprof_u8(bytes + NAME_BYTES + 5);
    header->start_ns =
        time_ms < INT64_MAX / 2000000 ? (int64_t)time_ms * 1000000 : INT64_MAX / 2;
    if (!input->is_seekable)
        return tm__fail(TM_EUNSUPPORTED,
                        "%s: not a regular file: HPROF is read in several passes",
                        input->path);
    return TM_OK;
}

static int add_segment(tm__hprof_records *self, uint64_t start, uint64_t end,
                       int64_t time_us)
{
    if (tm__reserve(self->memory, &self->segments, &self->segment_capacity,
                    (size_t)self->segment_count + 1, sizeof(*self->segments)) < 0)
        return tm__failure();
    self->segments[self->segment_count++] = (tm__hprof_segment){start, end, time_us};
    return TM_OK;
}

static int add_mark(tm__hprof_records *self, const uint8_t *body, size_t length,
                    int64_t time_us, uint32_t is_end)
{
    if (length < 4)
        return TM_EDAMAGED;
    if (tm__reserve(self->memory, &self->marks, &self->mark_capacity,
                    (size_t)self->mark_count + 1, sizeof(*self->marks)) < 0)
        return tm__failure();
    self->marks[self->mark_count++] =
        (tm__hprof_mark){time_us, tm__hprof_u4(body), is_end};
    return TM_OK;
}

static int add_samples(tm__hprof_records *self, const uint8_t *body, size_t length,
                       int64_t time_us)
{
    uint32_t count;

    if (length < 8)
        return TM_EDAMAGED;
    count = tm__hprof_u4(body + 4);
    if (count > (length - 8) / 8)
        return TM_EDAMAGED;
    if (tm__reserve(self->memory, &self->samples, &self->sample_capacity,
                    (size_t)self->sample_count + count, sizeof(*self->samples)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < count; i++)
        self->samples[self->sample_count++] =
            (tm__hprof_sample){.count = tm__hprof_u4(body + 8 + 8 * (size_t)i),
                               .trace = tm__hprof_u4(body + 12 + 8 * (size_t)i),
                               .time_us = time_us};
    return TM_OK;
}

static int add_control(tm__hprof_records *self, const uint8_t *body, size_t length)
{
    if (length < 6)
        return TM_EDAMAGED;
    self->has_control = 1;
    self->control = tm__hprof_u4(body);
    self->control_depth = tm__hprof_u2(body + 4);
    return TM_OK;
}

/* Whether the body of a record is to be looked into. */
static int is_wanted(uint8_t tag)
{
    switch (tag) {
    case STRING:
    case LOAD_CLASS:
    case STACK_FRAME:
    case STACK_TRACE:
    case START_THREAD:
    case END_THREAD:
    case CPU_SAMPLES:
    case CONTROL_SETTINGS: return 1;
    default: return 0;
    }
}

static int read_body(tm__hprof_records *self, uint8_t tag, const uint8_t *body,
                     size_t length, int64_t time_us)
{
    int rc;

    switch (tag) {
    case STRING: return tm__hprof_add_text(self->names, body, length);
    case LOAD_CLASS: return tm__hprof_add_class(self->names, body, length);
    case STACK_FRAME: return tm__hprof_add_frame(self->names, body, length);
    case STACK_TRACE: return tm__hprof_add_trace(self->names, body, length);
    case START_THREAD:
        rc = tm__hprof_start(self->threads, body, length);
        return rc < 0 ? rc : add_mark(self, body, length, time_us, 0);
    case END_THREAD: return add_mark(self, body, length, time_us, 1);
    case CPU_SAMPLES: return add_samples(self, body, length, time_us);
    default: return add_control(self, body, length);
    }
}

static int complain(tm__hprof_records *self, const char *what)
{
    return tm__notes_damage(self->notes, "the record at byte %llu %s",
                            (unsigned long long)self->offset, what);
}

/* A record whose body is small and matters. */
static int read_small(tm__hprof_records *self, uint8_t tag, uint32_t length,
                      int64_t time_us)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc;

    if (length > BODY_BYTES)
        return complain(self, "is longer than such a record can be");
    rc = tm__input_view(self->input, self->offset + HEAD_BYTES, length, &bytes,
                        &available);
    if (rc < 0)
        return rc;
    rc =
        available < length ? TM_EDAMAGED : read_body(self, tag, bytes, length, time_us);
    return rc == TM_EDAMAGED ? complain(self, "is shorter than such a record must be")
                             : rc;
}

/* @return TM_MORE, TM_OK: the file is over */
/* No program ran for longer, and the time in ns stays far from the largest number. */
static const int64_t LAST_US = INT64_C(1) << 47;

/* The agent's counter of microseconds turns after 72 minutes. Events stand in the order
 * of their times; records of other kinds, and heap dumps of a JVM, may have none. */
static int64_t unturned_us(tm__hprof_records *self, uint8_t tag, uint32_t time_us)
{
    int is_dump = tag == HEAP_DUMP || tag == HEAP_DUMP_SEGMENT;
    int64_t before_us = (int64_t)time_us - (uint32_t)self->last_us;

    if ((tag != START_THREAD && tag != END_THREAD && tag != CPU_SAMPLES && !is_dump) ||
        (is_dump && !time_us))
        return time_us;
    if (before_us < -INT64_C(0x80000000) && self->last_us < LAST_US)
        before_us += INT64_C(0x100000000);
    self->last_us += before_us;
    return self->last_us;
}

static int read_record(tm__hprof_records *self)
{
    const uint8_t *head = NULL;
    size_t available;
    uint64_t start = self->offset + HEAD_BYTES, end;
    int rc = tm__input_view(self->input, self->offset, HEAD_BYTES, &head, &available);
    uint32_t length;
    int64_t time_us;
    uint8_t tag;

    if (rc < 0)
        return rc;
    if (available == 0)
        return TM_OK;
    if (available < HEAD_BYTES) {
        rc = complain(self, "is cut");
        self->offset += available;
        return rc < 0 ? rc : TM_MORE;
    }
    tag = head[0];
    time_us = unturned_us(self, tag, tm__hprof_u4(head + 1));
    length = tm__hprof_u4(head + 5);
    end = start + length;
    if (end > self->input->length)
        end = self->input->length;
    if (rc == TM_OK && (tag == HEAP_DUMP || tag == HEAP_DUMP_SEGMENT))
        rc = end > start ? add_segment(self, start, end, time_us) : TM_OK;
    else if (rc == TM_OK && is_wanted(tag) && end == start + length)
        rc = read_small(self, tag, length, time_us);
    if (rc == TM_OK && end < start + length)
        rc = complain(self, "is cut off by the end of the file");
    if (rc < 0)
        return rc;
    self->sites += tag == ALLOC_SITES || tag == HEAP_SUMMARY;
    self->unknown += !is_wanted(tag) && tag != ALLOC_SITES && tag != HEAP_SUMMARY &&
                     tag != HEAP_DUMP && tag != HEAP_DUMP_SEGMENT &&
                     tag != HEAP_DUMP_END && tag != UNLOAD_CLASS;
    self->offset = end;
    return TM_MORE;
}

int tm__hprof_records_read(tm__hprof_records *self)
{
    int rc = TM_MORE;

    for (int i = 0; i < CALL_RECORDS && rc == TM_MORE; i++)
        rc = read_record(self);
    return rc;
}

int tm__hprof_records_caveat(const tm__hprof_records *self)
{
    int rc = TM_OK;

    if (self->sites)
        rc = tm__notes_caveat(
            self->notes,
            "%llu records of allocation sites are not about threads and were left out.",
            (unsigned long long)self->sites);
    if (rc == TM_OK && self->unknown)
        rc = tm__notes_caveat(self->notes,
                              "%llu records are of kinds that HPROF does not have.",
                              (unsigned long long)self->unknown);
    if (rc == TM_OK && self->has_control)
        rc = tm__notes_caveat(self->notes,
                              "HPROF was set to %strace allocations and to %ssample "
                              "the processor, with stacks of %u frames.",
                              self->control & 1 ? "" : "not ",
                              self->control & 2 ? "" : "not ", self->control_depth);
    return rc;
}

void tm__hprof_records_free(tm__hprof_records *self)
{
    tm__memory *memory = self->memory;

    tm__free(memory, self->segments, self->segment_capacity * sizeof(*self->segments));
    tm__free(memory, self->marks, self->mark_capacity * sizeof(*self->marks));
    tm__free(memory, self->samples, self->sample_capacity * sizeof(*self->samples));
}
