/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a log that is written, whatever its format. */
#include "formats/log_writer.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "base/sized.h"

__extension__ typedef unsigned __int128 wide;

static const tm__log_kind *kind_of(int format)
{
    switch (format) {
    case TM_LOG_CONTENTION: return &tm__log_contention;
    case TM_LOG_TPTP: return &tm__log_tptp;
    default: return NULL;
    }
}

int tm_log_writer_open(tm_log_writer **out, const char *path, int format,
                       const tm_log_writer_options *given)
{
    tm_log_writer_options options;
    tm_log_writer *writer;
    tm__memory memory;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(path);
    rc = TM__READ(&options, given, tm_log_writer_options, allocator);
    if (rc < 0)
        return rc;
    if (!kind_of(format))
        return tm__fail(TM_EINVAL, "log format %d: not known", format);
    if (options.time_unit_ns < 0)
        return tm__fail(TM_EINVAL, "time unit of %lld ns: not above 0",
                        (long long)options.time_unit_ns);
    tm__memory_init(&memory, options.allocator);
    writer = tm__zalloc(&memory, sizeof(*writer));
    if (!writer)
        return TM_ENOMEM;
    writer->memory = memory;
    writer->kind = kind_of(format);
    writer->sink.payload = writer;
    rc = writer->kind->open(writer, path, &options);
    tm__sink_fill(&writer->sink);
    if (rc < 0) {
        char text[512];

        snprintf(text, sizeof(text), "%s", tm_error_text());
        tm_log_writer_close(writer);
        return rc == TM_ENOMEM ? rc : tm__fail(rc, "%s", text);
    }
    *out = writer;
    return TM_OK;
}

const tm_sink *tm_log_writer_sink(tm_log_writer *writer)
{
    return &writer->sink;
}

uint64_t tm_log_writer_dropped(const tm_log_writer *writer, int kind)
{
    uint64_t sum = 0;

    if (kind > 0 && kind < TM_EVENT_KIND_END)
        return writer->dropped[kind];
    for (int i = 0; kind == 0 && i < TM_EVENT_KIND_END; i++)
        sum += writer->dropped[i];
    return sum;
}

int tm_log_writer_close(tm_log_writer *writer)
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

int tm__log_drop(tm_log_writer *writer, const tm_event *event)
{
    int known = event->kind < TM_EVENT_KIND_END;

    writer->dropped[known ? event->kind : 0]++;
    return TM_OK;
}

void tm__log_put_time(tm__output *output, int64_t ns, int64_t unit_ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    uint64_t unit = (uint64_t)unit_ns;
    uint64_t billionths = (uint64_t)((wide)(size % unit) * 1000000000 / unit);

    tm__output_format(output, "%s%llu", ns < 0 ? "-" : "",
                      (unsigned long long)(size / unit));
    if (unit > 1)
        tm__output_format(output, ".%09llu", (unsigned long long)billionths);
}
