/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace and HPROF's binary format are written as events come. A report needs them
 * all: a model takes them, in bounded memory, and is asked when the VM ends.
 */
#include "writer/recording_format.h"

#include <stdio.h>
#include <time.h>

#include <threadmodel/error.h>
#include <threadmodel/export.h>
#include <threadmodel/hprof.h>

#include "trace/compose.h"
#include "trace/trace_writer.h"
#include "vm/message.h"
#include "vm/options.h"
#include "writer/exit_report.h"
#include "writer/model_tee.h"

/* Some hundred thousand blocking intervals with their times; sums of all others. */
enum { MODEL_BYTES = 32 << 20 };

/* The program pays for the writer's time and memory. A block of this size, with all
 * that it takes to make it, stays in the caches and in some hundred KiB; level 1 packs
 * it in a tenth less time than zstd's default, to a tenth more bytes. */
enum { TRACE_LEVEL = 1, TRACE_BLOCK_EVENTS = 2048 };

static const tm__options *options;
static tm_write_fn write_bytes;
static void *write_payload;
static tm__trace_writer *trace;
static tm_hprof_writer *binary;
static tm__model_tee live;
static const tm_sink *sink;

static int pass_run(void *payload, const tm_run *run)
{
    (void)payload;
    (void)run;
    return TM_OK;
}

static int pass_caveat(void *payload, const char *sentence)
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
static const tm_sink NOWHERE = {sizeof(tm_sink), NULL,        pass_run,   pass_caveat,
                                pass_class,      pass_method, pass_stack, pass_thread,
                                pass_object,     pass_events};

int tm__recording_format_open(tm_write_fn write, void *payload,
                              const tm__options *given, int64_t wall_ns, int64_t now_ns)
{
    int rc = TM_OK;

    options = given;
    write_bytes = write;
    write_payload = payload;
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
        rc = tm_hprof_writer_new(&binary, write, payload,
                                 &(tm_hprof_writer_options){
                                     .size = sizeof(tm_hprof_writer_options),
                                     .cutoff = options->cutoff,
                                     .start_wall_ns = wall_ns,
                                     .start_ns = now_ns,
                                     .by_thread = options->thread != 0,
                                     .without_lines = !options->lineno,
                                     .depth = (int32_t)options->depth,
                                 });
        sink = binary ? tm_hprof_writer_sink(binary) : NULL;
    }
    if (rc >= 0 && (options->doe || options->format == TM__FORMAT_TEXT)) {
        rc = tm__model_tee_open(&live, sink, MODEL_BYTES);
        if (rc >= 0)
            sink = &live.sink;
    }
    if (rc < 0)
        sink = NULL;
    return rc;
}

const tm_sink *tm__recording_format_sink(void)
{
    return sink;
}

int tm__recording_format_flush(void)
{
    if (trace)
        return tm__trace_writer_flush(trace);
    return binary ? tm_hprof_writer_flush(binary) : TM_OK;
}

uint64_t tm__recording_format_events(void)
{
    return trace ? tm__trace_writer_events(trace) : 0;
}

/* HPROF's dates are those of the place. */
static int32_t utc_offset_s(void)
{
    time_t now = time(NULL);
    struct tm parts;

    return localtime_r(&now, &parts) ? (int32_t)parts.tm_gmtoff : 0;
}

static int write_text(void)
{
    return tm_export_write(live.model, NULL,
                           &(tm_export_options){
                               .size = sizeof(tm_export_options),
                               .write = write_bytes,
                               .payload = write_payload,
                               .format = TM_EXPORT_HPROF,
                               .cutoff = options->cutoff,
                               .by_thread = options->thread != 0,
                               .without_lines = !options->lineno,
                               .utc_offset_s = utc_offset_s(),
                           });
}

int tm__recording_format_close(void)
{
    int rc = TM_OK;

    if (!sink)
        return TM_OK;
    sink = NULL;
    if (trace)
        rc = tm__trace_writer_close(trace);
    trace = NULL;
    if (binary)
        rc = tm_hprof_writer_close(binary);
    binary = NULL;
    if (!live.model)
        return rc;
    if (live.lost > 0)
        tm__message("%llu events or names are not in the report: there was no memory",
                    (unsigned long long)live.lost);
    if (options->format == TM__FORMAT_TEXT)
        rc = write_text();
    if (options->doe)
        tm__exit_report_print(stderr, live.model, options);
    tm__model_tee_close(&live);
    return rc;
}
