/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large traces are, and how fast they are written and read. The stream is mixed:
 * 64 threads in rounds of contention, wait and notify, park and unpark on 10,000
 * objects, the busy ones more often, stacks out of 2,000, times some microseconds
 * apart with noise. Prints one row a case for tests/bench/profiles.md.
 *
 *     bench_trace [events]
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/error.h>
#include <threadmodel/writer.h>

#include "../unit/support/recorder.h"
#include "formats/source.h"
#include "trace/trace_frame.h"

typedef struct memory_file {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    uint64_t raw_bytes;
    uint64_t blocks;
} memory_file;

static int memory_write(void *payload, const char *bytes, size_t count)
{
    memory_file *file = payload;
    tm__block_header header;

    if (count >= TM__BLOCK_HEADER_BYTES &&
        tm__block_header_get(&header, (const uint8_t *)bytes)) {
        file->raw_bytes += header.raw_bytes;
        file->blocks++;
    }
    if (file->length + count > file->capacity) {
        file->capacity = 2 * (file->capacity + count);
        file->bytes = realloc(file->bytes, file->capacity);
        if (!file->bytes)
            abort();
    }
    memcpy(file->bytes + file->length, bytes, count);
    file->length += count;
    return TM_OK;
}

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Ids as a producer may give them: counters, or 64 bits of a hash. */
static uint64_t object_id(uint64_t number, int hashed)
{
    return hashed ? (number + 1) * UINT64_C(0x9e3779b97f4a7c15) : number + 1;
}

static tm_event *make_events(size_t count, int hashed)
{
    static const uint16_t pairs[][2] = {
        {TM_EVENT_CONTENDED_ENTER, TM_EVENT_CONTENDED_ENTERED},
        {TM_EVENT_WAIT, TM_EVENT_WAITED},
        {TM_EVENT_PARK, TM_EVENT_UNPARKED},
        {TM_EVENT_NOTIFY, TM_EVENT_UNPARK_CALLED}};
    struct {
        uint64_t object;
        unsigned pair, half;
    } threads[64] = {{0}};
    tm_event *events = malloc(count * sizeof(*events));
    uint64_t seed = 42;
    int64_t time_ns = INT64_C(5000000000000);

    if (!events)
        abort();
    for (size_t i = 0; i < count; i++) {
        uint64_t random = random_next(&seed);
        unsigned thread = (unsigned)(random % 64);
        unsigned half = threads[thread].half;
        uint16_t kind;

        if (half == 0) {
            uint64_t object = random >> 16 & 0xffff;

            /* Half of all on some twenty objects. */
            object = random >> 62 < 2 ? object % 20 : object * object % 10000;
            threads[thread].object = object;
            threads[thread].pair = (unsigned)(random >> 40 & 3);
        }
        kind = pairs[threads[thread].pair][half];
        time_ns += 200 + (int64_t)(random >> 50);
        events[i] = (tm_event){
            .time_ns = time_ns,
            .thread = 20 + thread,
            .object = object_id(threads[thread].object, hashed),
            .kind = kind,
            .stack = half == 0 ? 1 + (uint32_t)(threads[thread].object * 7 % 2000) : 0,
            .value = kind == TM_EVENT_WAIT && random >> 59 == 0 ? 1000000000 : 0,
            .flags = kind == TM_EVENT_WAITED && random >> 58 == 0 ? 1 : 0};
        if (kind == TM_EVENT_UNPARK_CALLED) {
            events[i].object = 0;
            events[i].peer = 20 + (random >> 8 & 63);
        }
        threads[thread].half = !half;
    }
    return events;
}

static void define(const tm_sink *sink)
{
    tm_frame frames[12];
    char name[64];

    for (uint64_t i = 1; i <= 2000; i++) {
        tm_method method = {.size = sizeof(method),
                            .id = 0x7f0000001000 + i * 48,
                            .class_id = 1 + i / 10,
                            .name = name,
                            .signature = "()V"};
        tm_stack stack = {.size = sizeof(stack),
                          .id = (uint32_t)i,
                          .frames = frames,
                          .frame_count = 12};

        snprintf(name, sizeof(name), "method%" PRIu64, i);
        sink->define_method(sink->payload, &method);
        for (uint64_t f = 0; f < 12; f++)
            frames[f] = (tm_frame){0x7f0000001000 + (i * (f + 1) % 2000 + 1) * 48,
                                   (int64_t)(f * 7), 0, 0};
        sink->define_stack(sink->payload, &stack);
    }
}

static void run(const char *name, size_t count, int hashed, uint32_t block_events,
                int level)
{
    tm_event *events = make_events(count, hashed);
    memory_file file = {0};
    tm_writer_options options = {.size = sizeof(options),
                                 .write = memory_write,
                                 .payload = &file,
                                 .level = level,
                                 .block_events = block_events};
    tm_writer *writer;
    tm_source *source;
    recorder counter;
    double write_s, read_s;
    uint64_t raw_bytes, blocks;
    size_t length;
    int rc;

    if (tm_writer_open(&writer, NULL, &options) < 0)
        abort();
    define(tm_writer_sink(writer));
    tm_writer_flush(writer);
    raw_bytes = file.raw_bytes;
    length = file.length;
    blocks = file.blocks;
    write_s = now_seconds();
    for (size_t i = 0; i < count; i += 4096)
        tm_writer_sink(writer)->events(tm_writer_sink(writer)->payload, events + i,
                                       count - i < 4096 ? count - i : 4096);
    tm_writer_flush(writer);
    write_s = now_seconds() - write_s;
    raw_bytes = file.raw_bytes - raw_bytes;
    length = file.length - length;
    blocks = file.blocks - blocks;
    if (tm_writer_close(writer) < 0)
        abort();

    recorder_init(&counter);
    counter.counts_only = 1;
    read_s = now_seconds();
    if (tm__source_open_memory(&source, "bench", file.bytes, file.length, NULL) < 0)
        abort();
    while ((rc = tm_source_read(source, &counter.sink)) == TM_MORE)
        ;
    read_s = now_seconds() - read_s;
    if (rc != TM_OK || counter.events != count)
        abort();
    tm_source_close(source);
    printf("| %-34s | %6.0f | %5.2f | %5.2f | %5.1f | %5.1f |\n", name,
           (double)count / (double)blocks, (double)raw_bytes / (double)count,
           (double)length / (double)count, (double)count / write_s / 1e6,
           (double)count / read_s / 1e6);
    free(events);
    free(file.bytes);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;

    puts("| stream | events a block | raw B/event | file B/event | write M/s | "
         "read M/s |");
    puts("|---|---|---|---|---|---|");
    run("counted ids", count, 0, 0, 0);
    run("ids of 64 random bits", count, 1, 0, 0);
    run("counted ids, zstd level 1", count, 0, 0, 1);
    run("counted ids, zstd level 9", count, 0, 0, 9);
    run("counted ids, flushed often", count / 10, 0, 200, 0);
    run("counted ids, flushed very often", count / 10, 0, 20, 0);
    return 0;
}
