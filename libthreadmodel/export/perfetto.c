/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace of Perfetto: packets, each a message of its own, written one after the other.
 *
 *     Trace.packet ── track_descriptor   the process, a track each thread, and two more
 *                  └─ track_event        begin and end of slices, instants with flows
 *
 * Slices of a track lie end to end, so the reader, which sorts by time and keeps the
 * order of what is of one time, sees an end before the next begin. An interaction is
 * two instants, on the track of who did it and of who went on, joined by a flow.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "export/perfetto.h"
#include "export/protobuf.h"
#include "export/story.h"

/* Numbers of fields, by message, as perfetto_trace.proto has them. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48
};
enum { ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };
enum { BEGINS = 1, ENDS = 2, INSTANT = 3 };

/* Tracks: those of threads count from FIRST_THREAD. */
enum { PROCESS_TRACK = 1, PATH_TRACK = 2, PAUSE_TRACK = 3, FIRST_THREAD = 16 };
enum { SEQUENCE = 1, SEQUENCE_STARTS = 1 };

typedef struct trace {
    const tm__export *to;
    tm__message message; ///< the packet in work
    uint32_t packet;
    uint32_t event;
    int has_begun;
} trace;

static void begin_packet(trace *self)
{
    self->message.length = 0;
    self->packet = tm__message_begin(&self->message, TRACE_PACKET);
    tm__message_number(&self->message, PACKET_SEQUENCE, SEQUENCE);
    if (!self->has_begun)
        tm__message_number(&self->message, PACKET_SEQUENCE_FLAGS, SEQUENCE_STARTS);
    self->has_begun = 1;
}

static void end_packet(trace *self)
{
    tm__message_end(&self->message, self->packet);
    if (self->message.failure == TM_OK)
        tm__output_put(self->to->output, self->message.bytes, self->message.length);
}

static void put_track(trace *self, uint64_t track, const char *name)
{
    uint32_t begin;

    begin_packet(self);
    begin = tm__message_begin(&self->message, PACKET_TRACK);
    tm__message_number(&self->message, TRACK_UUID, track);
    tm__message_text(&self->message, TRACK_NAME, name);
    if (track == PROCESS_TRACK) {
        uint32_t process = tm__message_begin(&self->message, TRACK_PROCESS);
        const tm_run *run = tm_model_run(self->to->model);
        uint64_t pid = run->pid <= INT32_MAX ? run->pid : 0;

        tm__message_number(&self->message, PROCESS_PID, pid);
        tm__message_text(&self->message, PROCESS_NAME, name);
        tm__message_end(&self->message, process);
    } else {
        tm__message_number(&self->message, TRACK_PARENT, PROCESS_TRACK);
    }
    tm__message_end(&self->message, begin);
    end_packet(self);
}

static void begin_event(trace *self, int type, uint64_t track, int64_t time_ns)
{
    begin_packet(self);
    tm__message_number(&self->message, PACKET_TIMESTAMP, (uint64_t)time_ns);
    self->event = tm__message_begin(&self->message, PACKET_EVENT);
    tm__message_number(&self->message, EVENT_TYPE, (uint64_t)type);
    tm__message_number(&self->message, EVENT_TRACK, track);
}

static void end_event(trace *self)
{
    tm__message_end(&self->message, self->event);
    end_packet(self);
}

static void annotate(trace *self, const char *name, const char *text)
{
    uint32_t begin;

    if (!text)
        return;
    begin = tm__message_begin(&self->message, EVENT_ANNOTATION);
    tm__message_text(&self->message, ANNOTATION_NAME, name);
    tm__message_text(&self->message, ANNOTATION_TEXT, text);
    tm__message_end(&self->message, begin);
}

/* Name and details of a slice or an instant. */
static void describe(trace *self, const char *category, const tm__story_slice *slice)
{
    tm__message_text(&self->message, EVENT_CATEGORY, category);
    tm__message_text(&self->message, EVENT_NAME, slice->name);
    annotate(self, "object", slice->object);
    annotate(self, "class", slice->class_name);
    annotate(self, "method", slice->method);
    annotate(self, "peer", slice->peer);
    annotate(self, "via", slice->via);
}

static void put_slice(trace *self, uint64_t track, const char *category,
                      const tm__story_slice *slice)
{
    begin_event(self, BEGINS, track, slice->start_ns);
    describe(self, category, slice);
    end_event(self);
    begin_event(self, ENDS, track, slice->end_ns);
    end_event(self);
}

static void put_flow(trace *self, const tm__flow *flow, uint64_t id)
{
    tm__story_slice what = {.name = flow->kind, .class_name = flow->class_name};

    begin_event(self, INSTANT, FIRST_THREAD + (uint64_t)flow->from, flow->from_ns);
    describe(self, "interaction", &what);
    annotate(self, "provenance", flow->provenance);
    tm__message_fixed64(&self->message, EVENT_FLOW, id);
    end_event(self);
    begin_event(self, INSTANT, FIRST_THREAD + (uint64_t)flow->to, flow->to_ns);
    describe(self, "interaction", &what);
    tm__message_fixed64(&self->message, EVENT_FLOW_END, id);
    end_event(self);
}

static void put_context(trace *self, const tm__story_slice *slice, uint32_t thread)
{
    if (thread == TM__NONE) {
        put_slice(self, PAUSE_TRACK, "context", slice);
        return;
    }
    begin_event(self, INSTANT, FIRST_THREAD + (uint64_t)thread, slice->end_ns);
    describe(self, "context", slice);
    end_event(self);
}

static void put_tracks(trace *self, const tm__story *story)
{
    const tm_run *run = tm_model_run(self->to->model);

    put_track(self, PROCESS_TRACK, run->command ? run->command : "threads");
    put_track(self, PATH_TRACK, "critical path");
    put_track(self, PAUSE_TRACK, "pauses");
    for (size_t i = 0; i < tm_table_row_count(story->threads); i++) {
        char buffer[32];

        put_track(self, FIRST_THREAD + i,
                  tm__story_thread_name(story, i, buffer, sizeof(buffer)));
    }
}

static void put_story(trace *self, const tm__story *story)
{
    tm__story_slice slice;
    tm__flow flow;
    uint32_t thread;

    put_tracks(self, story);
    for (size_t i = 0; i < tm_table_row_count(story->timeline); i++)
        if (tm__story_state(story, i, &slice, &thread))
            put_slice(self, FIRST_THREAD + (uint64_t)thread, "state", &slice);
    for (size_t i = 0; i < tm_table_row_count(story->path); i++) {
        tm__story_segment(story, i, &slice);
        put_slice(self, PATH_TRACK, "critical_path", &slice);
    }
    for (size_t i = 0; i < tm_table_row_count(story->interactions); i++)
        if (tm__story_flow(story, i, &flow))
            put_flow(self, &flow, i + 1);
    for (size_t i = 0; i < tm_table_row_count(story->context); i++) {
        tm__story_context(story, i, &slice, &thread);
        put_context(self, &slice, thread);
    }
}

int tm__export_perfetto(const tm__export *to)
{
    trace self = {.to = to, .message = {.memory = to->memory}};
    tm__story story;
    int rc = tm__story_open(&story, to);

    if (rc == TM_OK) {
        put_story(&self, &story);
        rc = self.message.failure;
    }
    tm__message_free(&self.message);
    tm__story_close(&story);
    return rc;
}
