/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Trace Event Format of Chrome: one object, a line an event. A state is a complete
 * event ("X"), a flow a start and a finish ("s", "f") of one id, each bound to the
 * slice that its thread is in; times are microseconds with three decimals.
 */
#include "export/chrome.h"

#include <inttypes.h>
#include <string.h>

#include "export/story.h"

/* Tracks beside those of threads, which are numbered from 1. */
enum { PROCESS = 1, PATH_TRACK = 0 };

/* Put text as a string of JSON, quotes and all. */
static void quote(tm__output *output, const char *text)
{
    const char *plain = text;

    tm__output_put(output, "\"", 1);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\')
            continue;
        tm__output_put(output, plain, (size_t)(text - plain));
        if (byte == '"' || byte == '\\') {
            tm__output_put(output, "\\", 1);
            tm__output_put(output, text, 1);
        } else {
            tm__output_format(output, "\\u%04x", byte);
        }
        plain = text + 1;
    }
    tm__output_put(output, plain, (size_t)(text - plain));
    tm__output_put(output, "\"", 1);
}

static uint32_t pause_track(const tm__story *story)
{
    return (uint32_t)tm_table_row_count(story->threads) + 1;
}

static void put_time(tm__output *output, const char *key, int64_t time_ns)
{
    tm__output_format(output, ",\"%s\":%" PRId64 ".%03d", key, time_ns / 1000,
                      (int)(time_ns % 1000));
}

/* "key":"text" among others, where there is a text. */
static void put_text(tm__output *output, const char *key, const char *text,
                     int *is_first)
{
    if (!text)
        return;
    tm__output_format(output, "%s\"%s\":", *is_first ? "" : ",", key);
    quote(output, text);
    *is_first = 0;
}

/* An event up to its arguments; the line before ends with a comma. */
static void begin(tm__output *output, const char *phase, const char *name,
                  uint32_t track, int64_t time_ns)
{
    tm__output_format(
        output, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"name\":", phase,
        PROCESS, track);
    quote(output, name);
    put_time(output, "ts", time_ns);
}

static void put_slice(tm__output *output, uint32_t track, const char *category,
                      const tm__story_slice *slice)
{
    int is_first = 1;

    begin(output, "X", slice->name, track, slice->start_ns);
    put_time(output, "dur", slice->end_ns - slice->start_ns);
    tm__output_format(output, ",\"cat\":\"%s\",\"args\":{", category);
    put_text(output, "object", slice->object, &is_first);
    put_text(output, "class", slice->class_name, &is_first);
    put_text(output, "method", slice->method, &is_first);
    put_text(output, "peer", slice->peer, &is_first);
    put_text(output, "via", slice->via, &is_first);
    tm__output_text(output, "}}");
}

static void put_track(tm__output *output, uint32_t track, const char *name)
{
    tm__output_format(output,
                      ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32
                      ",\"name\":\"thread_name\",\"args\":{\"name\":",
                      PROCESS, track);
    quote(output, name);
    tm__output_text(output, "}}");
}

static void put_tracks(tm__output *output, const tm__export *to, const tm__story *story)
{
    const tm_run *run = tm_model_run(to->model);

    tm__output_format(
        output,
        "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{"
        "\"name\":",
        PROCESS);
    quote(output, run->command ? run->command : "threads");
    tm__output_text(output, "}}");
    put_track(output, PATH_TRACK, "critical path");
    put_track(output, pause_track(story), "pauses");
    for (size_t i = 0; i < tm_table_row_count(story->threads); i++) {
        char buffer[32];

        put_track(output, (uint32_t)i + 1,
                  tm__story_thread_name(story, i, buffer, sizeof(buffer)));
    }
}

static void put_flow(tm__output *output, const tm__flow *flow, size_t id)
{
    begin(output, "s", flow->kind, flow->from + 1, flow->from_ns);
    tm__output_format(output, ",\"cat\":\"interaction\",\"id\":%zu}", id);
    begin(output, "f", flow->kind, flow->to + 1, flow->to_ns);
    tm__output_format(output, ",\"cat\":\"interaction\",\"id\":%zu,\"bp\":\"e\"}", id);
}

/* Pauses of all threads have a track; the rest are instants of their thread's. */
static void put_context(tm__output *output, const tm__story *story, size_t row)
{
    tm__story_slice slice;
    uint32_t thread;

    tm__story_context(story, row, &slice, &thread);
    if (thread == TM__NONE) {
        put_slice(output, pause_track(story), "context", &slice);
        return;
    }
    begin(output, "i", slice.name, thread + 1, slice.end_ns);
    tm__output_text(output, ",\"cat\":\"context\",\"s\":\"t\"}");
}

int tm__export_chrome(const tm__export *to)
{
    tm__output *output = to->output;
    tm__story story;
    tm__story_slice slice;
    tm__flow flow;
    uint32_t thread;
    int rc = tm__story_open(&story, to);

    if (rc == TM_OK) {
        tm__output_text(output, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        put_tracks(output, to, &story);
        for (size_t i = 0; i < tm_table_row_count(story.timeline); i++)
            if (tm__story_state(&story, i, &slice, &thread))
                put_slice(output, thread + 1, "state", &slice);
        for (size_t i = 0; i < tm_table_row_count(story.path); i++) {
            tm__story_segment(&story, i, &slice);
            put_slice(output, PATH_TRACK, "critical_path", &slice);
        }
        for (size_t i = 0; i < tm_table_row_count(story.interactions); i++)
            if (tm__story_flow(&story, i, &flow))
                put_flow(output, &flow, i + 1);
        for (size_t i = 0; i < tm_table_row_count(story.context); i++)
            put_context(output, &story, i);
        tm__output_text(output, "\n]}\n");
    }
    tm__story_close(&story);
    return rc;
}
