/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any names in a run of known events, written by every exporter. Each output is one
 * that its format allows: JSON parses, messages of protobuf nest, lines and labels stay
 * one, rows of CSV have a field for each column, HPROF's text reads back.
 *
 * The bytes are the names, each ended by a zero.
 */
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/utf8.h"
#include "formats/source.h"
#include "fuzz.h"

enum { NAMES = 12, MOST_BYTES = 1 << 16 };

typedef struct text {
    char *bytes;
    size_t count, capacity;
} text;

static int collect(void *payload, const char *bytes, size_t count)
{
    text *to = payload;

    if (to->count + count + 1 > to->capacity) {
        to->capacity = 2 * (to->count + count + 1);
        to->bytes = realloc(to->bytes, to->capacity);
        FUZZ_CHECK(to->bytes != NULL);
    }
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
    to->bytes[to->count] = '\0';
    return TM_OK;
}

static void define(const tm_sink *sink, const char *const *names)
{
    tm_run run = {.size = sizeof(run),
                  .producer = names[9],
                  .vm = names[10],
                  .command = names[11],
                  .start_wall_ns = 1};

    sink->run(sink->payload, &run);
    for (uint32_t i = 1; i <= 3; i++) {
        tm_frame frames[] = {{.method = i, .line = (int32_t)i}, {.method = 1}};
        tm_class class_ = {sizeof(class_),          i, names[i - 1],
                           i < 3 ? names[i] : NULL, 0, i == 2 ? names[i + 3] : NULL};
        tm_method method = {sizeof(method), i, i, names[i + 2], NULL,
                            NULL,           0, 0, NULL,         0};
        tm_stack stack = {sizeof(stack), i, 0, frames, 2};
        tm_thread thread = {.size = sizeof(thread),
                            .id = i,
                            .name = names[i + 5],
                            .group = i < 3 ? names[i + 6] : NULL};
        tm_object object = {.size = sizeof(object), .id = 100 + i, .class_id = i};

        sink->define_class(sink->payload, &class_);
        sink->define_method(sink->payload, &method);
        sink->define_stack(sink->payload, &stack);
        sink->define_thread(sink->payload, &thread);
        sink->define_object(sink->payload, &object);
    }
}

/* A block with a handoff, a wait, a park, a pause, a sample, and a deadlock. */
static const tm_event events[] = {
    {.time_ns = 1, .thread = 1, .kind = TM_EVENT_THREAD_START},
    {.time_ns = 2, .thread = 2, .kind = TM_EVENT_THREAD_START, .peer = 1},
    {.time_ns = 3, .thread = 1, .kind = TM_EVENT_ACQUIRED, .object = 101, .stack = 1},
    {.time_ns = 10,
     .thread = 2,
     .kind = TM_EVENT_CONTENDED_ENTER,
     .object = 101,
     .peer = 1,
     .flags = TM_EVENT_PEER_REPORTED,
     .stack = 2},
    {.time_ns = 50, .thread = 1, .kind = TM_EVENT_RELEASED, .object = 101},
    {.time_ns = 60, .thread = 2, .kind = TM_EVENT_CONTENDED_ENTERED, .object = 101},
    {.time_ns = 70, .thread = 3, .kind = TM_EVENT_WAIT, .object = 103, .stack = 3},
    {.time_ns = 80, .thread = 2, .kind = TM_EVENT_NOTIFY, .object = 103, .stack = 2},
    {.time_ns = 90, .thread = 3, .kind = TM_EVENT_WAITED, .object = 103},
    {.time_ns = 95, .kind = TM_EVENT_GC_PAUSE, .value = 3},
    {.time_ns = 96, .thread = 1, .kind = TM_EVENT_CPU_SAMPLE, .stack = 1},
    {.time_ns = 97, .thread = 3, .kind = TM_EVENT_PARK, .object = 102, .stack = 3},
    {.time_ns = 98, .thread = 1, .kind = TM_EVENT_UNPARK_CALLED, .peer = 3},
    {.time_ns = 99, .thread = 3, .kind = TM_EVENT_UNPARKED, .object = 102},
    {.time_ns = 100,
     .thread = 1,
     .kind = TM_EVENT_CONTENDED_ENTER,
     .object = 102,
     .peer = 2,
     .flags = TM_EVENT_PEER_REPORTED,
     .stack = 1},
    {.time_ns = 110,
     .thread = 2,
     .kind = TM_EVENT_CONTENDED_ENTER,
     .object = 101,
     .peer = 1,
     .flags = TM_EVENT_PEER_REPORTED,
     .stack = 2},
};

static void check_json(const char *json, size_t count)
{
    yajl_handle parser = yajl_alloc(NULL, NULL, NULL);

    FUZZ_CHECK(parser != NULL);
    FUZZ_CHECK(yajl_parse(parser, (const unsigned char *)json, count) ==
               yajl_status_ok);
    FUZZ_CHECK(yajl_complete_parse(parser) == yajl_status_ok);
    yajl_free(parser);
}

/* @return the number, and `at` is behind it */
static uint64_t varint(const text *from, size_t *at, size_t end)
{
    uint64_t number = 0;

    for (int shift = 0; shift < 70; shift += 7) {
        FUZZ_CHECK(*at < end);
        unsigned char byte = (unsigned char)from->bytes[(*at)++];

        number |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return number;
    }
    FUZZ_CHECK(0 && "a number of at most ten bytes");
    return 0;
}

/* Fields end where their message does. */
static void check_fields(const text *from)
{
    for (size_t at = 0; at < from->count;) {
        uint64_t key = varint(from, &at, from->count);
        uint64_t skipped = 0;

        FUZZ_CHECK(key >> 3 > 0);
        switch (key & 7) {
        case 0: varint(from, &at, from->count); break;
        case 1: skipped = 8; break;
        case 2: skipped = varint(from, &at, from->count); break;
        case 5: skipped = 4; break;
        default: FUZZ_CHECK(0 && "a wire type that protobuf has");
        }
        FUZZ_CHECK(skipped <= from->count - at);
        at += (size_t)skipped;
    }
}

/* Each line ends in a blank and a number. */
static void check_collapsed(const text *from)
{
    const char *line = from->bytes;

    while (line && *line) {
        const char *end = strchr(line, '\n');

        FUZZ_CHECK(end != NULL && end > line);
        const char *digit = end - 1;

        while (digit > line && *digit >= '0' && *digit <= '9')
            digit--;
        FUZZ_CHECK(digit > line && *digit == ' ' && digit + 1 < end);
        line = end + 1;
    }
}

/* Quotes and braces are closed, and no label has a line's end in it. */
static void check_dot(const text *from)
{
    int is_quoted = 0, depth = 0;

    for (size_t i = 0; i < from->count; i++) {
        char c = from->bytes[i];

        if (is_quoted && c == '\\')
            i++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (is_quoted)
            FUZZ_CHECK(c != '\n');
        else
            depth += (c == '{') - (c == '}');
        FUZZ_CHECK(depth >= 0);
    }
    FUZZ_CHECK(!is_quoted && depth == 0);
}

static void check_hprof(const text *from)
{
    tm_source *source;
    tm_model *model;
    int rc;

    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    FUZZ_CHECK(tm__source_open_memory(&source, "hprof", from->bytes, from->count,
                                      NULL) == TM_OK);
    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    FUZZ_CHECK(rc == TM_OK);
    tm_source_close(source);
    tm_model_free(model);
}

static void check_export(const text *written, int format)
{
    switch (format) {
    case TM_EXPORT_CHROME: check_json(written->bytes, written->count); break;
    case TM_EXPORT_COLLAPSED: check_collapsed(written); break;
    case TM_EXPORT_DOT: check_dot(written); break;
    case TM_EXPORT_HPROF: check_hprof(written); break;
    default: check_fields(written); return;
    }
    FUZZ_CHECK(tm__utf8_valid_bytes(written->bytes, written->count) == written->count);
}

static void export_all(const tm_model *model)
{
    for (int format = TM_EXPORT_PERFETTO; format <= TM_EXPORT_OTLP; format++)
        for (int side = TM_EXPORT_WAITERS; side <= TM_EXPORT_OWNERS; side++) {
            text written = {0};
            tm_export_options options = {.size = sizeof(options),
                                         .format = format,
                                         .side = side,
                                         .write = collect,
                                         .payload = &written};
            int rc = tm_export_write(model, NULL, &options);

            FUZZ_CHECK(rc == TM_OK || (rc == TM_EINVAL && side));
            if (rc == TM_OK)
                check_export(&written, format);
            free(written.bytes);
        }
}

/* Every row has a field for each column. */
static void check_csv(const text *from, size_t columns)
{
    size_t fields = 1;
    int is_quoted = 0;

    for (size_t i = 0; i < from->count; i++) {
        char c = from->bytes[i];

        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && c == ',') {
            fields++;
        } else if (!is_quoted && c == '\r') {
            FUZZ_CHECK(from->bytes[++i] == '\n' && fields == columns);
            fields = 1;
        } else if (!is_quoted) {
            FUZZ_CHECK(c != '\n');
        }
    }
    FUZZ_CHECK(!is_quoted && fields == 1);
}

static void write_tables(const tm_model *model)
{
    static int (*const questions[])(tm_table **, const tm_model *) = {
        tm_deadlock_list, tm_finding_list, tm_stack_list, tm_lock_edge_list};

    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
        text csv = {0}, sheet = {0}, json = {0};
        tm_table *table;

        FUZZ_CHECK(questions[i](&table, model) == TM_OK);
        FUZZ_CHECK(tm_table_write_csv(table, collect, &csv) == TM_OK);
        check_csv(&csv, tm_table_column_count(table));
        FUZZ_CHECK(tm_table_write_sheet(table, collect, &sheet) == TM_OK);
        check_csv(&sheet, tm_table_column_count(table));
        FUZZ_CHECK(tm_table_write_json(table, collect, &json) == TM_OK);
        check_json(json.bytes, json.count);
        tm_table_free(table);
        free(csv.bytes);
        free(sheet.bytes);
        free(json.bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static char copy[MOST_BYTES + 1];
    const char *names[NAMES];
    tm_model *model;
    size_t at = 0;

    if (count > MOST_BYTES)
        return 0;
    if (count > 0)
        memcpy(copy, bytes, count);
    copy[count] = '\0';
    for (size_t i = 0; i < NAMES; i++) {
        names[i] = copy + at;
        at += strlen(copy + at) + (at + strlen(copy + at) < count);
    }
    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    define(tm_model_sink(model), names);
    FUZZ_CHECK(tm_model_ingest(model, events, sizeof(events) / sizeof(*events)) ==
               TM_OK);
    export_all(model);
    write_tables(model);
    tm_model_free(model);
    return 0;
}
