/* SPDX-License-Identifier: Apache-2.0 */
/* A trace and rings beside it, as a killed process leaves them. */
#ifndef TEST_RINGS_IMAGE_H
#define TEST_RINGS_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/recorder.h"
#include "support/scarce.h"
#include "trace/coding.h"
#include "trace/ring_layout.h"
#include "trace/ring_record.h"

enum { RING_BYTES = TM__RING_BYTES_MIN, RINGS = 2, METHOD = 7000 };
enum { FILE_BYTES = TM__RING_PAGE_BYTES + RINGS * (TM__RING_PAGE_BYTES + RING_BYTES) };
static const uint64_t RUN_ID = UINT64_C(0x1122334455667788);

static char folder[] = "/tmp/threadmodel-leftover-XXXXXX";
static char trace_path[64], rings_path[80];
static unsigned char image[FILE_BYTES] __attribute__((aligned(4096)));

/* Events and names that were read. */
static struct {
    tm_event events[4000];
    size_t event_count;
    tm_frame frame;
    uint32_t stack;
    char class_name[64], method_name[64], method_signature[64], caveat[512];
    tm_method method;
    tm_line lines[2];
    int lost;
} got;

static inline int register_run(void *payload, const tm_run *run)
{
    (void)payload;
    (void)run;
    return TM_OK;
}

static inline int register_caveat(void *payload, const char *sentence)
{
    (void)payload;
    snprintf(got.caveat, sizeof(got.caveat), "%s", sentence);
    return TM_OK;
}

static inline int register_class(void *payload, const tm_class *definition)
{
    (void)payload;
    snprintf(got.class_name, sizeof(got.class_name), "%s", definition->name);
    return TM_OK;
}

static inline int register_method(void *payload, const tm_method *definition)
{
    (void)payload;
    got.method = *definition;
    snprintf(got.method_name, sizeof(got.method_name), "%s", definition->name);
    snprintf(got.method_signature, sizeof(got.method_signature), "%s",
             definition->signature);
    assert_int_equal(definition->line_count, 2);
    memcpy(got.lines, definition->lines, sizeof(got.lines));
    return TM_OK;
}

static inline int register_stack(void *payload, const tm_stack *definition)
{
    (void)payload;
    assert_int_equal(definition->frame_count, 1);
    got.stack = definition->id;
    got.frame = definition->frames[0];
    return TM_OK;
}

static inline int register_thread(void *payload, const tm_thread *definition)
{
    (void)payload;
    (void)definition;
    return TM_OK;
}

static inline int register_object(void *payload, const tm_object *definition)
{
    (void)payload;
    (void)definition;
    return TM_OK;
}

static inline int ingest_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind == TM_EVENT_LOST) {
            got.lost += (int)events[i].value;
            continue;
        }
        assert_in_range(got.event_count, 0, 3999);
        got.events[got.event_count++] = events[i];
    }
    return TM_OK;
}

static const tm_sink sink = {
    sizeof(tm_sink), NULL,           register_run,    register_caveat, register_class,
    register_method, register_stack, register_thread, register_object, ingest_events};

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static struct {
    char bytes[4096];
    size_t count;
} trace;

static inline int keep_bytes(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    assert_in_range(count, 0, sizeof(trace.bytes) - trace.count);
    memcpy(trace.bytes + trace.count, bytes, count);
    trace.count += count;
    return TM_OK;
}

/* A trace of a run with some events, whose end is missing. */
static inline void make_trace(uint64_t run_id, size_t event_count)
{
    tm_run run = {.size = sizeof(run), .pid = 1, .id = run_id};
    tm_writer_options options = {.size = sizeof(options), .write = keep_bytes};
    tm_writer *writer;
    const tm_sink *to;
    size_t whole;

    trace.count = 0;
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    to = tm_writer_sink(writer);
    assert_int_equal(to->run(to->payload, &run), TM_OK);
    for (size_t i = 0; i < event_count; i++) {
        tm_event event = {.time_ns = (int64_t)i + 1,
                          .thread = 1,
                          .object = 1,
                          .value = (int64_t)i,
                          .kind = TM_EVENT_WAIT};

        assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    }
    assert_int_equal(tm_writer_flush(writer), TM_OK);
    whole = trace.count;
    tm_writer_close(writer);
    write_file(trace_path, trace.bytes, whole);
}

static inline tm__rings_header *header(void)
{
    return (tm__rings_header *)image;
}

static inline tm__ring *ring(int number)
{
    return (tm__ring *)(image + TM__RING_PAGE_BYTES +
                        (size_t)number * (TM__RING_PAGE_BYTES + RING_BYTES));
}

static inline void make_rings(void)
{
    memset(image, 0, sizeof(image));
    tm__rings_header_init(header(), RUN_ID);
    for (int i = 0; i < RINGS; i++)
        tm__ring_init(ring(i), RING_BYTES,
                      (uint64_t)((unsigned char *)ring(i) - image));
}

static inline tm__record *place(int number, uint64_t position)
{
    return (tm__record *)((unsigned char *)ring(number) + TM__RING_PAGE_BYTES +
                          (position & (RING_BYTES - 1)));
}

static inline void commit(int number, tm__record *record, size_t extra)
{
    uint64_t head = atomic_load(&ring(number)->head);

    record->bytes = (uint16_t)tm__record_bytes(extra);
    record->check = tm__record_check(record, record->bytes, head);
    atomic_store(&ring(number)->head, head + record->bytes);
}

/* An event of thread number + 1, with its number as the value, and a frame. */
static inline void put_event(int number, int64_t time_ns, int64_t value)
{
    tm__record *record = place(number, atomic_load(&ring(number)->head));
    tm__record_frame frame = {METHOD, 3};

    *record = (tm__record){.kind = TM_EVENT_WAIT, .event.frame_count = 1};
    record->event.fact = (tm_event){.time_ns = time_ns,
                                    .thread = (uint64_t)number + 1,
                                    .object = 1,
                                    .value = value,
                                    .kind = TM_EVENT_WAIT};
    memcpy(record + 1, &frame, sizeof(frame));
    commit(number, record, sizeof(frame));
}

static inline void put_class(int number, const char *signature)
{
    tm__record *record = place(number, atomic_load(&ring(number)->head));

    *record =
        (tm__record){.kind = TM__RECORD_CLASS,
                     .class = {.name_bytes = (uint16_t)strlen(signature), .id = 5}};
    memcpy(record + 1, signature, strlen(signature));
    commit(number, record, strlen(signature));
}

/* Two texts of seven bytes, so that the lines begin a byte behind them. */
static inline void put_method(int number)
{
    static const char TEXT[] = "run(I)V";
    static const tm__record_line LINES[] = {{0, 10}, {65535, 65534}};
    tm__record *record = place(number, atomic_load(&ring(number)->head));

    *record = (tm__record){.kind = TM__RECORD_METHOD,
                           .method = {.name_bytes = 3,
                                      .signature_bytes = 4,
                                      .id = METHOD,
                                      .class_id = 5,
                                      .line_count = 2}};
    memcpy(record + 1, TEXT, sizeof(TEXT));
    memcpy((char *)(record + 1) + sizeof(TEXT), LINES, sizeof(LINES));
    commit(number, record, sizeof(TEXT) + sizeof(LINES));
}

/* The trace has no end. Where its rings had all that is missing, it is not damaged. */
static inline int expected(const char *caveat)
{
    return strstr(caveat, "nothing is missing") ? TM_OK : TM_EDAMAGED;
}

static inline int read_all(void)
{
    tm_source *source;
    int rc;

    memset(&got, 0, sizeof(got));
    assert_int_equal(tm_source_open(&source, trace_path, NULL), TM_OK);
    do
        rc = tm_source_read(source, &sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    assert_int_equal(rc, expected(got.caveat));
    return rc;
}

static inline void read_image(void)
{
    write_file(rings_path, image, sizeof(image));
    read_all();
}

static inline void assert_values(size_t count, const int64_t *values)
{
    assert_int_equal(got.event_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got.events[i].value, values[i]);
}

static inline int open_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(trace_path, sizeof(trace_path), "%s/run.tmt", folder);
    snprintf(rings_path, sizeof(rings_path), "%s" TM__RINGS_SUFFIX, trace_path);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(trace_path);
    unlink(rings_path);
    return rmdir(folder);
}

#endif
