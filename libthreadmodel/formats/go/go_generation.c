/* SPDX-License-Identifier: Apache-2.0 */
/* The batches of a generation, sorted by what is in them. */
#include "formats/go/go_generation.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* Numbers of an event of a thread; experimental ones, from 127 on, have three or four,
 * but stand in batches of their own or are behind what we read. */
static const uint8_t arguments[] = {
    [TM__GO_PROCS_CHANGE] = 3,
    [TM__GO_PROC_START] = 3,
    [TM__GO_PROC_STOP] = 1,
    [TM__GO_PROC_STEAL] = 4,
    [TM__GO_PROC_STATUS] = 3,
    [TM__GO_CREATE] = 4,
    [TM__GO_CREATE_SYSCALL] = 2,
    [TM__GO_START] = 3,
    [TM__GO_DESTROY] = 1,
    [TM__GO_DESTROY_SYSCALL] = 1,
    [TM__GO_STOP] = 3,
    [TM__GO_BLOCK] = 3,
    [TM__GO_UNBLOCK] = 4,
    [TM__GO_SYSCALL_BEGIN] = 3,
    [TM__GO_SYSCALL_END] = 1,
    [TM__GO_SYSCALL_END_BLOCKED] = 1,
    [TM__GO_STATUS] = 4,
    [TM__GO_STW_BEGIN] = 3,
    [TM__GO_STW_END] = 1,
    [28] = 2, /* collections, sweeps, assists, sizes of the heap */
    [29] = 3,
    [30] = 2,
    [31] = 2,
    [32] = 2,
    [33] = 3,
    [34] = 2,
    [35] = 2,
    [36] = 1,
    [37] = 2,
    [38] = 2,
    [39] = 2, /* labels */
    [TM__GO_TASK_BEGIN] = 5,
    [TM__GO_TASK_END] = 3,
    [TM__GO_REGION_BEGIN] = 4,
    [TM__GO_REGION_END] = 4,
    [44] = 5, /* logs */
    [TM__GO_SWITCH] = 3,
    [TM__GO_SWITCH_DESTROY] = 3,
    [TM__GO_CREATE_BLOCKED] = 4,
    [TM__GO_STATUS_STACK] = 5,
};

int tm__go_arguments(int type)
{
    static const uint8_t experimental[] = {4, 4, 2, 3, 3, 2, 3, 3, 2};

    if (type >= 0 && type < (int)sizeof(arguments))
        return arguments[type];
    return type >= 128 && type - 128 < (int)sizeof(experimental)
               ? experimental[type - 128]
               : 0;
}

void tm__go_generation_init(tm__go_generation *generation, tm__memory *memory)
{
    *generation = (tm__go_generation){.memory = memory};
    tm__map_init(&generation->stream_map, memory);
    tm__map_init(&generation->string_map, memory);
    tm__map_init(&generation->stack_map, memory);
}

int tm__go_head_read(tm__cursor *cursor, tm__go_head *head)
{
    *head = (tm__go_head){.type = (uint8_t)tm__go_byte(cursor)};
    if (cursor->bad || head->type == TM__GO_END_OF_GENERATION)
        return !cursor->bad;
    if (head->type == TM__GO_EXPERIMENTAL_BATCH)
        tm__go_byte(cursor);
    else if (head->type != TM__GO_EVENT_BATCH)
        return 0;
    head->generation = tm__get_varint(cursor);
    head->thread = tm__get_varint(cursor);
    head->time = tm__get_varint(cursor);
    head->length = tm__get_varint(cursor);
    return !cursor->bad && head->length <= TM__GO_BATCH_BYTES && head->generation != 0;
}

int64_t tm__go_time(const tm__go_generation *generation, uint64_t ticks)
{
    uint64_t rate = generation->ticks_per_second;
    uint64_t seconds = ticks / rate;

    if (seconds > INT64_MAX / 2000000000)
        return INT64_MAX;
    return (int64_t)(seconds * 1000000000 + ticks % rate * 1000000000 / rate);
}

static int read_strings(tm__go_generation *self, tm__cursor data)
{
    while (data.at < data.end) {
        int type = tm__go_byte(&data);
        uint64_t number = tm__get_varint(&data), length = tm__get_varint(&data);

        if (data.bad || type != TM__GO_STRING || length > TM__GO_STRING_BYTES ||
            length > (size_t)(data.end - data.at))
            return TM_EDAMAGED;
        if (tm__reserve(self->memory, &self->strings, &self->string_capacity,
                        (size_t)self->string_count + 1, sizeof(*self->strings)) < 0)
            return tm__failure();
        if (tm__map_find(&self->string_map, number) == TM__NONE &&
            tm__map_put(&self->string_map, number, self->string_count) < 0)
            return tm__failure();
        self->strings[self->string_count++] =
            (tm__go_text){(const char *)data.at, (uint32_t)length};
        data.at += length;
    }
    return TM_OK;
}

static int read_stacks(tm__go_generation *self, tm__cursor data)
{
    while (data.at < data.end) {
        int type = tm__go_byte(&data);
        uint64_t number = tm__get_varint(&data), count = tm__get_varint(&data);
        tm__cursor frames = data;

        if (data.bad || type != TM__GO_STACK || count > TM__GO_STACK_FRAMES)
            return TM_EDAMAGED;
        for (uint64_t i = 0; i < 4 * count; i++)
            tm__get_varint(&data);
        if (data.bad)
            return TM_EDAMAGED;
        frames.end = data.at;
        if (tm__reserve(self->memory, &self->stacks, &self->stack_capacity,
                        (size_t)self->stack_count + 1, sizeof(*self->stacks)) < 0)
            return tm__failure();
        if (tm__map_find(&self->stack_map, number) == TM__NONE &&
            tm__map_put(&self->stack_map, number, self->stack_count) < 0)
            return tm__failure();
        self->stacks[self->stack_count++] = (tm__go_stack){
            .frames = frames, .frame_count = (uint32_t)count, .object = TM__NONE};
    }
    return TM_OK;
}

/* Their times are ticks until the rate is known. */
static int read_samples(tm__go_generation *self, tm__cursor data)
{
    while (data.at < data.end) {
        int type = tm__go_byte(&data);
        uint64_t ticks = tm__get_varint(&data);
        tm__go_sample sample = {.time_ns = (int64_t)(ticks & INT64_MAX),
                                .number = self->sample_count};

        tm__get_varint(&data); /* the thread, */
        tm__get_varint(&data); /* the P: of both the goroutine is known */
        sample.goroutine = tm__get_varint(&data);
        sample.stack = tm__get_varint(&data);
        if (data.bad || type != TM__GO_CPU_SAMPLE)
            return TM_EDAMAGED;
        if (tm__reserve(self->memory, &self->samples, &self->sample_capacity,
                        (size_t)self->sample_count + 1, sizeof(*self->samples)) < 0)
            return tm__failure();
        self->samples[self->sample_count++] = sample;
    }
    return TM_OK;
}

static int read_clocks(tm__go_generation *self, tm__cursor data, uint64_t ticks)
{
    while (data.at < data.end) {
        switch (tm__go_byte(&data)) {
        case TM__GO_FREQUENCY: self->ticks_per_second = tm__get_varint(&data); break;
        case TM__GO_CLOCK_SNAPSHOT: {
            uint64_t seconds, rest;

            self->clock_ticks = ticks + tm__get_varint(&data);
            tm__get_varint(&data); /* of the monotonic clock */
            seconds = tm__get_varint(&data);
            rest = tm__get_varint(&data);
            if (seconds < INT64_MAX / 1000000000 && rest < 1000000000)
                self->clock_wall_ns = seconds * 1000000000 + rest;
            break;
        }
        default: return TM_EDAMAGED;
        }
        if (data.bad)
            return TM_EDAMAGED;
    }
    return TM_OK;
}

static int add_batch(tm__go_generation *self, tm__cursor data, const tm__go_head *head)
{
    uint32_t index = tm__map_find(&self->stream_map, head->thread);
    uint32_t number = self->batch_count;

    if (tm__reserve(self->memory, &self->batches, &self->batch_capacity,
                    (size_t)number + 1, sizeof(*self->batches)) < 0)
        return tm__failure();
    if (index == TM__NONE) {
        index = self->stream_count;
        if (tm__reserve(self->memory, &self->streams, &self->stream_capacity,
                        (size_t)index + 1, sizeof(*self->streams)) < 0 ||
            tm__map_put(&self->stream_map, head->thread, index) < 0)
            return tm__failure();
        self->streams[self->stream_count++] =
            (tm__go_stream){.thread = head->thread, .first = number, .last = number};
    } else {
        self->batches[self->streams[index].last].next = number;
        self->streams[index].last = number;
    }
    self->batches[self->batch_count++] =
        (tm__go_batch){.time = head->time,
                       .bytes = data.at,
                       .length = (uint32_t)(data.end - data.at),
                       .next = TM__NONE};
    return TM_OK;
}

static int read_batch(tm__go_generation *self, tm__cursor data, const tm__go_head *head)
{
    tm__cursor inner = data;

    if (head->type == TM__GO_EXPERIMENTAL_BATCH || data.at == data.end)
        return TM_OK;
    if (self->first_ticks == 0 || head->time < self->first_ticks)
        self->first_ticks = head->time;
    switch (tm__go_byte(&inner)) {
    case TM__GO_STRINGS: return read_strings(self, inner);
    case TM__GO_STACKS: return read_stacks(self, inner);
    case TM__GO_CPU_SAMPLES: return read_samples(self, inner);
    case TM__GO_FREQUENCY: return read_clocks(self, data, head->time);
    case TM__GO_SYNC: return read_clocks(self, inner, head->time);
    default: return add_batch(self, data, head);
    }
}

static void clear(tm__go_generation *self)
{
    self->batch_count = self->stream_count = self->string_count = 0;
    self->stack_count = self->sample_count = 0;
    self->ticks_per_second = self->clock_ticks = self->clock_wall_ns = 0;
    self->first_ticks = 0;
    tm__map_clear(&self->stream_map);
    tm__map_clear(&self->string_map);
    tm__map_clear(&self->stack_map);
}

static int by_time(const void *left, const void *right)
{
    const tm__go_sample *a = left, *b = right;

    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

int tm__go_generation_load(tm__go_generation *self, const uint8_t *bytes, size_t length,
                           char *damage, size_t damage_bytes)
{
    tm__cursor all = {bytes, bytes + length, 0};
    tm__go_head head;

    *damage = '\0';
    clear(self);
    while (all.at < all.end && tm__go_head_read(&all, &head) &&
           head.length <= (size_t)(all.end - all.at)) {
        tm__cursor data = {all.at, all.at + head.length, 0};
        int rc;

        if (head.type == TM__GO_END_OF_GENERATION)
            break;
        self->number = head.generation;
        rc = read_batch(self, data, &head);
        all.at += head.length;
        if (rc == TM_EDAMAGED && !*damage)
            snprintf(damage, damage_bytes,
                     "a batch of generation %llu is not as Go writes it",
                     (unsigned long long)self->number);
        else if (rc < 0 && rc != TM_EDAMAGED)
            return rc;
    }
    if (self->ticks_per_second == 0 || self->ticks_per_second > 10000000000) {
        snprintf(damage, damage_bytes,
                 "generation %llu states no rate of its clock, so it cannot be read",
                 (unsigned long long)self->number);
        return TM_EDAMAGED;
    }
    for (uint32_t i = 0; i < self->sample_count; i++)
        self->samples[i].time_ns =
            tm__go_time(self, (uint64_t)self->samples[i].time_ns);
    if (self->sample_count)
        qsort(self->samples, self->sample_count, sizeof(*self->samples), by_time);
    for (uint32_t i = 0; i < self->stream_count; i++)
        self->streams[i].batch = TM__NONE;
    return TM_OK;
}

/* The next batch that is not empty. */
static int next_batch(const tm__go_generation *self, tm__go_stream *stream)
{
    while (stream->cursor.at == stream->cursor.end) {
        const tm__go_batch *batch;

        stream->batch =
            stream->cursor.at ? self->batches[stream->batch].next : stream->first;
        if (stream->batch == TM__NONE)
            return TM_OK;
        batch = &self->batches[stream->batch];
        stream->cursor = (tm__cursor){batch->bytes, batch->bytes + batch->length, 0};
        stream->ticks = batch->time;
    }
    return TM_MORE;
}

int tm__go_stream_next(const tm__go_generation *self, tm__go_stream *stream)
{
    int rc = next_batch(self, stream), count;

    if (rc != TM_MORE)
        return rc;
    stream->type = (uint8_t)tm__go_byte(&stream->cursor);
    count = tm__go_arguments(stream->type);
    if (count == 0)
        return TM_EDAMAGED;
    stream->ticks += tm__get_varint(&stream->cursor);
    for (int i = 0; i + 1 < count; i++)
        stream->arguments[i] = tm__get_varint(&stream->cursor);
    stream->time_ns = tm__go_time(self, stream->ticks);
    return stream->cursor.bad || stream->time_ns == INT64_MAX ? TM_EDAMAGED : TM_MORE;
}

tm__go_stack *tm__go_stack_of(const tm__go_generation *self, uint64_t number)
{
    uint32_t index = number ? tm__map_find(&self->stack_map, number) : TM__NONE;

    return index == TM__NONE ? NULL : &self->stacks[index];
}

tm__go_text tm__go_text_of(const tm__go_generation *self, uint64_t number)
{
    uint32_t index = number ? tm__map_find(&self->string_map, number) : TM__NONE;

    return index == TM__NONE ? (tm__go_text){"", 0} : self->strings[index];
}

void tm__go_generation_free(tm__go_generation *self)
{
    tm__memory *memory = self->memory;

    if (!memory)
        return;
    clear(self);
    tm__free(memory, self->batches, self->batch_capacity * sizeof(*self->batches));
    tm__free(memory, self->streams, self->stream_capacity * sizeof(*self->streams));
    tm__free(memory, self->strings, self->string_capacity * sizeof(*self->strings));
    tm__free(memory, self->stacks, self->stack_capacity * sizeof(*self->stacks));
    tm__free(memory, self->samples, self->sample_capacity * sizeof(*self->samples));
}
