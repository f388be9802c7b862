/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder whose sink notes what it gets. */
#ifndef TEST_RECORDED_RUN_H
#define TEST_RECORDED_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "rings/recorder_state.h"
#include "support/slow_machine.h"

enum { AT_A_TIME = 4, LIVES = 5, EVENTS = 10000, THREADS = AT_A_TIME * LIVES };

static char folder[] = "/tmp/threadmodel-recorder-XXXXXX";
static char path[64], rings_path[80];

/* The events of the recording. */
static struct {
    int64_t next_value[THREADS + 1];
    int64_t recorded[THREADS + 1];
    int64_t lost;
    int64_t last_ns;
    tm_event last;
    int in_disorder;
    tm_frame frames[TM_RECORDER_FRAMES];
    size_t frame_count;
    uint32_t stacks, stack_flags;
    char class_name[64], source[64], method_name[64], thread_name[64], group[64];
    char object_name[64], build_id[64];
    uint64_t class_flags, method_flags, pid;
    char caveat[300];
    tm_line line;
    tm_object object;
    tm_run run;
    int fails;
} got;

static inline void copy(char *to, size_t bytes, const char *text)
{
    snprintf(to, bytes, "%s", text ? text : "(none)");
}

static inline int collect_run(void *payload, const tm_run *run)
{
    (void)payload;
    if (run->pid)
        got.run.pid = run->pid;
    if (run->end_ns)
        got.run.end_ns = run->end_ns;
    return TM_OK;
}

static inline int collect_caveat(void *payload, const char *sentence)
{
    (void)payload;
    copy(got.caveat, sizeof(got.caveat), sentence);
    return TM_OK;
}

static inline int collect_class(void *payload, const tm_class *definition)
{
    (void)payload;
    copy(got.class_name, sizeof(got.class_name), definition->name);
    copy(got.source, sizeof(got.source), definition->source);
    got.class_flags = definition->flags;
    copy(got.build_id, sizeof(got.build_id), definition->build_id);
    return TM_OK;
}

static inline int collect_method(void *payload, const tm_method *definition)
{
    (void)payload;
    copy(got.method_name, sizeof(got.method_name), definition->name);
    got.method_flags = definition->flags;
    if (definition->line_count > 0)
        got.line = definition->lines[0];
    return TM_OK;
}

static inline int collect_stack(void *payload, const tm_stack *definition)
{
    (void)payload;
    got.stacks++;
    got.stack_flags = definition->flags;
    got.frame_count = definition->frame_count;
    memcpy(got.frames, definition->frames,
           definition->frame_count * sizeof(*got.frames));
    return TM_OK;
}

static inline int collect_thread(void *payload, const tm_thread *definition)
{
    (void)payload;
    if (definition->id != 1)
        return TM_OK;
    copy(got.thread_name, sizeof(got.thread_name), definition->name);
    copy(got.group, sizeof(got.group), definition->group);
    got.pid = definition->pid;
    return TM_OK;
}

static inline int collect_object(void *payload, const tm_object *definition)
{
    (void)payload;
    got.object = *definition;
    copy(got.object_name, sizeof(got.object_name), definition->name);
    return TM_OK;
}

static inline int collect_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    if (got.fails)
        return got.fails;
    for (size_t i = 0; i < count; i++) {
        const tm_event *event = &events[i];

        got.in_disorder |= event->time_ns < got.last_ns;
        got.last_ns = event->time_ns;
        if (event->kind == TM_EVENT_LOST) {
            got.lost += event->value;
            continue;
        }
        assert_in_range(event->thread, 1, THREADS);
        /* Those of the tests with many threads are numbered. */
        if (event->value > 0) {
            assert_true(event->value >= got.next_value[event->thread]);
            got.next_value[event->thread] = event->value + 1;
        }
        got.recorded[event->thread]++;
        got.last = *event;
    }
    return TM_OK;
}

static const tm_sink sink = {
    sizeof(tm_sink), NULL,          collect_run,    collect_caveat, collect_class,
    collect_method,  collect_stack, collect_thread, collect_object, collect_events};

static inline int begin(void **state)
{
    (void)state;
    memset(&got, 0, sizeof(got));
    unlink(path);
    unlink(rings_path);
    return 0;
}

static inline tm_recorder *open_recorder(const char *to, const tm_sink *given)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder *recorder;

    options.path = to;
    options.sink = given;
    options.ring_bytes = 65536;
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    return recorder;
}

static inline tm_recorder_thread *attach(tm_recorder *recorder, uint64_t id)
{
    tm_thread definition = {.size = sizeof(definition), .id = id, .name = "worker"};
    tm_recorder_thread *thread;

    assert_int_equal(tm_recorder_attach(recorder, &definition, &thread), TM_OK);
    return thread;
}

static inline int report(tm_recorder_thread *thread, int64_t value)
{
    tm_event event = {.value = value, .kind = TM_EVENT_UNPARK_CALLED};

    return tm_recorder_report(thread, &event, NULL, 0);
}

/* Read the file back into `got`. @return as tm_source_read() */
static inline int read_back(void)
{
    tm_source *source;
    int rc;

    assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
    rc = tm_source_read(source, &sink);
    while (rc == TM_MORE)
        rc = tm_source_read(source, &sink);
    tm_source_close(source);
    return rc;
}

static inline int64_t recorded(void)
{
    int64_t sum = 0;

    for (size_t i = 1; i <= THREADS; i++)
        sum += got.recorded[i];
    return sum;
}

#endif
