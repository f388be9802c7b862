/* SPDX-License-Identifier: Apache-2.0 */
/* Which format is it? The first of the list that knows the file's first bytes. */
#include "formats/source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/sink.h"
#include "base/sized.h"
#include "base/sort.h"
#include "formats/contention/contention_reader.h"
#include "formats/filter.h"
#include "formats/go/go_reader.h"
#include "formats/hprof/hprof_reader.h"
#include "formats/hprof/hprof_text_reader.h"
#include "formats/jfr/jfr_reader.h"
#include "formats/json/json_dump_reader.h"
#include "formats/json/thread_info_reader.h"
#include "formats/jstack/jstack_reader.h"
#include "formats/plain/plain_reader.h"
#include "formats/tptp/tptp_reader.h"
#include "formats/unpack/file_chain.h"
#include "formats/unpack/packed_file.h"
#include "formats/unpack/spool.h"
#include "trace/trace_reader.h"

/* Formats with a magic number come before those that have to guess; jstack takes any
 * text, for there may be a dump in it. */
static const tm__format *const formats[] = {
    &tm__format_tmt,        &tm__format_go,     &tm__format_jfr,
    &tm__format_hprof_text, &tm__format_hprof,  &tm__format_contention,
    &tm__format_tptp,       &tm__format_json,   &tm__format_thread_info,
    &tm__format_plain,      &tm__format_jstack,
};

struct tm_source {
    tm__memory memory;
    tm__input input;
    const tm__format *format;
    void *reader;
    tm__filter filter;
    int is_named; ///< the sink has received file and format
    int is_damage_reported;
    char damage[240]; ///< of what was packed, where there is a copy of it
};

static int unknown(const char *path, const uint8_t *bytes, size_t length)
{
    char start[3 * 8 + 1] = "";

    if (length == 0)
        return tm__fail(TM_EFORMAT, "%s: empty file", path);
    if (length >= 8 && memcmp(bytes, "FLR\0", 4) == 0)
        return tm__fail(TM_EFORMAT,
                        "%s: a recording of JFR in version %u.%u, which is not read: "
                        "JDK 11 and later write 2, and JDK 8 does from 8u262 on; "
                        "Oracle's JDK 7 and 8 write 0.9",
                        path, (unsigned)(bytes[4] << 8 | bytes[5]),
                        (unsigned)(bytes[6] << 8 | bytes[7]));
    for (size_t i = 0; i < length && i < 8; i++)
        snprintf(start + 3 * i, 4, " %02x", bytes[i]);
    return tm__fail(TM_EFORMAT,
                    "%s: not a recording of any known format (starts with%s)", path,
                    start);
}

/* A caller that states the order of a log's fields has named the format. */
static int is_of(const tm__format *format, const tm_source_options *options,
                 const uint8_t *bytes, size_t length)
{
    return options->dialect ? format == &tm__format_contention
                            : format->probe(bytes, length);
}

/* The first of the list that knows the beginning of a file; NULL: none does. */
static const tm__format *format_of(const uint8_t *bytes, size_t length,
                                   const tm_source_options *options)
{
    for (size_t i = 0; length > 0 && i < sizeof(formats) / sizeof(*formats); i++)
        if (is_of(formats[i], options, bytes, length))
            return formats[i];
    return NULL;
}

/* Whether a file is of a format, and when it begins; TM_MORE: it does not say. */
static int look_into(tm_source *source, const tm__format *format, const char *path,
                     int64_t *time_ns, int *is_packed)
{
    static const tm_source_options defaults = {0};
    const uint8_t *bytes = NULL;
    size_t available = 0;
    tm__input input;
    int rc = tm__input_open(&input, &source->memory, path);

    if (rc < 0)
        return rc;
    rc = tm__packed_open(&input, &source->memory);
    *is_packed |= input.stream.read != NULL;
    if (rc == TM_OK)
        rc = tm__input_view(&input, 0, TM__PROBE_BYTES, &bytes, &available);
    if (rc == TM_OK && format_of(bytes, available, &defaults) != format)
        rc = tm__fail(TM_EFORMAT, "%s: not of the same format as %s (%s)", path,
                      source->input.path, format->name);
    else if (rc == TM_OK && !format->begins(bytes, available, time_ns))
        rc = TM_MORE;
    tm__input_close(&input);
    return rc;
}

static int by_number(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (left > right) - (left < right);
}

/* The same for files where some are packed: one after the other, as through a pipe. */
static int join_packed(tm_source *source, const char *path,
                       const tm_source_options *options, const tm__sortable *order)
{
    size_t count = options->more_count + 1;
    const char **paths = tm__resize(&source->memory, NULL, 0, count * sizeof(*paths));
    int rc;

    if (!paths)
        return TM_ENOMEM;
    for (size_t i = 0; i < count; i++)
        paths[i] = order[i].number ? options->more_paths[order[i].number - 1] : path;
    rc = tm__file_chain_open(&source->input, &source->memory, paths, count);
    tm__free(&source->memory, paths, count * sizeof(*paths));
    return rc;
}

/* Open all files as one, by the time they begin; in the order given when one of them
 * does not say. Number 0 is the first of them, the others are more_paths. */
static int join(tm_source *source, const char *path, const tm_source_options *options,
                tm__sortable *order)
{
    uint32_t count = (uint32_t)options->more_count + 1;
    int rc = TM_OK, is_sorted = 1, is_packed = 0;

    for (uint32_t i = 0; i < count && rc >= 0; i++) {
        order[i] = (tm__sortable){.number = i};
        rc = look_into(source, source->format, i ? options->more_paths[i - 1] : path,
                       &order[i].key, &is_packed);
        if (rc == TM_MORE)
            is_sorted = 0;
    }
    if (rc < 0)
        return rc;
    if (is_sorted)
        tm__sort(order, order + count, count, by_number, NULL);
    tm__input_close(&source->input);
    if (is_packed)
        return join_packed(source, path, options, order);
    for (uint32_t i = 0; i < count; i++) {
        const char *next =
            order[i].number ? options->more_paths[order[i].number - 1] : path;

        rc = i ? tm__input_append(&source->input, next)
               : tm__input_open(&source->input, &source->memory, next);
        if (rc < 0)
            return rc;
    }
    return TM_OK;
}

static int join_more(tm_source *source, const tm_source_options *options)
{
    size_t bytes = 2 * (options->more_count + 1) * sizeof(tm__sortable);
    size_t name_bytes = strlen(source->input.path) + 1;
    tm__sortable *order;
    char *path;
    int rc = TM_ENOMEM;

    if (!source->format->begins)
        return tm__fail(TM_EUNSUPPORTED,
                        "%s: files of format %s are read one at a time",
                        source->input.path, source->format->name);
    if (options->more_count > UINT32_MAX / 64)
        return tm__fail(TM_ELIMIT, "%zu files, more than %u", options->more_count,
                        UINT32_MAX / 64);
    order = tm__resize(&source->memory, NULL, 0, bytes);
    path = tm__resize(&source->memory, NULL, 0, name_bytes);
    if (order && path) {
        memcpy(path, source->input.path, name_bytes);
        rc = join(source, path, options, order);
    }
    tm__free(&source->memory, order, bytes);
    tm__free(&source->memory, path, name_bytes);
    return rc;
}

/* The library that reads a format and that this build was made without; NULL: it lacks
 * none. */
static const char *lacking(const tm__format *format)
{
#ifdef TM_WITHOUT_ZSTD
    if (format == &tm__format_tmt)
        return "zstd";
#endif
#ifdef TM_WITHOUT_EXPAT
    if (format == &tm__format_tptp)
        return "expat";
#endif
#ifdef TM_WITHOUT_YAJL
    if (format == &tm__format_json || format == &tm__format_thread_info)
        return "yajl";
#endif
    (void)format;
    return NULL;
}

static int find_format(tm_source *source, const tm_source_options *options)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc = tm__packed_open(&source->input, &source->memory);

    if (rc == TM_OK)
        rc = tm__input_view(&source->input, 0, TM__PROBE_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    source->format = format_of(bytes, available, options);
    if (!source->format)
        return unknown(source->input.path, bytes, available);
    if (lacking(source->format))
        return tm__fail(TM_EUNSUPPORTED,
                        "%s: format %s is read by %s, which this libthreadmodel was "
                        "built without",
                        source->input.path, source->format->name,
                        lacking(source->format));
    if (options->more_count &&
        (source->input.descriptor >= 0 || source->input.stream.read))
        rc = join_more(source, options);
    if (rc == TM_OK && source->format->is_random && source->input.stream.read)
        rc = tm__spool(&source->input, &source->memory, source->damage,
                       sizeof(source->damage));
    if (rc < 0)
        return rc;
    source->reader = tm__zalloc(&source->memory, source->format->reader_bytes);
    if (!source->reader)
        return TM_ENOMEM;
    return source->format->open(source->reader, &source->memory, &source->input,
                                options);
}

static int source_open(tm_source **out, const char *path, const void *data,
                       size_t length, const tm_source_options *given)
{
    tm_source_options options;
    tm_source *source;
    tm__memory memory;
    int rc = TM__READ(&options, given, tm_source_options, allocator);

    *out = NULL;
    if (rc < 0)
        return rc;
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

/* The packed data may have ended too early. */
static int end_of_stream(tm_source *source, const tm_sink *sink)
{
    const tm__input_stream *stream = &source->input.stream;
    const char *damage = stream->damage      ? stream->damage(stream->state)
                         : source->damage[0] ? source->damage
                                             : NULL;
    int rc = TM_OK;

    if (!damage)
        return TM_OK;
    if (!source->is_damage_reported)
        rc = sink->caveat(sink->payload, damage);
    if (rc < 0)
        return rc;
    source->is_damage_reported = 1;
    return tm__fail(TM_EDAMAGED, "%s", damage);
}

int tm_source_read(tm_source *source, const tm_sink *given)
{
    const tm_sink *sink;
    tm_sink whole;
    int rc;

    TM__CHECK(source);
    TM__CHECK(given);
    rc = tm__sink_read(&whole, given);
    if (rc < 0)
        return rc;
    sink = tm__filter_before(&source->filter, &whole);
    if (!source->is_named) {
        /* The file's own statement of its origin comes later and stands. */
        tm_run run = {.size = sizeof(run),
                      .source = source->input.path,
                      .format = source->format->name};
        char joined[4096];

        if (source->input.part_count) {
            snprintf(joined, sizeof(joined), "%s and %u more", run.source,
                     source->input.part_count);
            run.source = joined;
        }
        source->is_named = 1;
        rc = sink->run(sink->payload, &run);
        if (rc == TM_OK)
            rc = tm__filter_emit_caveat(&source->filter);
        if (rc < 0)
            return rc;
    }
    rc = source->format->read(source->reader, sink);
    return rc == TM_OK ? end_of_stream(source, sink) : rc;
}

int tm_source_follow(tm_source *source, int growing)
{
    TM__CHECK(source);
    if (source->format != &tm__format_tmt)
        return tm__fail(TM_EUNSUPPORTED,
                        "%s: a file of format %s can be read only when it is complete",
                        source->input.path, source->format->name);
    tm__trace_follow(source->reader, growing);
    return TM_OK;
}

const char *tm_source_format(const tm_source *source)
{
    return source->format->name;
}

uint64_t tm_source_position_bytes(const tm_source *source)
{
    const tm__input_stream *stream = &source->input.stream;

    return stream->position ? stream->position(stream->state)
                            : source->format->position(source->reader);
}

uint64_t tm_source_length_bytes(const tm_source *source)
{
    return source->input.length;
}

void tm_source_close(tm_source *source)
{
    tm__memory memory;

    if (!source)
        return;
    if (source->reader) {
        source->format->close(source->reader);
        tm__free(&source->memory, source->reader, source->format->reader_bytes);
    }
    tm__input_close(&source->input);
    memory = source->memory;
    tm__free(&memory, source, sizeof(*source));
}
