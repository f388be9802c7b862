/* SPDX-License-Identifier: Apache-2.0 */
/* Which format is it? The first of the list that knows the file's first bytes. */
#include "formats/source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "formats/contention/reader.h"
#include "formats/filter.h"
#include "formats/jfr/reader.h"
#include "formats/json/reader.h"
#include "formats/jstack/reader.h"
#include "formats/tptp/reader.h"
#include "trace/reader.h"

/* Formats with a magic number come before those that have to guess; jstack takes any
 * text, for there may be a dump in it. */
static const tm__format *const formats[] = {
    &tm__format_tmt,  &tm__format_jfr,  &tm__format_contention,
    &tm__format_tptp, &tm__format_json, &tm__format_jstack,
};

struct tm_source {
    tm__memory memory;
    tm__input input;
    const tm__format *format;
    void *reader;
    tm__filter filter;
    int is_named; ///< the sink was told file and format
};

static int unknown(const char *path, const uint8_t *bytes, size_t length)
{
    char start[3 * 8 + 1] = "";

    if (length == 0)
        return tm__fail(TM_EFORMAT, "%s: empty file", path);
    for (size_t i = 0; i < length && i < 8; i++)
        snprintf(start + 3 * i, 4, " %02x", bytes[i]);
    return tm__fail(TM_EFORMAT,
                    "%s: not a recording of any known format (starts with%s)", path,
                    start);
}

/* Who knows the order of a log's fields knows what the file is. */
static int is_of(const tm__format *format, const tm_source_options *options,
                 const uint8_t *bytes, size_t length)
{
    return options->dialect ? format == &tm__format_contention
                            : format->probe(bytes, length);
}

static int find_format(tm_source *source, const tm_source_options *options)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc = tm__input_view(&source->input, 0, TM__PROBE_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    for (size_t i = 0; available > 0 && i < sizeof(formats) / sizeof(*formats); i++) {
        if (!is_of(formats[i], options, bytes, available))
            continue;
        source->format = formats[i];
        return source->format->open(&source->reader, &source->memory, &source->input,
                                    options);
    }
    return unknown(source->input.path, bytes, available);
}

static int source_open(tm_source **out, const char *path, const void *data,
                       size_t length, const tm_source_options *given)
{
    tm_source_options options = {0};
    tm_source *source;
    tm__memory memory;
    int rc;

    *out = NULL;
    if (given)
        memcpy(&options, given,
               given->size < sizeof(options) ? given->size : sizeof(options));
    tm__memory_init(&memory, options.allocator);
    source = tm__zalloc(&memory, sizeof(*source));
    if (!source)
        return TM_ENOMEM;
    source->memory = memory;
    tm__filter_init(&source->filter, options.kinds, options.flags);
    rc = data ? tm__input_open_memory(&source->input, &source->memory, path, data,
                                      length)
              : tm__input_open(&source->input, &source->memory, path);
    if (rc == TM_OK)
        rc = find_format(source, &options);
    if (rc < 0) {
        tm_source_close(source);
        return rc;
    }
    *out = source;
    return TM_OK;
}

int tm_source_open(tm_source **out, const char *path, const tm_source_options *options)
{
    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(path);
    return source_open(out, path, NULL, 0, options);
}

int tm__source_open_memory(tm_source **out, const char *name, const void *data,
                           size_t length, const tm_source_options *options)
{
    return source_open(out, name, data, length, options);
}

int tm_source_read(tm_source *source, const tm_sink *sink)
{
    TM__CHECK(source);
    TM__CHECK(sink);
    sink = tm__filter_before(&source->filter, sink);
    if (!source->is_named) {
        /* What the file itself says of its origin comes later and stands. */
        tm_run run = {.size = sizeof(run),
                      .source = source->input.path,
                      .format = source->format->name};
        int rc;

        source->is_named = 1;
        rc = sink->run(sink->payload, &run);
        if (rc == TM_OK)
            rc = tm__filter_say(&source->filter);
        if (rc < 0)
            return rc;
    }
    return source->format->read(source->reader, sink);
}

int tm_source_follow(tm_source *source, int growing)
{
    TM__CHECK(source);
    if (source->format != &tm__format_tmt)
        return tm__fail(TM_EUNSUPPORTED,
                        "%s: a file of format %s is read when it is "
                        "complete",
                        source->input.path, source->format->name);
    tm__trace_follow(source->reader, growing);
    return TM_OK;
}

const char *tm_source_format(const tm_source *source)
{
    return source->format->name;
}

uint64_t tm_source_position(const tm_source *source)
{
    return source->format->position(source->reader);
}

uint64_t tm_source_length(const tm_source *source)
{
    return source->input.length;
}

void tm_source_close(tm_source *source)
{
    tm__memory memory;

    if (!source)
        return;
    if (source->reader)
        source->format->close(source->reader);
    tm__input_close(&source->input);
    memory = source->memory;
    tm__free(&memory, source, sizeof(*source));
}
