/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution traces of Go 1.22 and newer, a generation at a time, for its strings,
 * stacks and the rate of its clock may stand at its end:
 *
 *     LOADING ──▶ EMITTING ──▶ CONCLUDING ──▶ DONE
 *        ▲            │
 *        └────────────┘
 * Each thread's events are in order. The earliest event of all threads is read whose
 * turn it is; see go_scheduler.h.
 */
#include "formats/go/go_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/go/go_extent.h"
#include "formats/go/go_scheduler.h"

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { LOADING, EMITTING, CONCLUDING, DONE } state;
    tm__notes notes;
    int version;
    uint64_t position; ///< where the next generation begins
    uint64_t loaded_bytes;
    tm__go_generation generation;
    tm__go_scheduler scheduler;
    uint32_t *heap; ///< streams[], the one with the earliest event first
    uint32_t *late; ///< streams whose turn it is not
    uint32_t heap_count, heap_capacity, late_capacity;
    uint32_t next_sample;
    uint64_t tries_left; ///< events that may be looked at before their turn
    int64_t start_ns;
    int64_t start_wall_ns;
    int has_samples;
    int is_last; ///< nothing can be read behind the generation
} reader;

/* The N of "go 1.N trace"; -1: not such a header. */
static int version_of(const uint8_t *bytes, size_t length)
{
    static const char tail[] = " trace\0\0";
    int version = 0;
    size_t at = 5;

    if (length < TM__GO_HEADER_BYTES || memcmp(bytes, "go 1.", 5) != 0)
        return -1;
    for (; at < 8 && bytes[at] >= '0' && bytes[at] <= '9'; at++)
        version = 10 * version + bytes[at] - '0';
    return at > 5 && memcmp(bytes + at, tail, sizeof(tail) - 1) == 0 ? version : -1;
}

static int probe(const uint8_t *bytes, size_t length)
{
    return version_of(bytes, length) >= 0;
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__go_scheduler_free(&self->scheduler);
    tm__go_generation_free(&self->generation);
    tm__free(self->memory, self->heap, self->heap_capacity * sizeof(*self->heap));
    tm__free(self->memory, self->late, self->late_capacity * sizeof(*self->late));
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    reader *self = payload;
    const uint8_t *bytes = NULL;
    size_t available;
    int rc;

    self->memory = memory;
    self->input = input;
    self->position = TM__GO_HEADER_BYTES;
    tm__notes_init(&self->notes, memory);
    tm__go_generation_init(&self->generation, memory);
    rc = tm__go_scheduler_init(&self->scheduler, memory);
    if (rc == TM_OK)
        rc = tm__input_view(input, 0, TM__GO_HEADER_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    self->scheduler.names.keeps_no_stacks = options->flags & TM_SOURCE_NO_STACKS;
    self->version = version_of(bytes, available);
    if (self->version >= TM__GO_OLDEST && self->version <= TM__GO_NEWEST)
        return TM_OK;
    return tm__fail(TM_EVERSION,
                    "%s: an execution trace of Go 1.%d; those of Go 1.%d to 1.%d are "
                    "read",
                    input->path, self->version, TM__GO_OLDEST, TM__GO_NEWEST);
}

static int is_earlier(const reader *self, uint32_t left, uint32_t right)
{
    const tm__go_stream *streams = self->generation.streams;

    return streams[left].time_ns < streams[right].time_ns ||
           (streams[left].time_ns == streams[right].time_ns && left < right);
}

static void push(reader *self, uint32_t stream)
{
    uint32_t at = self->heap_count++;

    for (; at > 0 && is_earlier(self, stream, self->heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        self->heap[at] = self->heap[(at - 1) / 2];
    self->heap[at] = stream;
}

/* The stream goes where its event belongs, from the top. */
static void sink_down(reader *self, uint32_t stream)
{
    uint32_t at = 0, child;

    for (; (child = 2 * at + 1) < self->heap_count; at = child) {
        if (child + 1 < self->heap_count &&
            is_earlier(self, self->heap[child + 1], self->heap[child]))
            child++;
        if (!is_earlier(self, self->heap[child], stream))
            break;
        self->heap[at] = self->heap[child];
    }
    self->heap[at] = stream;
}

static uint32_t pop(reader *self)
{
    uint32_t top = self->heap[0], last = self->heap[--self->heap_count];

    if (self->heap_count)
        sink_down(self, last);
    return top;
}

static int damaged(reader *self, const char *text)
{
    self->is_last = 1;
    self->heap_count = 0;
    self->next_sample = self->generation.sample_count;
    return tm__notes_damage(&self->notes,
                            "generation %llu, of the %llu bytes from byte %llu on, %s: "
                            "what follows is missing",
                            (unsigned long long)self->generation.number,
                            (unsigned long long)self->loaded_bytes,
                            (unsigned long long)(self->position - self->loaded_bytes),
                            text);
}

static int begin_events(reader *self)
{
    uint32_t count = self->generation.stream_count;

    if (tm__reserve(self->memory, &self->heap, &self->heap_capacity, count,
                    sizeof(*self->heap)) < 0 ||
        tm__reserve(self->memory, &self->late, &self->late_capacity, count,
                    sizeof(*self->late)) < 0)
        return tm__failure();
    self->heap_count = 0;
    self->next_sample = 0;
    self->tries_left = (1 << 16) + 16 * self->loaded_bytes;
    for (uint32_t i = 0; i < count; i++) {
        int rc = tm__go_stream_next(&self->generation, &self->generation.streams[i]);

        if (rc == TM_MORE)
            push(self, i);
        else if (rc == TM_EDAMAGED)
            return damaged(self, "has an event that Go does not write");
    }
    return TM_OK;
}

static void note_start(reader *self)
{
    const tm__go_generation *it = &self->generation;

    self->has_samples |= it->sample_count > 0;
    if (self->start_ns)
        return;
    self->start_ns = tm__go_time(it, it->first_ticks);
    if (it->clock_wall_ns && it->clock_ticks >= it->first_ticks)
        self->start_wall_ns = (int64_t)it->clock_wall_ns -
                              tm__go_time(it, it->clock_ticks - it->first_ticks);
}

static int load(reader *self)
{
    tm__go_extent_of extent;
    char damage[120];
    int rc = tm__go_extent(self->input, &self->notes, self->position,
                           self->version >= TM__GO_END_OF_GENERATION_SINCE, &extent);

    if (rc < 0)
        return rc;
    self->is_last = extent.is_last;
    if (extent.length == 0) {
        self->state = CONCLUDING;
        return TM_MORE;
    }
    rc = tm__go_generation_load(&self->generation, extent.bytes, extent.length, damage,
                                sizeof(damage));
    if (rc < 0 && rc != TM_EDAMAGED)
        return rc;
    self->loaded_bytes = extent.length;
    if (rc == TM_OK)
        rc = begin_events(self);
    else
        self->is_last = 1;
    if (*damage && (rc == TM_OK || rc == TM_EDAMAGED) &&
        tm__notes_damage(&self->notes, "%s", damage) < 0)
        rc = tm__failure();
    if (rc < 0 && rc != TM_EDAMAGED)
        return rc;
    self->position += extent.length;
    self->state = rc == TM_OK ? EMITTING : CONCLUDING;
    if (rc == TM_OK)
        note_start(self);
    return TM_MORE;
}

static int emit_run(const reader *self, const tm_sink *sink)
{
    static const uint8_t kinds[] = {
        TM_EVENT_THREAD_START_CALLED,
        TM_EVENT_THREAD_START,
        TM_EVENT_THREAD_END,
        TM_EVENT_SLEEP,
        TM_EVENT_SLEPT,
        TM_EVENT_AWAIT,
        TM_EVENT_AWAITED,
        TM_EVENT_POST,
        TM_EVENT_RUNNABLE,
        TM_EVENT_ON_CPU,
        TM_EVENT_OFF_CPU,
        TM_EVENT_GC_PAUSE,
        TM_EVENT_UNIT_BEGIN,
        TM_EVENT_UNIT_END,
    };
    char vm[32];
    tm_run run = {.size = sizeof(run),
                  .producer = "Go execution tracer",
                  .vm = vm,
                  .start_ns = self->start_ns,
                  .start_wall_ns = self->start_wall_ns,
                  .end_ns = self->state == CONCLUDING ? self->scheduler.last_ns : 0,
                  .policy = TM_POLICY_REPORTED,
                  .processors = self->scheduler.processors};

    /* 1.24 writes what 1.23 did, its number too. */
    snprintf(vm, sizeof(vm), "Go 1.%d%s", self->version,
             self->version == 23 ? " or 1.24" : "");
    for (size_t i = 0; i < sizeof(kinds); i++)
        run.kinds |= UINT64_C(1) << kinds[i];
    if (self->has_samples)
        run.kinds |= UINT64_C(1) << TM_EVENT_CPU_SAMPLE;
    return sink->run(sink->payload, &run);
}

/* Read the first event whose turn it is. @return TM_OK, TM_EDAMAGED: there is none */
static int read_next(reader *self, const tm_sink *sink)
{
    uint32_t late_count = 0;
    int rc = TM_MORE, next;

    while (rc == TM_MORE && self->heap_count > 0) {
        tm__go_stream *stream = &self->generation.streams[self->heap[0]];

        rc = tm__go_scheduler_read(&self->scheduler, &self->generation, stream, sink);
        if (rc == TM_MORE) {
            self->late[late_count++] = pop(self);
            if (self->tries_left-- == 0)
                rc = TM_EDAMAGED;
        } else if (rc == TM_OK) {
            next = tm__go_stream_next(&self->generation, stream);
            if (next == TM_MORE)
                sink_down(self, self->heap[0]);
            else
                pop(self);
            if (next == TM_EDAMAGED)
                rc = next;
        }
    }
    while (late_count > 0)
        push(self, self->late[--late_count]);
    return rc == TM_MORE ? TM_EDAMAGED : rc;
}

static int read_one(reader *self, const tm_sink *sink)
{
    const tm__go_generation *it = &self->generation;
    int rc;

    if (self->next_sample < it->sample_count &&
        (self->heap_count == 0 ||
         it->samples[self->next_sample].time_ns < it->streams[self->heap[0]].time_ns)) {
        rc = tm__go_scheduler_sample(&self->scheduler, it,
                                     &it->samples[self->next_sample], sink);
        if (rc == TM_OK)
            self->next_sample++;
        return rc;
    }
    rc = read_next(self, sink);
    if (rc == TM_EDAMAGED)
        return damaged(self, "has events that contradict one another");
    return rc;
}

static int flush(reader *self, const tm_sink *sink)
{
    int rc = self->scheduler.out_count
                 ? sink->events(sink->payload, self->scheduler.out,
                                self->scheduler.out_count)
                 : TM_OK;

    if (rc >= 0)
        self->scheduler.out_count = 0;
    return rc;
}

static int emit(reader *self, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc == TM_OK && self->scheduler.out_count < TM__GO_OUT_EVENTS &&
           (self->heap_count > 0 || self->next_sample < self->generation.sample_count))
        rc = read_one(self, sink);
    if (rc >= 0)
        rc = flush(self, sink);
    if (rc < 0)
        return rc;
    if (self->heap_count == 0 && self->next_sample >= self->generation.sample_count)
        self->state = self->is_last ? CONCLUDING : LOADING;
    return TM_MORE;
}

static int conclude(reader *self, const tm_sink *sink)
{
    int rc = tm__notes_caveat(&self->notes,
                              "Go's traces name no lock and no channel: what "
                              "goroutines wait for at one place "
                              "is shown as one, and who holds a lock is not known.");

    if (rc >= 0)
        rc = emit_run(self, sink);
    if (rc >= 0)
        self->state = DONE;
    return rc < 0 ? rc : TM_MORE;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_MORE;

    switch (self->state) {
    case LOADING:
        rc = load(self);
        if (rc == TM_MORE && self->state == EMITTING)
            rc = emit_run(self, sink);
        return rc < 0 ? rc : TM_MORE;
    case EMITTING: return emit(self, sink);
    case CONCLUDING: return conclude(self, sink);
    case DONE: break;
    }
    return tm__notes_conclude(&self->notes, sink, self->input->path);
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->position;
}

const tm__format tm__format_go = {
    .name = "go",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};
