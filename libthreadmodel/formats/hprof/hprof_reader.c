/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap dump of many gigabytes is read two or three times from front to end, since
 * nothing in it stands before what refers to it; what is kept of it is in proportion to
 * its threads, classes and strings.
 *
 *     SCANNING ──▶ FIRST ──▶ PREPARING ──▶ SECOND ──▶ TAKING ──▶ ENDING ──▶ EMITTING
 *     records      threads,                names                           ──▶ DONE
 *                  owners
 */
#include "formats/dump/dump.h"
#include "formats/hprof/hprof_reader.h"

#include <stdio.h>

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/dump/dump_names.h"
#include "formats/hprof/hprof_records.h"
#include "formats/hprof/read_threads.h"

enum { PASSES = 4, CALL_BYTES = 64 << 20, MARK_SAMPLES = 1 << 20 };

typedef struct reader {
    tm__input *input;
    enum {
        SCANNING,
        FIRST,
        PREPARING,
        SECOND,
        TAKING,
        ENDING,
        MARKING,
        EMITTING,
        CONCLUDING,
        DONE
    } state;
    tm__hprof_header header;
    uint32_t segment; ///< of the pass
    uint64_t at;      ///< in it
    uint32_t pass;    ///< over the heap, from 1
    uint32_t missing; ///< texts, before the pass
    uint32_t marked;  ///< starts, ends and samples that were handed on
    uint32_t within;  ///< samples of the next trace that were
    uint64_t samples; ///< handed on
    uint64_t samples_left_out;
    int is_broken; ///< the heap dump was
    tm__hprof_counts counts, ignored;
    tm__notes notes;
    tm__dump dump;
    tm__hprof_names names;
    tm__hprof_threads threads;
    tm__hprof_records records;
} reader;

static int probe(const uint8_t *bytes, size_t length)
{
    static const char name[] = "JAVA PROFILE 1.0.";

    return length >= sizeof(name) && memcmp(bytes, name, sizeof(name) - 1) == 0;
}

static void begin_pass(reader *self)
{
    self->pass++;
    self->segment = 0;
    self->at = self->records.segment_count ? self->records.segments[0].start : 0;
}

/* Damage in the heap dump is reported once; behind it nothing can be read up to the
 * next segment. */
static int note_broken(reader *self)
{
    self->is_broken = 1;
    if (self->pass > 1)
        return TM_OK;
    return tm__notes_damage(
        &self->notes,
        "the heap dump at byte %llu cannot be read from byte %llu "
        "on",
        (unsigned long long)self->records.segments[self->segment].start,
        (unsigned long long)self->at);
}

/* Some of a pass. @return TM_MORE, TM_OK: it is over */
static int walk(reader *self, const tm__hprof_visitor *visitor)
{
    uint64_t left = CALL_BYTES;

    while (self->segment < self->records.segment_count && left > 0) {
        const tm__hprof_segment *segment = &self->records.segments[self->segment];
        uint64_t before = self->at, until = self->at + left;
        int rc = tm__hprof_walk(self->input, self->header.id_bytes, &self->at, until,
                                segment->end, visitor,
                                self->pass == 1 ? &self->counts : &self->ignored);

        if (rc == TM_EDAMAGED) {
            rc = note_broken(self);
            self->at = rc < 0 ? self->at : segment->end;
        }
        if (rc < 0)
            return rc;
        left -= self->at - before < left ? self->at - before : left;
        if (self->at < segment->end)
            continue;
        self->segment++;
        if (self->segment < self->records.segment_count)
            self->at = self->records.segments[self->segment].start;
    }
    return self->segment < self->records.segment_count ? TM_MORE : TM_OK;
}

static int first(reader *self)
{
    tm__hprof_visitor visitor = tm__hprof_first_pass(&self->threads);
    int rc = walk(self, &visitor);

    if (rc != TM_OK)
        return rc;
    /* Objects came before their classes: once more, with all of these known. */
    if (self->threads.late && self->pass == 1) {
        self->threads.late = 0;
        begin_pass(self);
        return TM_MORE;
    }
    self->state = PREPARING;
    return TM_MORE;
}

static int prepare(reader *self)
{
    if (tm__hprof_prepare(&self->threads) < 0)
        return tm__failure();
    self->missing = UINT32_MAX;
    self->state = self->threads.object_count ? SECOND : TAKING;
    begin_pass(self);
    return TM_MORE;
}

static int second(reader *self)
{
    tm__hprof_visitor visitor = tm__hprof_second_pass(&self->threads);
    int rc = walk(self, &visitor);

    if (rc != TM_OK)
        return rc;
    if (self->threads.text_missing && self->threads.text_missing < self->missing &&
        self->pass < PASSES) {
        self->missing = self->threads.text_missing;
        begin_pass(self);
        return TM_MORE;
    }
    self->state = TAKING;
    return TM_MORE;
}

static int64_t time_of(const reader *self, int64_t time_us)
{
    return self->header.start_ns + time_us * 1000;
}

static int read_next(reader *self)
{
    if (self->records.segment_count && self->dump.dump_count == 0)
        tm__dump_begin(&self->dump, time_of(self, self->records.segments[0].time_us));
    if (self->records.segment_count && tm__hprof_read_threads(&self->threads) < 0)
        return tm__failure();
    self->state = ENDING;
    return TM_MORE;
}

static int end(reader *self)
{
    int rc = tm__dump_end(&self->dump, !self->is_broken);

    if (rc == TM_OK)
        self->state = MARKING;
    return rc < 0 ? rc : TM_MORE;
}

static int mark_thread(reader *self, const tm__hprof_mark *mark)
{
    tm_event event = {.time_ns = time_of(self, mark->time_us),
                      .thread = tm__hprof_thread_id(&self->threads, mark->serial),
                      .kind =
                          mark->is_end ? TM_EVENT_THREAD_END : TM_EVENT_THREAD_START};

    return event.thread ? tm__dump_note(&self->dump, &event) : TM_OK;
}

/* A trace that was seen n times is n events; one call emits some of them. Their number
 * is limited for each file. @return TM_OK; TM_MORE: there are more of this trace */
static int mark_sample(reader *self, const tm__hprof_sample *sample)
{
    uint32_t trace = tm__map_find(&self->names.trace_map, sample->trace), frames, stack;
    tm_event event = {.time_ns = time_of(self, sample->time_us),
                      .kind = TM_EVENT_CPU_SAMPLE};

    if (trace != TM__NONE)
        event.thread =
            tm__hprof_thread_id(&self->threads, self->names.traces[trace].thread);
    if (!event.thread || self->samples + sample->count > MARK_SAMPLES) {
        self->samples_left_out += sample->count;
        return TM_OK;
    }
    if (tm__hprof_trace_frames(&self->names, &self->dump, sample->trace,
                               &self->threads.frames, &self->threads.frame_capacity,
                               &frames) < 0 ||
        tm__dump_stack(&self->dump, self->threads.frames, frames, 0, &stack) < 0)
        return tm__failure();
    event.stack = stack;
    for (; self->within < sample->count; self->within++) {
        if (tm__dump_is_full(&self->dump))
            return TM_MORE;
        if (tm__dump_note(&self->dump, &event) < 0)
            return tm__failure();
    }
    self->within = 0;
    self->samples += sample->count;
    return TM_OK;
}

/* @return TM_MORE */
static int mark(reader *self)
{
    const tm__hprof_records *records = &self->records;

    if (self->marked == 0 && tm__hprof_define_started(&self->threads) < 0)
        return tm__failure();
    while (self->marked < records->mark_count + records->sample_count &&
           !tm__dump_is_full(&self->dump)) {
        uint32_t i = self->marked;
        int rc = i < records->mark_count
                     ? mark_thread(self, &records->marks[i])
                     : mark_sample(self, &records->samples[i - records->mark_count]);

        if (rc < 0)
            return rc;
        if (rc == TM_OK)
            self->marked++;
    }
    self->state = EMITTING;
    return TM_MORE;
}

static int emit(reader *self, const tm_sink *sink)
{
    char producer[24];
    tm_run run = {.size = sizeof(run),
                  .producer = producer,
                  .start_wall_ns = self->header.start_ns,
                  .start_ns = self->header.start_ns,
                  .policy = TM_POLICY_REPORTED,
                  .identity = TM_IDENTITY_ADDRESS};
    int rc;

    snprintf(producer, sizeof(producer), "HPROF %s", self->header.version);
    if (self->dump.dump_count) {
        tm__dump_describe(&self->dump, &run);
        run.start_wall_ns = run.start_ns;
    } else {
        run.kinds = UINT64_C(1) << TM_EVENT_THREAD_START;
    }
    if (self->records.mark_count) {
        run.start_ns = run.start_wall_ns = self->header.start_ns;
        run.kinds |= UINT64_C(1) << TM_EVENT_THREAD_START;
        run.kinds |= UINT64_C(1) << TM_EVENT_THREAD_END;
    }
    if (self->records.sample_count)
        run.kinds |= UINT64_C(1) << TM_EVENT_CPU_SAMPLE;
    rc = sink->run(sink->payload, &run);
    if (rc >= 0)
        rc = tm__dump_emit(&self->dump, sink);
    if (rc < 0)
        return rc;
    self->state = self->marked < self->records.mark_count + self->records.sample_count
                      ? MARKING
                      : CONCLUDING;
    return TM_MORE;
}

static int conclude(reader *self)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK && self->dump.dump_count)
        rc = tm__hprof_heap_caveats(&self->counts, &self->notes);
    if (rc == TM_OK)
        rc = tm__hprof_records_caveat(&self->records);
    if (rc == TM_OK && self->samples_left_out)
        rc =
            tm__notes_caveat(&self->notes,
                             "%llu samples of the processor were left out: their "
                             "traces name no thread (thread=y does), or there are more "
                             "than %d.",
                             (unsigned long long)self->samples_left_out, MARK_SAMPLES);
    if (rc == TM_OK)
        self->state = DONE;
    return rc < 0 ? rc : TM_MORE;
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__hprof_records_free(&self->records);
    tm__hprof_threads_free(&self->threads);
    tm__hprof_names_free(&self->names);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {.is_one_instant = 1, .shows_all_virtual = 1};
    reader *self = payload;
    int rc;

    (void)options;
    self->input = input;
    tm__notes_init(&self->notes, memory);
    tm__hprof_names_init(&self->names, memory, 8);
    tm__hprof_threads_init(&self->threads, memory, &self->names, &self->dump);
    self->records = (tm__hprof_records){.memory = memory,
                                        .input = input,
                                        .notes = &self->notes,
                                        .names = &self->names,
                                        .threads = &self->threads,
                                        .offset = TM__HPROF_HEADER_BYTES};
    rc = tm__dump_init(&self->dump, memory, &self->notes, nature);
    if (rc == TM_OK)
        rc = tm__hprof_header_read(&self->header, input);
    if (rc == TM_OK)
        self->names.id_bytes = self->header.id_bytes;
    return rc;
}

static int scan(reader *self)
{
    int rc = tm__hprof_records_read(&self->records);

    if (rc != TM_OK)
        return rc;
    self->state = self->records.segment_count ? FIRST : TAKING;
    begin_pass(self);
    return TM_MORE;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;

    switch (self->state) {
    case SCANNING: return scan(self);
    case FIRST: return first(self);
    case PREPARING: return prepare(self);
    case SECOND: return second(self);
    case TAKING: return read_next(self);
    case ENDING: return end(self);
    case MARKING: return mark(self);
    case EMITTING: return emit(self, sink);
    case CONCLUDING: return conclude(self);
    case DONE: break;
    }
    return tm__notes_conclude(&self->notes, sink, self->input->path);
}

/* Each pass counts as much as the file; the result is the position of the pass. */
static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    switch (self->state) {
    case SCANNING: return self->records.offset;
    case FIRST:
    case SECOND: return self->at;
    default: return self->input->length;
    }
}

const tm__format tm__format_hprof = {
    .name = "hprof",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .is_random = 1,
};
