/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a file that is written, whatever its format. */
#include "formats/file_writer.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scale.h"
#include "base/sink.h"
#include "base/sized.h"
#include "trace/trace_writer.h"

/* ---- a trace: its sink is the writer's ---- */

static int trace_open(tm_writer *writer, const char *path,
                      const tm_writer_options *options)
{
    tm__trace_writer *trace;
    int rc = tm__trace_writer_open(&trace, path, options);

    if (rc == TM_OK) {
        writer->state = trace;
        writer->sink = *tm__trace_writer_sink(trace);
    }
    return rc;
}

static int trace_flush(tm_writer *writer)
{
    return tm__trace_writer_flush(writer->state);
}

static uint64_t trace_bytes(const tm_writer *writer)
{
    return tm__trace_writer_bytes(writer->state);
}

static int trace_close(tm_writer *writer)
{
    return tm__trace_writer_close(writer->state);
}

static const tm__writer_kind trace_kind = {trace_open, trace_flush, trace_bytes,
                                           trace_close};

/* ---- all formats ---- */

static const tm__writer_kind *kind_of(int format)
{
    switch (format) {
    case 0:
    case TM_WRITER_TRACE: return &trace_kind;
    case TM_WRITER_CONTENTION: return &tm__writer_contention;
    case TM_WRITER_TPTP: return &tm__writer_tptp;
    default: return NULL;
    }
}

static int check(const char *path, const tm_writer_options *options)
{
    if (!kind_of(options->format))
        return tm__fail(TM_EINVAL, "unknown output format %d", options->format);
    if (options->time_unit_ns < 0)
        return tm__fail(TM_EINVAL, "invalid time unit: %lld ns",
                        (long long)options->time_unit_ns);
    if (!path == !options->write)
        return tm__fail(TM_EINVAL, "a writer needs either a path or a write function");
    if (!path && options->format == TM_WRITER_CONTENTION)
        return tm__fail(TM_EUNSUPPORTED,
                        "a contention log consists of three files and needs a path");
    return TM_OK;
}

int tm_writer_open(tm_writer **out, const char *path, const tm_writer_options *given)
{
    tm_writer_options options;
    tm_writer *writer;
    tm__memory memory;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    rc = TM__READ(&options, given, tm_writer_options, allocator);
    if (rc == TM_OK)
        rc = check(path, &options);
    if (rc < 0)
        return rc;
    tm__memory_init(&memory, options.allocator);
    writer = tm__zalloc(&memory, sizeof(*writer));
    if (!writer)
        return TM_ENOMEM;
    writer->memory = memory;
    writer->kind = kind_of(options.format);
    writer->sink.payload = writer;
    rc = writer->kind->open(writer, path, &options);
    tm__sink_fill(&writer->sink);
    if (rc < 0) {
        char text[512];

        snprintf(text, sizeof(text), "%s", tm_error_text());
        tm_writer_close(writer);
        return rc == TM_ENOMEM ? rc : tm__fail(rc, "%s", text);
    }
    *out = writer;
    return TM_OK;
}

const tm_sink *tm_writer_sink(tm_writer *writer)
{
    return &writer->sink;
}

int tm_writer_flush(tm_writer *writer)
{
    TM__CHECK(writer);
    return writer->kind->flush(writer);
}

uint64_t tm_writer_written_bytes(const tm_writer *writer)
{
    return writer->kind->bytes(writer);
}

uint64_t tm_writer_dropped_count(const tm_writer *writer, int kind)
{
    uint64_t sum = 0;

    if (kind > 0 && kind < TM_EVENT_KIND_END)
        return writer->dropped[kind];
    for (int i = 0; kind == 0 && i < TM_EVENT_KIND_END; i++)
        sum += writer->dropped[i];
    return sum;
}

int tm_writer_close(tm_writer *writer)
{
    tm__memory memory;
    int rc;

    if (!writer)
        return TM_OK;
    rc = writer->kind->close(writer);
    memory = writer->memory;
    tm__free(&memory, writer, sizeof(*writer));
    return rc;
}

/* ---- what logs have in common ---- */

int tm__log_drop(tm_writer *writer, const tm_event *event)
{
    int known = event->kind < TM_EVENT_KIND_END;

    writer->dropped[known ? event->kind : 0]++;
    return TM_OK;
}

void tm__log_put_time(tm__output *output, int64_t ns, int64_t unit_ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    uint64_t unit = (uint64_t)unit_ns;
    uint64_t billionths = tm__scale(size % unit, 1000000000, 0, unit);

    tm__output_format(output, "%s%llu", ns < 0 ? "-" : "",
                      (unsigned long long)(size / unit));
    if (unit > 1)
        tm__output_format(output, ".%09llu", (unsigned long long)billionths);
}
