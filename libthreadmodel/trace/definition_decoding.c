/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/definition_decoding.h"

#include "base/error.h"
#include "base/sized.h"
#include "trace/definition_coding.h"
#include "trace/trace_frame.h"

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

/* Where no range follows, there is room for one: a pointer states that there is none.
 */
static int get_monitors(tm__definition_room *room, tm__cursor *body,
                        tm_method *definition)
{
    uint64_t enter = 0;

    definition->monitor_count = get_count(body, 2);
    if (tm__reserve(room->memory, &room->monitors, &room->monitor_capacity,
                    definition->monitor_count + 1, sizeof(*room->monitors)) < 0)
        return TM_ENOMEM;
    for (size_t i = 0; i < definition->monitor_count; i++) {
        enter += tm__unzigzag(tm__get_varint(body));
        room->monitors[i] = (tm_monitor_range){
            (int64_t)enter, (int64_t)(enter + tm__unzigzag(tm__get_varint(body)))};
    }
    room->line_count += definition->monitor_count;
    definition->monitors = room->monitors;
    return TM_OK;
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
        return tm__failure();
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
    if (body->at < body->end && get_monitors(room, body, &definition) < 0)
        return TM_ENOMEM;
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
        return tm__failure();
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
