/* SPDX-License-Identifier: Apache-2.0 */
/* Events to be written as a log. */
#ifndef TEST_WRITTEN_LOG_H
#define TEST_WRITTEN_LOG_H

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

#include <unistd.h>

#include <threadmodel/source.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char folder[] = "/tmp/threadmodel-log.writers-XXXXXX";
static char path[80];

/* The name of a file in the folder, which has a dot in its own. */
static const char *at(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static inline void assert_file(const char *name, const char *expected)
{
    char text[8192];
    FILE *file = fopen(at(name), "rb");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

/* Read a file: the number of its events, and the code that reading ends with. */
static inline uint64_t events_of(const char *name, int code)
{
    tm_source *source;
    recorder all;
    int rc;

    recorder_init(&all);
    all.counts_only = 1;
    assert_int_equal(tm_source_open(&source, at(name), NULL), TM_OK);
    while ((rc = tm_source_read(source, &all.sink)) == TM_MORE)
        ;
    tm_source_close(source);
    if (rc != code)
        fail_msg("%s: %s", tm_error_name(rc), tm_error_text());
    recorder_free(&all);
    return all.events;
}

static const tm_line lines[] = {{0, 10, 0}, {9, 12, 0}};
static const tm_frame frames[] = {{.method = 7, .location = 9},
                                  {.method = 8, .location = -1}};

static inline int define_all(const tm_sink *to)
{
    static const tm_class classes[] = {
        {sizeof(tm_class), 1, "app.Lock", "Lock.java", 0, NULL},
        {sizeof(tm_class), 2, "app.Line\nFeed", "a\rb", 0, NULL},
        {sizeof(tm_class), 3, NULL, "Nameless.java", 0, NULL},
        {sizeof(tm_class), 4, "int[][]", NULL, 0, NULL},
    };
    static const tm_method methods[] = {
        {sizeof(tm_method), 7, 1, "run", "()V", lines, 2, 0, NULL, 0},
        {sizeof(tm_method), 8, 1, "go", NULL, NULL, 3, 0, NULL, 0},
        {sizeof(tm_method), 9, 99, "of no class", "()V", NULL, 0, 0, NULL, 0},
        {sizeof(tm_method), 10, 1, NULL, "()V", NULL, 0, 0, NULL, 0},
    };
    static const tm_stack stacks[] = {
        {sizeof(tm_stack), 1, 0, frames, 2},
        {sizeof(tm_stack), 1, 0, frames, 1},
        {sizeof(tm_stack), 2, 0, NULL, 5},
    };
    /* Two of one hash, and one with a hash that no map can hold. */
    static const tm_object objects[] = {
        {sizeof(tm_object), 11, 1, 0, 0xABC, TM_OBJECT_HAS_HASH, NULL, 0},
        {sizeof(tm_object), 12, 1, 0, 0xABC, TM_OBJECT_HAS_HASH, NULL, 0},
        {sizeof(tm_object), 13, 0, 0, UINT32_MAX, TM_OBJECT_HAS_HASH, NULL, 0},
    };
    static const tm_thread threads[] = {
        {.size = sizeof(tm_thread), .id = 1, .object = 11, .name = "main"},
        {.size = sizeof(tm_thread), .id = 2, .name = "two\nlines", .group = "g"},
        {.size = sizeof(tm_thread), .id = 1, .object = 12, .name = "later"},
    };
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < COUNT(classes); i++)
        rc = to->define_class(to->payload, &classes[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(methods); i++)
        rc = to->define_method(to->payload, &methods[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(stacks); i++)
        rc = to->define_stack(to->payload, &stacks[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(objects); i++)
        rc = to->define_object(to->payload, &objects[i]);
    for (size_t i = 0; rc == TM_OK && i < COUNT(threads); i++)
        rc = to->define_thread(to->payload, &threads[i]);
    return rc;
}

#define SECONDS(n) .time_ns = (n)*INT64_C(1000000000)

/* An event of each kind, and behind them what neither log can hold. */
static const tm_event events[] = {
    {SECONDS(1), .thread = 1, .kind = TM_EVENT_THREAD_START},
    {SECONDS(2), .thread = 1, .peer = 2, .kind = TM_EVENT_THREAD_START_CALLED},
    {SECONDS(3), .thread = 2, .kind = TM_EVENT_THREAD_START},
    {SECONDS(4), .thread = 4, .kind = TM_EVENT_THREAD_START},
    {SECONDS(5), .thread = 2, .object = 12, .peer = 1, .stack = 1,
     .kind = TM_EVENT_CONTENDED_ENTER},
    {SECONDS(6), .thread = 2, .object = 12, .kind = TM_EVENT_CONTENDED_ENTERED},
    {SECONDS(7), .thread = 2, .object = 13, .kind = TM_EVENT_CONTENDED_ENTER},
    {SECONDS(8), .thread = 2, .object = 13, .stack = 2,
     .kind = TM_EVENT_CONTENDED_ENTERED},
    {SECONDS(9), .thread = 2, .object = 13, .value = 1500001, .stack = 99,
     .kind = TM_EVENT_WAIT},
    {SECONDS(10), .thread = 1, .object = 13, .kind = TM_EVENT_NOTIFY},
    {SECONDS(11), .thread = 1, .object = 13, .kind = TM_EVENT_NOTIFY_ALL},
    {SECONDS(12), .thread = 2, .object = 13, .kind = TM_EVENT_WAITED,
     .flags = TM_EVENT_TIMED_OUT},
    {SECONDS(13), .thread = 2, .kind = TM_EVENT_SLEEP},
    {SECONDS(14), .thread = 2, .kind = TM_EVENT_SLEPT},
    {SECONDS(15), .thread = 2, .peer = 1, .kind = TM_EVENT_JOIN},
    {SECONDS(16), .thread = 2, .peer = 1, .kind = TM_EVENT_JOINED},
    {SECONDS(17), .thread = 2, .kind = TM_EVENT_THREAD_END},
    {SECONDS(18), .thread = 1, .kind = TM_EVENT_PARK},
    {SECONDS(18), .thread = 1, .kind = UINT16_MAX},
    {SECONDS(18), .kind = TM_EVENT_THREAD_END},
    {SECONDS(18), .thread = 1, .object = 13, .kind = TM_EVENT_WAIT,
     .flags = TM_EVENT_NOT_OWNED},
};

enum { LEFT_OUT = 4 };

static inline void feed(tm_writer *writer)
{
    const tm_sink *to = tm_writer_sink(writer);

    assert_int_equal(define_all(to), TM_OK);
    assert_int_equal(to->events(to->payload, events, COUNT(events)), TM_OK);
}

enum { STRANGERS = 40 };

/* Threads and monitors that nobody defined, so that what is kept of them grows in the
 * middle of events. */
static inline int define_strangers(void)
{
    int rc = TM_OK;

    for (uint64_t i = 0; rc == TM_OK && i < STRANGERS; i++) {
        tm_event event = {SECONDS(20), .thread = 100 + i, .object = 200 + i,
                          .peer = 300 + i, .kind = TM_EVENT_CONTENDED_ENTER};

        rc = patient_event(NULL, &event, 1);
        event.kind = TM_EVENT_THREAD_START_CALLED;
        if (rc == TM_OK)
            rc = patient_event(NULL, &event, 1);
    }
    return rc;
}

/* Write with each allocation failing once: what is written is whole. */
static inline void assert_whole_where_memory_fails(int format, const char *name)
{
    size_t calls = 0, failed;

    do {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls++);
        tm_writer_options options = {
            .size = sizeof(options), .allocator = &hook, .format = format};
        tm_writer *writer;
        int rc;

        scarce.fails_once = 1;
        rc = tm_writer_open(&writer, at(name), &options);
        if (rc == TM_OK) {
            const tm_sink patient = patient_sink(1);

            patient_next = tm_writer_sink(writer);
            assert_int_equal(define_all(&patient), TM_OK);
            assert_int_equal(patient_event(NULL, events, COUNT(events)), TM_OK);
            assert_int_equal(define_strangers(), TM_OK);
            assert_int_equal(tm_writer_close(writer), TM_OK);
            assert_int_equal(events_of(name, TM_OK),
                             COUNT(events) - LEFT_OUT + 2 * STRANGERS);
        } else {
            assert_int_equal(rc, TM_ENOMEM);
            assert_null(writer);
        }
        assert_int_equal(scarce.live_blocks, 0);
        failed = (size_t)scarce.has_failed;
    } while (failed);
    assert_true(calls > 10);
}

static inline int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

#endif
