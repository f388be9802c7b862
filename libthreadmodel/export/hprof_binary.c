/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as the manual of HPROF describes them, big-endian, each with its length.
 * Classes, methods and stacks are written when they first occur, so that the file is
 * complete up to any point at which the process ends; the sums of the samples come
 * last.
 *
 * Ids of strings, classes and frames share one number space; the serial numbers of
 * classes, stacks and threads have one each and begin at 1. Stack 1 is the empty one,
 * for everything whose stack is not known.
 */
#include <threadmodel/hprof.h>

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/sink.h"
#include "base/sized.h"
#include "export/hprof_record.h"
#include "export/hprof_stacks.h"

enum { CPU_SAMPLING = 2, HELD_BYTES = 1 << 16 };

struct tm_hprof_writer {
    tm_sink sink;
    tm_write_fn write;
    void *payload;
    tm__file file; ///< where there is one
    int failure;   ///< of the first write that failed
    tm_hprof_writer_options options;
    int has_head;
    tm__memory memory;
    tm__hprof_output records;
    uint32_t last_class, last_thread;
    tm__map classes; ///< to the class's serial number
    tm__map class_sources;
    tm__map threads; ///< to the thread's serial number
    tm__hprof_stacks stacks;
};

/* The first of all records: by then a run has said when it began, if it ever does. */
static int put_head(tm_hprof_writer *h)
{
    int rc;

    if (h->has_head)
        return TM_OK;
    h->records.begin_ns = h->records.time_ns = h->options.start_ns;
    rc = tm__hprof_head(&h->records, h->options.start_wall_ns);
    if (rc == TM_OK)
        rc = tm__hprof_record(&h->records, TM__HPROF_CONTROL_SETTINGS, "42",
                              (uint64_t[]){CPU_SAMPLING, (uint64_t)h->options.depth});
    if (rc == TM_OK)
        rc = tm__hprof_put_empty_stack(&h->stacks);
    h->has_head = rc == TM_OK;
    if (rc < 0)
        h->records.out.length = 0;
    return rc;
}

/* Flush the buffered records before they become large. */
static int relieve(tm_hprof_writer *h, int rc)
{
    return rc == TM_OK && h->records.out.length >= HELD_BYTES ? tm_hprof_writer_flush(h)
                                                              : rc;
}

static int register_run(void *payload, const tm_run *given)
{
    tm_hprof_writer *h = payload;
    tm_run run;
    int rc = TM__READ(&run, given, tm_run, source);

    if (rc == TM_OK && !h->has_head && !h->options.start_wall_ns && run.start_wall_ns) {
        h->options.start_wall_ns = run.start_wall_ns;
        h->options.start_ns = run.start_ns;
    }
    return rc;
}

static int register_class(void *payload, const tm_class *given)
{
    tm_hprof_writer *h = payload;
    tm_class definition;
    uint64_t name, source, object;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc < 0 || tm__map_find(&h->classes, definition.id) != TM__NONE)
        return rc;
    rc = put_head(h);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &name, definition.name);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &source, definition.source);
    if (rc < 0)
        return rc;
    object = ++h->records.last_id;
    rc = tm__hprof_record(
        &h->records, TM__HPROF_LOAD_CLASS, "4848",
        (uint64_t[]){h->last_class + 1, object, TM__HPROF_EMPTY_STACK, name});
    if (rc == TM_OK)
        rc = tm__map_put(&h->class_sources, definition.id, (uint32_t)source);
    if (rc == TM_OK)
        rc = tm__map_put(&h->classes, definition.id, ++h->last_class);
    return relieve(h, rc);
}

static int register_method(void *payload, const tm_method *given)
{
    tm_hprof_writer *h = payload;
    tm_method definition;
    tm__hprof_method made = {0};
    uint32_t class_serial, source;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0 || tm__map_find(&h->stacks.methods, definition.id) != TM__NONE)
        return rc;
    class_serial = tm__map_find(&h->classes, definition.class_id);
    source = tm__map_find(&h->class_sources, definition.class_id);
    made.class_serial = class_serial != TM__NONE ? class_serial : 0;
    made.source = source != TM__NONE ? source : 0;
    rc = put_head(h);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &made.name, definition.name);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &made.signature, definition.signature);
    if (rc == TM_OK)
        rc = tm__hprof_stacks_add_method(&h->stacks, &definition, &made);
    return relieve(h, rc);
}

static int register_stack(void *payload, const tm_stack *given)
{
    tm_hprof_writer *h = payload;
    tm_stack definition;
    int rc = TM__READ(&definition, given, tm_stack, id);

    return rc < 0 ? rc : tm__hprof_stacks_add(&h->stacks, &definition);
}

static int register_thread(void *payload, const tm_thread *given)
{
    tm_hprof_writer *h = payload;
    tm_thread definition;
    uint64_t name, group, object;
    int rc = TM__READ(&definition, given, tm_thread, id);

    /* Its first name: the format knows no other. */
    if (rc < 0 || tm__map_find(&h->threads, definition.id) != TM__NONE)
        return rc;
    rc = put_head(h);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &name,
                              definition.name ? definition.name : "");
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &group,
                              definition.group ? definition.group : "");
    if (rc < 0)
        return rc;
    object = ++h->records.last_id;
    rc = tm__hprof_record(&h->records, TM__HPROF_START_THREAD, "484888",
                          (uint64_t[]){h->last_thread + 1, object,
                                       TM__HPROF_EMPTY_STACK, name, group, 0});
    if (rc == TM_OK)
        rc = tm__map_put(&h->threads, definition.id, ++h->last_thread);
    return relieve(h, rc);
}

static int ingest_event(tm_hprof_writer *h, const tm_event *event)
{
    uint32_t thread = tm__map_find(&h->threads, event->thread);
    uint32_t serial = thread != TM__NONE ? thread : 0;

    if (event->time_ns > h->records.time_ns)
        h->records.time_ns = event->time_ns;
    if (event->kind == TM_EVENT_THREAD_END && serial > 0)
        return tm__hprof_record(&h->records, TM__HPROF_END_THREAD, "4",
                                (uint64_t[]){serial});
    /* Every stack that something was seen at, sampled or blocked. */
    if (event->kind != TM_EVENT_CPU_SAMPLE && event->stack == 0)
        return TM_OK;
    return tm__hprof_stacks_see(&h->stacks, event->stack, serial,
                                event->kind == TM_EVENT_CPU_SAMPLE);
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    tm_hprof_writer *h = payload;
    int rc = put_head(h);

    for (size_t i = 0; i < count && rc == TM_OK; i++)
        rc = relieve(h, ingest_event(h, &events[i]));
    return rc;
}

static void hprof_free(tm_hprof_writer *h)
{
    tm__memory memory = h->memory;

    tm__bytes_free(&h->records.out);
    tm__map_clear(&h->classes);
    tm__map_clear(&h->class_sources);
    tm__map_clear(&h->threads);
    tm__hprof_stacks_free(&h->stacks);
    tm__free(&memory, h, sizeof(*h));
}

int tm_hprof_writer_new(tm_hprof_writer **out, tm_write_fn write, void *payload,
                        const tm_hprof_writer_options *options)
{
    tm_hprof_writer_options chosen;
    tm__memory memory;
    tm_hprof_writer *h;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(write);
    rc = TM__READ(&chosen, options, tm_hprof_writer_options, allocator);
    if (rc < 0)
        return rc;
    tm__memory_init(&memory, chosen.allocator);
    h = tm__zalloc(&memory, sizeof(*h));
    if (!h)
        return TM_ENOMEM;
    h->memory = memory;
    h->sink = (tm_sink){.payload = h,
                        .run = register_run,
                        .define_class = register_class,
                        .define_method = register_method,
                        .define_stack = register_stack,
                        .define_thread = register_thread,
                        .events = ingest_events};
    tm__sink_fill(&h->sink);
    h->write = write;
    h->payload = payload;
    h->file.descriptor = -1;
    h->options = chosen;
    h->records.out.memory = &h->memory;
    tm__map_init(&h->classes, &h->memory);
    tm__map_init(&h->class_sources, &h->memory);
    tm__map_init(&h->threads, &h->memory);
    tm__hprof_stacks_init(&h->stacks, &h->records, &h->memory, chosen.without_lines,
                          chosen.by_thread);
    /* Else with what comes first, by when a run may have said it. */
    rc = chosen.start_wall_ns ? put_head(h) : TM_OK;
    if (rc < 0)
        hprof_free(h);
    else
        *out = h;
    return rc;
}

int tm_hprof_writer_open(tm_hprof_writer **out, const char *path,
                         const tm_hprof_writer_options *options)
{
    int rc;

    TM__CHECK(path);
    rc = tm_hprof_writer_new(out, tm__file_write, NULL, options);
    if (rc < 0)
        return rc;
    (*out)->payload = &(*out)->file;
    rc = tm__file_open(&(*out)->file, &(*out)->memory, path);
    if (rc < 0) {
        hprof_free(*out);
        *out = NULL;
    }
    return rc;
}

const tm_sink *tm_hprof_writer_sink(tm_hprof_writer *writer)
{
    return writer ? &writer->sink : NULL;
}

int tm_hprof_writer_flush(tm_hprof_writer *h)
{
    int rc = h->failure;

    if (rc == TM_OK && h->records.out.length > 0)
        rc = h->write(h->payload, (const char *)h->records.out.data,
                      h->records.out.length);
    h->records.out.length = 0;
    h->failure = rc < 0 ? rc : TM_OK;
    return h->failure;
}

int tm_hprof_writer_close(tm_hprof_writer *h)
{
    int rc, closed = TM_OK;

    if (!h)
        return TM_OK;
    rc = put_head(h);
    if (rc == TM_OK)
        rc = tm__hprof_put_samples(&h->stacks, h->options.cutoff);
    if (rc == TM_OK)
        rc = tm_hprof_writer_flush(h);
    if (h->file.descriptor >= 0)
        closed = tm__file_close(&h->file, &h->memory);
    hprof_free(h);
    return rc < 0 ? rc : closed;
}
