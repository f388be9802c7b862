/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as the manual of HPROF has them, big-endian, each with its length. Classes,
 * methods and stacks are put out as they are first met, so that whatever becomes of
 * the process, what is in the file is complete; the sums of the samples come last.
 *
 * What is numbered, ids of strings, classes and frames, has one number space; serial
 * numbers, of classes, stacks and threads, have one each and begin at 1. Stack 1 is
 * the empty one, that of everything whose stack is not known.
 */
#include <threadmodel/hprof.h>

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/sink.h"
#include "base/sized.h"
#include "export/hprof_record.h"

enum { EMPTY_STACK = 1, CPU_SAMPLING = 2, HELD_BYTES = 1 << 16 };

typedef struct method {
    uint32_t class_serial;
    uint64_t name, signature, source; ///< ids of strings
    uint32_t first_line, line_count;  ///< in lines[]
} method;

typedef struct stack {
    uint32_t first, count; ///< in frames[]
} stack;

/* A stack, of one thread if they are told apart, and how often it was sampled. */
typedef struct site {
    uint32_t serial;
    uint64_t samples;
} site;

struct tm_hprof_writer {
    tm_sink sink;
    tm_write_fn write;
    void *payload;
    tm__file file; ///< where there is one
    int failure;   ///< of the first write that failed
    tm_hprof_writer_options options;
    int has_head;
    tm__memory memory;
    tm__hprof_records records;
    uint32_t last_serial, last_class, last_thread;
    tm__map classes; ///< to the class's serial number
    tm__map class_sources;
    tm__map methods; ///< to methods[]
    tm__map stacks;  ///< to stacks[]
    tm__map frames;  ///< hash of method and line to the low half of the frame's id
    tm__map threads; ///< to the thread's serial number
    tm__map sites;   ///< hash of stack and thread to sites[]
    method *method_list;
    tm_line *line_list;
    stack *stack_list;
    tm_frame *frame_list;
    site *site_list;
    uint32_t method_count, method_capacity, line_count, line_capacity;
    uint32_t stack_count, stack_capacity, frame_count, frame_capacity;
    uint32_t site_count, site_capacity;
    uint64_t sample_total;
};

/* The source line of a frame; 0 none, as the manual has it. */
static int32_t line_of(const tm_hprof_writer *h, const method *of,
                       const tm_frame *frame)
{
    int32_t line = frame->line;

    if (h->options.without_lines)
        return 0;
    for (uint32_t i = 0; !frame->line && frame->location >= 0 && i < of->line_count;
         i++)
        if (h->line_list[of->first_line + i].location <= frame->location)
            line = h->line_list[of->first_line + i].line;
    return line;
}

static int frame_id(tm_hprof_writer *h, uint64_t *id, const tm_frame *frame)
{
    static const method UNKNOWN = {0};
    uint32_t index = tm__map_find(&h->methods, frame->method);
    const method *of = index != TM__NONE ? &h->method_list[index] : &UNKNOWN;
    int32_t line = line_of(h, of, frame);
    /* Exact: numbers of methods and lines have 32 bits each. */
    uint64_t key = (uint64_t)index << 32 | (uint32_t)line;
    uint32_t known = tm__map_find(&h->frames, key);
    int rc;

    if (known != TM__NONE) {
        *id = known;
        return TM_OK;
    }
    *id = ++h->records.last_id;
    rc = tm__hprof_record(&h->records, TM__HPROF_FRAME, "888844",
                          (uint64_t[]){*id, of->name, of->signature, of->source,
                                       of->class_serial, (uint32_t)line});
    return rc < 0 ? rc : tm__map_put(&h->frames, key, (uint32_t)*id);
}

static int put_trace(tm_hprof_writer *h, const stack *of, uint32_t serial,
                     uint32_t thread)
{
    const tm_frame *frames = h->frame_list + of->first;
    uint64_t id;
    int rc = TM_OK;

    /* A record has no other within: all frames first, and then their ids. */
    for (uint32_t i = 0; i < of->count && rc == TM_OK; i++)
        rc = frame_id(h, &id, &frames[i]);
    if (rc == TM_OK)
        rc = tm__hprof_begin(&h->records, TM__HPROF_TRACE);
    if (rc < 0)
        return rc;
    if (tm__hprof_put(&h->records, serial, 4) < 0 ||
        tm__hprof_put(&h->records, thread, 4) < 0 ||
        tm__hprof_put(&h->records, of->count, 4) < 0)
        rc = TM_ENOMEM;
    for (uint32_t i = 0; i < of->count && rc == TM_OK; i++) {
        rc = frame_id(h, &id, &frames[i]);
        if (rc == TM_OK)
            rc = tm__hprof_put(&h->records, id, TM__HPROF_ID_BYTES);
    }
    return tm__hprof_end(&h->records, rc);
}

/* The first of all records: by then a run has said when it began, if it ever does. */
static int put_head(tm_hprof_writer *h)
{
    static const stack EMPTY = {0};
    int rc;

    if (h->has_head)
        return TM_OK;
    h->records.begin_ns = h->records.time_ns = h->options.start_ns;
    rc = tm__hprof_head(&h->records, h->options.start_wall_ns);
    if (rc == TM_OK)
        rc = tm__hprof_record(&h->records, TM__HPROF_CONTROL_SETTINGS, "42",
                              (uint64_t[]){CPU_SAMPLING, (uint64_t)h->options.depth});
    if (rc == TM_OK)
        rc = put_trace(h, &EMPTY, EMPTY_STACK, 0);
    h->has_head = rc == TM_OK;
    if (rc < 0)
        h->records.out.length = 0;
    return rc;
}

/* What is held goes out before it is much. */
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

/* The place where a thread was, put out on first sight. @param[out] out  sites[] */
static int find_site(tm_hprof_writer *h, uint32_t *out, uint32_t stack_id,
                     uint32_t thread)
{
    static const stack EMPTY = {0};
    uint64_t key = (uint64_t)(h->options.by_thread ? thread : 0) << 32 | stack_id;
    uint32_t index = tm__map_find(&h->stacks, stack_id);
    int rc;

    *out = tm__map_find(&h->sites, key);
    if (*out != TM__NONE)
        return TM_OK;
    rc = tm__reserve(&h->memory, &h->site_list, &h->site_capacity,
                     (size_t)h->site_count + 1, sizeof(*h->site_list));
    if (rc == TM_OK)
        rc = put_trace(h, index != TM__NONE ? &h->stack_list[index] : &EMPTY,
                       h->last_serial + 1, h->options.by_thread ? thread : 0);
    if (rc == TM_OK)
        rc = tm__map_put(&h->sites, key, h->site_count);
    if (rc < 0)
        return rc;
    *out = h->site_count;
    h->site_list[h->site_count++] = (site){++h->last_serial, 0};
    return TM_OK;
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
    rc = tm__hprof_record(&h->records, TM__HPROF_LOAD_CLASS, "4848",
                          (uint64_t[]){h->last_class + 1, object, EMPTY_STACK, name});
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
    uint32_t class_serial, source;
    method made;
    size_t lines;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0 || tm__map_find(&h->methods, definition.id) != TM__NONE)
        return rc;
    class_serial = tm__map_find(&h->classes, definition.class_id);
    source = tm__map_find(&h->class_sources, definition.class_id);
    lines = definition.lines ? definition.line_count : 0;
    made = (method){.class_serial = class_serial != TM__NONE ? class_serial : 0,
                    .source = source != TM__NONE ? source : 0,
                    .first_line = h->line_count,
                    .line_count = (uint32_t)lines};
    rc = put_head(h);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &made.name, definition.name);
    if (rc == TM_OK)
        rc = tm__hprof_string(&h->records, &made.signature, definition.signature);
    if (rc == TM_OK)
        rc = tm__reserve(&h->memory, &h->method_list, &h->method_capacity,
                         (size_t)h->method_count + 1, sizeof(*h->method_list));
    if (rc == TM_OK)
        rc = tm__reserve(&h->memory, &h->line_list, &h->line_capacity,
                         h->line_count + lines, sizeof(*h->line_list));
    if (rc == TM_OK)
        rc = tm__map_put(&h->methods, definition.id, h->method_count);
    if (rc < 0)
        return rc;
    if (lines > 0)
        memcpy(h->line_list + h->line_count, definition.lines,
               lines * sizeof(*h->line_list));
    h->line_count += (uint32_t)lines;
    h->method_list[h->method_count++] = made;
    return relieve(h, TM_OK);
}

static int register_stack(void *payload, const tm_stack *given)
{
    tm_hprof_writer *h = payload;
    tm_stack definition;
    size_t count;
    int rc = TM__READ(&definition, given, tm_stack, id);

    if (rc < 0 || tm__map_find(&h->stacks, definition.id) != TM__NONE)
        return rc;
    count = definition.frames ? definition.frame_count : 0;
    rc = tm__reserve(&h->memory, &h->stack_list, &h->stack_capacity,
                     (size_t)h->stack_count + 1, sizeof(*h->stack_list));
    if (rc == TM_OK)
        rc = tm__reserve(&h->memory, &h->frame_list, &h->frame_capacity,
                         h->frame_count + count, sizeof(*h->frame_list));
    if (rc == TM_OK)
        rc = tm__map_put(&h->stacks, definition.id, h->stack_count);
    if (rc < 0)
        return rc;
    if (count > 0)
        memcpy(h->frame_list + h->frame_count, definition.frames,
               count * sizeof(*h->frame_list));
    h->stack_list[h->stack_count++] = (stack){h->frame_count, (uint32_t)count};
    h->frame_count += (uint32_t)count;
    return TM_OK;
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
    rc = tm__hprof_record(
        &h->records, TM__HPROF_START_THREAD, "484888",
        (uint64_t[]){h->last_thread + 1, object, EMPTY_STACK, name, group, 0});
    if (rc == TM_OK)
        rc = tm__map_put(&h->threads, definition.id, ++h->last_thread);
    return relieve(h, rc);
}

static int ingest_event(tm_hprof_writer *h, const tm_event *event)
{
    uint32_t thread = tm__map_find(&h->threads, event->thread);
    uint32_t serial = thread != TM__NONE ? thread : 0;
    uint32_t at;
    int rc;

    if (event->time_ns > h->records.time_ns)
        h->records.time_ns = event->time_ns;
    if (event->kind == TM_EVENT_THREAD_END && serial > 0)
        return tm__hprof_record(&h->records, TM__HPROF_END_THREAD, "4",
                                (uint64_t[]){serial});
    /* Every stack that something was seen at, sampled or blocked. */
    if (event->kind != TM_EVENT_CPU_SAMPLE && event->stack == 0)
        return TM_OK;
    rc = find_site(h, &at, event->stack, serial);
    if (rc == TM_OK && event->kind == TM_EVENT_CPU_SAMPLE) {
        h->site_list[at].samples++;
        h->sample_total++;
    }
    return rc;
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
    tm__map_clear(&h->methods);
    tm__map_clear(&h->stacks);
    tm__map_clear(&h->frames);
    tm__map_clear(&h->threads);
    tm__map_clear(&h->sites);
    tm__free(&h->memory, h->method_list, h->method_capacity * sizeof(*h->method_list));
    tm__free(&h->memory, h->line_list, h->line_capacity * sizeof(*h->line_list));
    tm__free(&h->memory, h->stack_list, h->stack_capacity * sizeof(*h->stack_list));
    tm__free(&h->memory, h->frame_list, h->frame_capacity * sizeof(*h->frame_list));
    tm__free(&h->memory, h->site_list, h->site_capacity * sizeof(*h->site_list));
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
    h->last_serial = EMPTY_STACK;
    h->records.out.memory = &h->memory;
    tm__map_init(&h->classes, &h->memory);
    tm__map_init(&h->class_sources, &h->memory);
    tm__map_init(&h->methods, &h->memory);
    tm__map_init(&h->stacks, &h->memory);
    tm__map_init(&h->frames, &h->memory);
    tm__map_init(&h->threads, &h->memory);
    tm__map_init(&h->sites, &h->memory);
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

static int is_shown(const tm_hprof_writer *h, const site *of)
{
    return of->samples > 0 &&
           (double)of->samples >= h->options.cutoff * (double)h->sample_total;
}

static int put_samples(tm_hprof_writer *h)
{
    uint32_t shown = 0;
    int rc = tm__hprof_begin(&h->records, TM__HPROF_CPU_SAMPLES);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < h->site_count; i++)
        shown += is_shown(h, &h->site_list[i]) != 0;
    if (tm__hprof_put(&h->records, h->sample_total, 4) < 0 ||
        tm__hprof_put(&h->records, shown, 4) < 0)
        rc = TM_ENOMEM;
    for (uint32_t i = 0; i < h->site_count && rc == TM_OK; i++)
        if (is_shown(h, &h->site_list[i]) &&
            (tm__hprof_put(&h->records, h->site_list[i].samples, 4) < 0 ||
             tm__hprof_put(&h->records, h->site_list[i].serial, 4) < 0))
            rc = TM_ENOMEM;
    return tm__hprof_end(&h->records, rc);
}

int tm_hprof_writer_close(tm_hprof_writer *h)
{
    int rc, closed = TM_OK;

    if (!h)
        return TM_OK;
    rc = put_head(h);
    if (rc == TM_OK)
        rc = put_samples(h);
    if (rc == TM_OK)
        rc = tm_hprof_writer_flush(h);
    if (h->file.descriptor >= 0)
        closed = tm__file_close(&h->file, &h->memory);
    hprof_free(h);
    return rc < 0 ? rc : closed;
}
