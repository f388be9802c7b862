/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace and HPROF's binary format are written as events come. A report needs them
 * all: a model takes them, in bounded memory, and is asked when the VM ends.
 */
#include "product.h"

#include <stdio.h>
#include <stdlib.h>

#include <threadmodel/error.h>

#include "complain.h"
#include "hprof_binary.h"
#include "hprof_text.h"
#include "live.h"
#include "summary.h"
#include "trace/writer.h"

/* Some hundred thousand hold-ups with their times; sums of all others. */
enum { MODEL_BYTES = 32 << 20 };

/* The program pays for the writer's time and memory. A block of this size, with all
 * that it takes to make it, stays in the caches and in some hundred KiB; level 1 packs
 * it in a tenth less time than zstd's default, to a tenth more bytes. */
enum { TRACE_LEVEL = 1, TRACE_BLOCK_EVENTS = 2048 };

static const tm__options *options;
static tm_write_fn write_bytes;
static void *write_payload;
static int64_t begin_wall_ns;
static tm__trace_writer *trace;
static tm__hprof *binary;
static tm__live live;
static const tm_sink *sink;

static int pass_run(void *payload, const tm_run *run)
{
    (void)payload;
    (void)run;
    return TM_OK;
}

static int pass_limit(void *payload, const char *sentence)
{
    (void)payload;
    (void)sentence;
    return TM_OK;
}

#define PASS(name, type)                                                               \
    static int name(void *payload, const type *definition)                             \
    {                                                                                  \
        (void)payload;                                                                 \
        (void)definition;                                                              \
        return TM_OK;                                                                  \
    }

PASS(pass_class, tm_class)
PASS(pass_method, tm_method)
PASS(pass_stack, tm_stack)
PASS(pass_thread, tm_thread)
PASS(pass_object, tm_object)

static int pass_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    (void)events;
    (void)count;
    return TM_OK;
}

/* Where there is nothing but the model. */
static const tm_sink NOWHERE = {sizeof(tm_sink), NULL,        pass_run,   pass_limit,
                                pass_class,      pass_method, pass_stack, pass_thread,
                                pass_object,     pass_events};

int tm__product_open(tm_write_fn write, void *payload, const tm__options *given,
                     int64_t wall_ns, int64_t now_ns)
{
    int rc = TM_OK;

    options = given;
    write_bytes = write;
    write_payload = payload;
    begin_wall_ns = wall_ns;
    sink = &NOWHERE;
    if (options->format == TM__FORMAT_TRACE) {
        rc = tm__trace_writer_open(
            &trace, NULL,
            &(tm_writer_options){.write = write,
                                 .payload = payload,
                                 .level = TRACE_LEVEL,
                                 .block_events = TRACE_BLOCK_EVENTS});
        sink = trace ? tm__trace_writer_sink(trace) : NULL;
    } else if (options->format == TM__FORMAT_BINARY) {
        rc = tm__hprof_open(&binary, write, payload, options, wall_ns, now_ns);
        sink = binary ? tm__hprof_sink(binary) : NULL;
    }
    if (rc >= 0 && (options->doe || options->format == TM__FORMAT_TEXT)) {
        rc = tm__live_open(&live, sink, MODEL_BYTES);
        if (rc >= 0)
            sink = &live.sink;
    }
    if (rc < 0)
        sink = NULL;
    return rc;
}

const tm_sink *tm__product_sink(void)
{
    return sink;
}

int tm__product_flush(void)
{
    if (trace)
        return tm__trace_writer_flush(trace);
    return binary ? tm__hprof_flush(binary) : TM_OK;
}

uint64_t tm__product_events(void)
{
    return trace ? tm__trace_writer_events(trace) : 0;
}

/* HPROF's text, made in memory and written in one piece. */
static int write_text(int64_t wall_ns)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int rc;

    if (!out)
        return TM_ENOMEM;
    tm__hprof_text_head(out, tm_model_run(live.model)->producer, begin_wall_ns);
    rc = tm__hprof_text_print(out, live.model, options, wall_ns);
    if (fclose(out) != 0)
        rc = TM_ENOMEM;
    if (rc >= 0)
        rc = write_bytes(write_payload, text, bytes);
    free(text);
    return rc < 0 ? rc : TM_OK;
}

int tm__product_close(int64_t wall_ns)
{
    int rc = TM_OK;

    if (!sink)
        return TM_OK;
    sink = NULL;
    if (trace)
        rc = tm__trace_writer_close(trace);
    trace = NULL;
    if (binary)
        rc = tm__hprof_close(binary);
    binary = NULL;
    if (!live.model)
        return rc;
    if (live.lost > 0)
        tm__complain("%llu events or names are not in the report: there was no memory",
                     (unsigned long long)live.lost);
    if (options->format == TM__FORMAT_TEXT)
        rc = write_text(wall_ns);
    if (options->doe)
        tm__summary_print(stderr, live.model, options);
    tm__live_close(&live);
    return rc;
}
