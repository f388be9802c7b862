/* SPDX-License-Identifier: Apache-2.0 */
/* Traces in memory: to write, to take apart, to damage and to read. */
#ifndef TM_TESTS_PAPER_H
#define TM_TESTS_PAPER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/error.h>
#include <threadmodel/writer.h>

#include "formats/source.h"
#include "support/recorder.h"
#include "trace/pack.h"
#include "trace/trace_frame.h"

/* A trace in memory, whose n-th write fails. */
struct paper {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    size_t writes;
    size_t fail_at; ///< 1 the first; 0 never
    int failure;
};

static inline int paper_write(void *payload, const char *bytes, size_t count)
{
    struct paper *paper = payload;

    if (++paper->writes == paper->fail_at)
        return paper->failure;
    if (paper->length + count > paper->capacity) {
        paper->capacity = 2 * (paper->capacity + count);
        paper->bytes = realloc(paper->bytes, paper->capacity);
    }
    memcpy(paper->bytes + paper->length, bytes, count);
    paper->length += count;
    return TM_OK;
}

/* Everything of a trace; the code that reading ended with. */
static inline int read_all(recorder *to, const uint8_t *bytes, size_t length)
{
    uint8_t *exact = malloc(length + (length == 0)); /* so that ASan sees its end */
    tm_source *source;
    int rc;

    memcpy(exact, bytes, length);
    rc = tm__source_open_memory(&source, "t.tmt", exact, length, NULL);
    if (rc < 0) {
        free(exact);
        return rc;
    }
    while ((rc = tm_source_read(source, &to->sink)) == TM_MORE)
        assert_true(tm_source_position_bytes(source) <= length + 40);
    tm_source_close(source);
    free(exact);
    return rc;
}

static inline const char *after_first_line(const recorder *read)
{
    return strchr(read->text, '\n') + 1;
}

static inline void assert_same_text(const char *actual, const char *expected)
{
    size_t i = 0;

    if (strcmp(actual, expected) == 0)
        return;
    while (actual[i] && actual[i] == expected[i])
        i++;
    while (i > 0 && actual[i - 1] != '\n')
        i--;
    fail_msg("at %zu: got '%.200s', expected '%.200s'", i, actual + i, expected + i);
}

static inline tm_writer *new_writer(struct paper *paper, uint32_t block_events)
{
    tm_writer_options options = {.size = sizeof(options),
                                 .write = paper_write,
                                 .payload = paper,
                                 .block_events = block_events};
    tm_writer *writer;

    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    return writer;
}

/* The trace that a seed makes; its bytes are the caller's to free. */
static inline struct paper small_trace(uint64_t seed, size_t count,
                                       uint32_t block_events)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, block_events);

    assert_int_equal(emit_random(tm_writer_sink(writer), seed, count), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    return paper;
}

/* Where the blocks are. */
struct map {
    tm__block_header headers[64];
    size_t offsets[64];
    size_t count;
    uint64_t events;
};

static inline struct map map_of(const struct paper *paper)
{
    struct map map = {.count = 0};
    size_t at = TM__FILE_HEADER_BYTES;

    while (at + TM__TRAILER_BYTES < paper->length) {
        tm__block_header *header = &map.headers[map.count];

        assert_true(tm__block_header_get(header, paper->bytes + at));
        assert_int_equal(header->events_before, map.events);
        map.offsets[map.count++] = at;
        map.events += header->events;
        at += TM__BLOCK_HEADER_BYTES + header->packed_bytes;
    }
    assert_int_equal(at + TM__TRAILER_BYTES, paper->length);
    return map;
}

/* A trace with plain events only, so that Lost events are the reader's. */
static inline struct paper plain_trace(size_t count, uint32_t block_events)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, block_events);
    const tm_sink *sink = tm_writer_sink(writer);
    uint64_t seed = 5;

    for (size_t i = 0; i < count; i++) {
        tm_event event = {.time_ns = (int64_t)i * 1000000,
                          .thread = 1 + i % 3,
                          .object = random_next(&seed) >> 60,
                          .kind = (uint16_t)(1 + i % 20)};

        tm_class item = {.size = sizeof(item), .id = i, .name = "some.Class"};

        if (i % 10 == 0)
            assert_int_equal(sink->define_class(sink->payload, &item), TM_OK);
        assert_int_equal(sink->events(sink->payload, &event, 1), TM_OK);
    }
    assert_int_equal(tm_writer_close(writer), TM_OK);
    return paper;
}

/* Append a block of any content. */
static inline void put_block(struct paper *paper, tm__block_header header,
                             const void *raw, size_t length)
{
    tm__memory memory;
    tm__packer packer = {&memory, NULL};
    tm__bytes bytes = {.memory = &memory}, out = {.memory = &memory};

    tm__memory_init(&memory, NULL);
    assert_int_equal(tm__bytes_append(&bytes, raw, length), TM_OK);
    assert_int_equal(tm__bytes_reserve(&out, 40), TM_OK);
    out.length = 40;
    assert_int_equal(tm__pack(&packer, &out, &bytes, 0), TM_OK);
    if (header.raw_bytes == 0)
        header.raw_bytes = (uint32_t)length;
    if (header.packed_bytes == 0)
        header.packed_bytes = (uint32_t)out.length - 40;
    tm__block_header_put(out.data, &header);
    paper_write(paper, (const char *)out.data, out.length);
    tm__bytes_free(&bytes);
    tm__bytes_free(&out);
    tm__packer_free(&packer);
    assert_int_equal(memory.used_bytes, 0);
}

static inline void put_file_header(struct paper *paper, unsigned major, unsigned minor)
{
    uint8_t header[TM__FILE_HEADER_BYTES];

    tm__file_header_put(header);
    tm__encode_fixed(header + 8, major, 2);
    tm__encode_fixed(header + 10, minor, 2);
    tm__encode_fixed(header + 12, tm__crc32(header, 12), 4);
    paper_write(paper, (const char *)header, sizeof(header));
}

static inline void put_end(struct paper *paper, uint32_t events)
{
    uint8_t trailer[TM__TRAILER_BYTES];

    tm__trailer_put(trailer, paper->length);
    put_block(paper, (tm__block_header){.type = 3, .events_before = events}, "\0\0\0",
              4);
    paper_write(paper, (const char *)trailer, sizeof(trailer));
}

#endif
