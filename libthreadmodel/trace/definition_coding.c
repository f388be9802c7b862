/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions come in thousands where events come in millions, so nothing here is
 * clever: fields in the order of the struct, each a varint or a string. Stacks are
 * the bulk; their methods are coded by distance from the frame above, which for
 * ids that are addresses is half the bytes.
 */
#include "trace/definition_coding.h"

#include "base/error.h"
#include "base/sized.h"
#include "trace/trace_frame.h"

/* Room for `numbers` of the widest and some bytes of text. */
static uint8_t *make_room(tm__bytes *out, size_t numbers, size_t text_bytes)
{
    size_t room = numbers * TM__VARINT_BYTES + text_bytes;

    return tm__bytes_reserve(out, room) == TM_OK ? out->data + out->length : NULL;
}

/* Take what was put, unless no reader would. */
static int keep(tm__bytes *out, const uint8_t *end, const char *what)
{
    size_t bytes = (size_t)(end - (out->data + out->length));

    if (bytes > TM__DEFINITION_LIMIT)
        return tm__fail(TM_ELIMIT, "%s of %zu bytes, more than %d", what, bytes,
                        TM__DEFINITION_LIMIT);
    out->length += bytes;
    return TM_OK;
}

static int too_many(const char *what, size_t count)
{
    return tm__fail(TM_ELIMIT, "%s of %zu items, more than %d", what, count,
                    TM__DEFINITION_ITEM_LIMIT);
}

int tm__run_put(tm__bytes *out, const tm_run *given)
{
    tm_run run;
    uint8_t *at;
    int rc = TM__READ(&run, given, tm_run, source);
    int has_end = rc == TM_OK &&
                  (run.processors || run.ending || run.object_kinds || run.stopped_ns);

    if (rc < 0)
        return rc;
    at = make_room(out, 22,
                   tm__string_room(run.source) + tm__string_room(run.format) +
                       tm__string_room(run.producer) + tm__string_room(run.vm) +
                       tm__string_room(run.command));
    if (!at)
        return tm__failure();
    at = tm__encode_string(at, run.source);
    at = tm__encode_string(at, run.format);
    at = tm__encode_string(at, run.producer);
    at = tm__encode_string(at, run.vm);
    at = tm__encode_string(at, run.command);
    at = tm__encode_varint(at, run.pid);
    at = tm__encode_signed(at, run.start_wall_ns);
    at = tm__encode_signed(at, run.start_ns);
    at = tm__encode_signed(at, run.end_ns);
    at = tm__encode_signed(at, run.threshold_ns);
    at = tm__encode_varint(at, run.kinds);
    at = tm__encode_signed(at, run.policy);
    at = tm__encode_signed(at, run.identity);
    if (run.id || run.cost_events || has_end)
        at = tm__encode_varint(at, run.id);
    if (run.cost_events || has_end) {
        at = tm__encode_varint(at, run.cost_events);
        at = tm__encode_varint(at, run.cost_dropped);
        at = tm__encode_varint(at, run.cost_bytes);
        at = tm__encode_signed(at, run.cost_threads_ns);
        at = tm__encode_signed(at, run.cost_stacks_ns);
        at = tm__encode_signed(at, run.cost_recorder_ns);
    }
    if (has_end)
        at = tm__encode_varint(at, run.processors);
    if (run.ending || run.object_kinds || run.stopped_ns) {
        at = tm__encode_signed(at, run.ending);
        at = tm__encode_signed(at, run.ending_status);
    }
    if (run.object_kinds || run.stopped_ns)
        at = tm__encode_varint(at, run.object_kinds);
    if (run.stopped_ns)
        at = tm__encode_signed(at, run.stopped_ns);
    return keep(out, at, "run");
}

int tm__caveat_put(tm__bytes *out, const char *sentence)
{
    uint8_t *at = make_room(out, 0, tm__string_room(sentence));

    if (!at)
        return tm__failure();
    return keep(out, tm__encode_string(at, sentence), "sentence");
}

int tm__class_put(tm__bytes *out, const tm_class *given)
{
    tm_class definition;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc < 0)
        return rc;
    at = make_room(out, 2,
                   tm__string_room(definition.name) +
                       tm__string_room(definition.source) +
                       tm__string_room(definition.build_id));
    if (!at)
        return tm__failure();
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_string(at, definition.name);
    at = tm__encode_string(at, definition.source);
    if (definition.flags || definition.build_id)
        at = tm__encode_varint(at, definition.flags);
    if (definition.build_id)
        at = tm__encode_string(at, definition.build_id);
    return keep(out, at, "class");
}

static uint8_t *put_monitors(uint8_t *at, const tm_method *definition)
{
    uint64_t before = 0;

    at = tm__encode_varint(at, definition->monitor_count);
    for (size_t i = 0; i < definition->monitor_count; i++) {
        uint64_t enter = (uint64_t)definition->monitors[i].enter;
        uint64_t end = (uint64_t)definition->monitors[i].end;

        at = tm__encode_varint(at, tm__zigzag(enter - before));
        at = tm__encode_varint(at, tm__zigzag(end - enter));
        before = enter;
    }
    return at;
}

int tm__method_put(tm__bytes *out, const tm_method *given)
{
    tm_method definition;
    size_t count, monitors;
    uint64_t location = 0, line = 0;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0)
        return rc;
    count = definition.lines ? definition.line_count : 0;
    monitors = definition.monitors ? definition.monitor_count : 0;
    if (count > TM__DEFINITION_ITEM_LIMIT)
        return too_many("method", count);
    if (monitors > TM__DEFINITION_ITEM_LIMIT)
        return too_many("method", monitors);
    at = make_room(out, 5 + 2 * count + 2 * monitors,
                   tm__string_room(definition.name) +
                       tm__string_room(definition.signature));
    if (!at)
        return tm__failure();
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_varint(at, definition.class_id);
    at = tm__encode_string(at, definition.name);
    at = tm__encode_string(at, definition.signature);
    at = tm__encode_varint(at, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t next_location = (uint64_t)definition.lines[i].location;
        uint64_t next_line = (uint64_t)definition.lines[i].line;

        at = tm__encode_varint(at, tm__zigzag(next_location - location));
        at = tm__encode_varint(at, tm__zigzag(next_line - line));
        location = next_location;
        line = next_line;
    }
    if (definition.flags || definition.monitors)
        at = tm__encode_varint(at, definition.flags);
    if (definition.monitors)
        at = put_monitors(at, &definition);
    return keep(out, at, "method");
}

int tm__stack_put(tm__bytes *out, const tm_stack *given)
{
    tm_stack definition;
    size_t count;
    uint64_t method = 0;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_stack, id);

    if (rc < 0)
        return rc;
    count = definition.frames ? definition.frame_count : 0;
    if (count > TM__DEFINITION_ITEM_LIMIT)
        return too_many("stack", count);
    at = make_room(out, 3 + 3 * count, 0);
    if (!at)
        return tm__failure();
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_varint(at, definition.flags);
    at = tm__encode_varint(at, count);
    for (size_t i = 0; i < count; i++) {
        const tm_frame *frame = &definition.frames[i];

        at = tm__encode_varint(at, tm__zigzag(frame->method - method));
        at = tm__encode_signed(at, frame->location);
        at = tm__encode_signed(at, frame->line);
        method = frame->method;
    }
    return keep(out, at, "stack");
}

int tm__thread_put(tm__bytes *out, const tm_thread *given)
{
    tm_thread definition;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_thread, id);

    if (rc < 0)
        return rc;
    at = make_room(
        out, 6, tm__string_room(definition.name) + tm__string_room(definition.group));
    if (!at)
        return tm__failure();
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_varint(at, definition.object);
    at = tm__encode_varint(at, definition.os_id);
    at = tm__encode_string(at, definition.name);
    at = tm__encode_string(at, definition.group);
    at = tm__encode_signed(at, definition.priority);
    at = tm__encode_varint(at, definition.flags);
    if (definition.pid)
        at = tm__encode_varint(at, definition.pid);
    return keep(out, at, "thread");
}

int tm__object_put(tm__bytes *out, const tm_object *given)
{
    tm_object definition;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0)
        return rc;
    at = make_room(out, 6, tm__string_room(definition.name));
    if (!at)
        return tm__failure();
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_varint(at, definition.class_id);
    at = tm__encode_varint(at, definition.thread);
    at = tm__encode_varint(at, definition.hash);
    at = tm__encode_varint(at, definition.flags);
    if (definition.name || definition.kind) {
        at = tm__encode_string(at, definition.name);
        at = tm__encode_varint(at, definition.kind);
    }
    return keep(out, at, "object");
}

void tm__definition_room_free(tm__definition_room *room)
{
    tm__free(room->memory, room->lines, room->line_capacity * sizeof(*room->lines));
    tm__free(room->memory, room->monitors,
             room->monitor_capacity * sizeof(*room->monitors));
    tm__free(room->memory, room->frames, room->frame_capacity * sizeof(*room->frames));
    *room = (tm__definition_room){.memory = room->memory};
}
