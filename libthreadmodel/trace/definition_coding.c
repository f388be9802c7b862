/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions come in thousands where events come in millions, so nothing here is
 * clever: fields in the order of the struct, each a varint or a string. Stacks are
 * the bulk; their methods are coded by distance from the frame above, which for
 * ids that are addresses is half the bytes.
 */
#include "trace/definition_coding.h"

#include <string.h>

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
        return TM_ENOMEM;
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
        return TM_ENOMEM;
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
        return TM_ENOMEM;
    at = tm__encode_varint(at, definition.id);
    at = tm__encode_string(at, definition.name);
    at = tm__encode_string(at, definition.source);
    if (definition.flags || definition.build_id)
        at = tm__encode_varint(at, definition.flags);
    if (definition.build_id)
        at = tm__encode_string(at, definition.build_id);
    return keep(out, at, "class");
}

int tm__method_put(tm__bytes *out, const tm_method *given)
{
    tm_method definition;
    size_t count;
    uint64_t location = 0, line = 0;
    uint8_t *at;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0)
        return rc;
    count = definition.lines ? definition.line_count : 0;
    if (count > TM__DEFINITION_ITEM_LIMIT)
        return too_many("method", count);
    at = make_room(out, 4 + 2 * count,
                   tm__string_room(definition.name) +
                       tm__string_room(definition.signature));
    if (!at)
        return TM_ENOMEM;
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
    if (definition.flags)
        at = tm__encode_varint(at, definition.flags);
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
        return TM_ENOMEM;
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
        return TM_ENOMEM;
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
        return TM_ENOMEM;
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

/* A body may be longer than what is known of it: a newer minor version's fields. */
static int whole(const tm__cursor *body, const char *what)
{
    return body->bad ? tm__fail(TM_EDAMAGED, "%s: bad record", what) : TM_OK;
}

static int emit_run(tm__cursor *body, const tm_sink *sink, tm_run *copy)
{
    tm_run run = {.size = sizeof(run)};

    run.source = tm__get_string(body);
    run.format = tm__get_string(body);
    run.producer = tm__get_string(body);
    run.vm = tm__get_string(body);
    run.command = tm__get_string(body);
    run.pid = tm__get_varint(body);
    run.start_wall_ns = tm__get_signed(body);
    run.start_ns = tm__get_signed(body);
    run.end_ns = tm__get_signed(body);
    run.threshold_ns = tm__get_signed(body);
    run.kinds = tm__get_varint(body);
    run.policy = tm__get_signed32(body);
    run.identity = tm__get_signed32(body);
    if (body->at < body->end)
        run.id = tm__get_varint(body);
    if (body->at < body->end) {
        run.cost_events = tm__get_varint(body);
        run.cost_dropped = tm__get_varint(body);
        run.cost_bytes = tm__get_varint(body);
        run.cost_threads_ns = tm__get_signed(body);
        run.cost_stacks_ns = tm__get_signed(body);
        run.cost_recorder_ns = tm__get_signed(body);
    }
    if (body->at < body->end)
        run.processors = tm__get_varint(body);
    if (body->at < body->end) {
        run.ending = tm__get_signed32(body);
        run.ending_status = tm__get_signed32(body);
    }
    if (body->at < body->end)
        run.object_kinds = tm__get_varint(body);
    if (body->at < body->end)
        run.stopped_ns = tm__get_signed(body);
    if (whole(body, "run") < 0)
        return TM_EDAMAGED;
    if (copy) {
        *copy = run;
        copy->source = copy->format = copy->producer = copy->vm = copy->command = NULL;
    }
    return sink ? sink->run(sink->payload, &run) : TM_OK;
}

static int emit_caveat(tm__cursor *body, const tm_sink *sink)
{
    const char *sentence = tm__get_string(body);

    if (whole(body, "caveat") < 0)
        return TM_EDAMAGED;
    return sink && sentence ? sink->caveat(sink->payload, sentence) : TM_OK;
}

static int emit_class(tm__cursor *body, const tm_sink *sink)
{
    tm_class definition = {.size = sizeof(definition)};

    definition.id = tm__get_varint(body);
    definition.name = tm__get_string(body);
    definition.source = tm__get_string(body);
    if (body->at < body->end)
        definition.flags = tm__get_varint(body);
    if (body->at < body->end)
        definition.build_id = tm__get_string(body);
    if (whole(body, "class") < 0)
        return TM_EDAMAGED;
    return sink ? sink->define_class(sink->payload, &definition) : TM_OK;
}

/* How many items follow; each takes at least `item_bytes` of what is left. */
static size_t get_count(tm__cursor *body, size_t item_bytes)
{
    uint64_t count = tm__get_limited(body, TM__DEFINITION_ITEM_LIMIT);

    if (count > (uint64_t)(body->end - body->at) / item_bytes) {
        body->bad = 1;
        return 0;
    }
    return (size_t)count;
}

static int emit_method(tm__definition_room *room, tm__cursor *body, const tm_sink *sink)
{
    tm_method definition = {.size = sizeof(definition)};
    uint64_t location = 0, line = 0;

    definition.id = tm__get_varint(body);
    definition.class_id = tm__get_varint(body);
    definition.name = tm__get_string(body);
    definition.signature = tm__get_string(body);
    definition.line_count = get_count(body, 2);
    if (tm__reserve(room->memory, &room->lines, &room->line_capacity,
                    definition.line_count, sizeof(*room->lines)) < 0)
        return TM_ENOMEM;
    for (size_t i = 0; i < definition.line_count; i++) {
        location += tm__unzigzag(tm__get_varint(body));
        line += tm__unzigzag(tm__get_varint(body));
        if ((int64_t)line < INT32_MIN || (int64_t)line > INT32_MAX)
            body->bad = 1;
        room->lines[i] = (tm_line){(int64_t)location, (int32_t)line, 0};
    }
    room->line_count += definition.line_count;
    definition.lines = definition.line_count ? room->lines : NULL;
    if (body->at < body->end)
        definition.flags = tm__get_varint(body);
    if (whole(body, "method") < 0)
        return TM_EDAMAGED;
    return sink ? sink->define_method(sink->payload, &definition) : TM_OK;
}

static int emit_stack(tm__definition_room *room, tm__cursor *body, const tm_sink *sink)
{
    tm_stack definition = {.size = sizeof(definition)};
    uint64_t method = 0;

    definition.id = (uint32_t)tm__get_limited(body, UINT32_MAX);
    definition.flags = (uint32_t)tm__get_limited(body, UINT32_MAX);
    definition.frame_count = get_count(body, 3);
    if (tm__reserve(room->memory, &room->frames, &room->frame_capacity,
                    definition.frame_count, sizeof(*room->frames)) < 0)
        return TM_ENOMEM;
    for (size_t i = 0; i < definition.frame_count; i++) {
        method += tm__unzigzag(tm__get_varint(body));
        room->frames[i].method = method;
        room->frames[i].location = tm__get_signed(body);
        room->frames[i].line = tm__get_signed32(body);
        room->frames[i].reserved = 0;
    }
    room->frame_count += definition.frame_count;
    definition.frames = definition.frame_count ? room->frames : NULL;
    if (whole(body, "stack") < 0)
        return TM_EDAMAGED;
    return sink ? sink->define_stack(sink->payload, &definition) : TM_OK;
}

static int emit_thread(tm__cursor *body, const tm_sink *sink)
{
    tm_thread definition = {.size = sizeof(definition)};

    definition.id = tm__get_varint(body);
    definition.object = tm__get_varint(body);
    definition.os_id = tm__get_varint(body);
    definition.name = tm__get_string(body);
    definition.group = tm__get_string(body);
    definition.priority = tm__get_signed32(body);
    definition.flags = (uint32_t)tm__get_limited(body, UINT32_MAX);
    if (body->at < body->end)
        definition.pid = tm__get_varint(body);
    if (whole(body, "thread") < 0)
        return TM_EDAMAGED;
    return sink ? sink->define_thread(sink->payload, &definition) : TM_OK;
}

static int emit_object(tm__cursor *body, const tm_sink *sink)
{
    tm_object definition = {.size = sizeof(definition)};

    definition.id = tm__get_varint(body);
    definition.class_id = tm__get_varint(body);
    definition.thread = tm__get_varint(body);
    definition.hash = (uint32_t)tm__get_limited(body, UINT32_MAX);
    definition.flags = (uint32_t)tm__get_limited(body, UINT32_MAX);
    if (body->at < body->end) {
        definition.name = tm__get_string(body);
        definition.kind = tm__get_varint(body);
    }
    if (whole(body, "object") < 0)
        return TM_EDAMAGED;
    return sink ? sink->define_object(sink->payload, &definition) : TM_OK;
}

int tm__definition_emit(tm__definition_room *room, uint64_t kind, tm__cursor body,
                        const tm_sink *sink, tm_run *run)
{
    switch (kind) {
    case TM__DEFINE_RUN: return emit_run(&body, sink, run);
    case TM__DEFINE_CAVEAT: return emit_caveat(&body, sink);
    case TM__DEFINE_CLASS: return emit_class(&body, sink);
    case TM__DEFINE_METHOD: return emit_method(room, &body, sink);
    case TM__DEFINE_STACK: return emit_stack(room, &body, sink);
    case TM__DEFINE_THREAD: return emit_thread(&body, sink);
    case TM__DEFINE_OBJECT: return emit_object(&body, sink);
    }
    return TM_MORE;
}

void tm__definition_room_free(tm__definition_room *room)
{
    tm__free(room->memory, room->lines, room->line_capacity * sizeof(*room->lines));
    tm__free(room->memory, room->frames, room->frame_capacity * sizeof(*room->frames));
    *room = (tm__definition_room){.memory = room->memory};
}
