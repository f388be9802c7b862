/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes, methods, frames and stacks, each known once. A dump of a million threads
 * is ten million lines of stacks; a few thousand of them differ. A line is looked up as
 * it stands, and parsed only when it is new.
 */
#include "formats/dump/dump_names.h"

#include <string.h>

#include "base/error.h"

int tm__dump_class(tm__dump *dump, tm__slice name, uint32_t *id)
{
    uint32_t text, number;

    if (tm__strings_intern_bytes(&dump->texts, &text, name.bytes, name.length) < 0)
        return tm__failure();
    number = tm__map_find(&dump->class_map, text);
    if (number == TM__NONE) {
        number = dump->class_count;
        if (tm__reserve(dump->memory, &dump->classes, &dump->class_capacity,
                        (size_t)number + 1, sizeof(*dump->classes)) < 0 ||
            tm__reserve(dump->memory, &dump->class_queue, &dump->class_queue_capacity,
                        (size_t)dump->class_queue_count + 1,
                        sizeof(*dump->class_queue)) < 0 ||
            tm__map_put(&dump->class_map, text, number) < 0)
            return tm__failure();
        dump->classes[number] =
            (struct tm__dump_class){.name = text, .source = TM__NONE};
        dump->class_queue[dump->class_queue_count++] = number;
        dump->class_count++;
    }
    *id = number + 1;
    return TM_OK;
}

/* A class that was first met as that of a lock gets its file from its first frame. */
static int add_source(tm__dump *dump, uint32_t class_id, tm__slice source)
{
    uint32_t text;

    if (source.length == 0 || dump->classes[class_id - 1].source != TM__NONE)
        return TM_OK;
    if (tm__strings_intern_bytes(&dump->texts, &text, source.bytes, source.length) <
            0 ||
        tm__reserve(dump->memory, &dump->class_queue, &dump->class_queue_capacity,
                    (size_t)dump->class_queue_count + 1,
                    sizeof(*dump->class_queue)) < 0)
        return tm__failure();
    dump->classes[class_id - 1].source = text;
    dump->class_queue[dump->class_queue_count++] = class_id - 1;
    return TM_OK;
}

static int method_id(tm__dump *dump, uint32_t class_id, tm__slice name, uint64_t *id)
{
    uint32_t text, *value;

    if (tm__strings_intern_bytes(&dump->texts, &text, name.bytes, name.length) < 0 ||
        tm__reserve(dump->memory, &dump->methods, &dump->method_capacity,
                    (size_t)dump->method_count + 1, sizeof(*dump->methods)) < 0)
        return tm__failure();
    value = tm__triple_map_at(&dump->method_map, dump->memory, class_id, text, 0);
    if (!value)
        return tm__failure();
    if (!*value) {
        dump->methods[dump->method_count] = (struct tm__dump_method){class_id, text};
        *value = ++dump->method_count;
    }
    *id = *value;
    return TM_OK;
}

static int read_frame(tm__dump *dump, tm__slice text, tm_frame *frame)
{
    tm__frame_parts parts = tm__frame_split(text);
    uint32_t class_id;

    if (parts.class_name.length == 0)
        return TM_OK;
    frame->line = parts.line;
    if (tm__dump_class(dump, parts.class_name, &class_id) < 0 ||
        add_source(dump, class_id, parts.source) < 0)
        return tm__failure();
    return method_id(dump, class_id, parts.method, &frame->method);
}

int tm__dump_frame(tm__dump *dump, tm__slice text, uint32_t *number)
{
    uint32_t known = dump->frame_texts.count;
    tm_frame *frame;

    if (tm__reserve(dump->memory, &dump->frames, &dump->frame_capacity,
                    (size_t)known + 1, sizeof(*dump->frames)) < 0 ||
        tm__strings_intern_bytes(&dump->frame_texts, number, text.bytes, text.length) <
            0)
        return tm__failure();
    frame = &dump->frames[*number];
    if (*number < known && !frame->reserved)
        return TM_OK;
    /* Where memory runs out in between, the next look-up tries again. */
    *frame = (tm_frame){.location = -1, .reserved = 1};
    if (read_frame(dump, text, frame) < 0)
        return tm__failure();
    frame->reserved = 0;
    return TM_OK;
}

int tm__dump_stack(tm__dump *dump, const uint32_t *frames, uint32_t count,
                   uint32_t flags, uint32_t *id)
{
    uint32_t number;

    *id = 0;
    if (count == 0)
        return TM_OK;
    if (tm__reserve(dump->memory, &dump->numbers, &dump->number_capacity,
                    (size_t)count + 1, sizeof(*dump->numbers)) < 0 ||
        tm__reserve(dump->memory, &dump->stack, &dump->stack_capacity, count,
                    sizeof(*dump->stack)) < 0)
        return tm__failure();
    memcpy(dump->numbers, frames, count * sizeof(*frames));
    dump->numbers[count] = flags;
    if (tm__strings_intern_bytes(&dump->stacks, &number, (const char *)dump->numbers,
                                 ((size_t)count + 1) * sizeof(*frames)) < 0)
        return tm__failure();
    *id = number + 1;
    return TM_OK;
}

static int emit_classes(tm__dump *dump, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && dump->class_queue_count > 0) {
        uint32_t number = dump->class_queue[dump->class_queue_count - 1];
        const struct tm__dump_class *it = &dump->classes[number];
        tm_class item = {.size = sizeof(item),
                         .id = number + 1,
                         .name = tm__strings_get(&dump->texts, it->name),
                         .source = tm__strings_get(&dump->texts, it->source)};

        if (dump->is_library && dump->is_library(item.name))
            item.flags = TM_CLASS_LIBRARY;
        rc = sink->define_class(sink->payload, &item);
        if (rc >= 0)
            dump->class_queue_count--;
    }
    return rc;
}

static int emit_methods(tm__dump *dump, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && dump->methods_emitted < dump->method_count) {
        const struct tm__dump_method *it = &dump->methods[dump->methods_emitted];
        tm_method item = {.size = sizeof(item),
                          .id = dump->methods_emitted + 1,
                          .class_id = it->class_id,
                          .name = tm__strings_get(&dump->texts, it->name)};

        rc = sink->define_method(sink->payload, &item);
        if (rc >= 0)
            dump->methods_emitted++;
    }
    return rc;
}

static int emit_stacks(tm__dump *dump, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && dump->stacks_emitted < dump->stacks.count) {
        size_t bytes = tm__strings_length(&dump->stacks, dump->stacks_emitted);
        const char *numbers = tm__strings_get(&dump->stacks, dump->stacks_emitted);
        tm_stack item = {.size = sizeof(item),
                         .id = dump->stacks_emitted + 1,
                         .frames = dump->stack,
                         .frame_count = bytes / sizeof(uint32_t) - 1};

        for (size_t i = 0; i < item.frame_count; i++) {
            uint32_t frame;

            memcpy(&frame, numbers + i * sizeof(frame), sizeof(frame));
            dump->stack[i] = dump->frames[frame];
        }
        memcpy(&item.flags, numbers + bytes - sizeof(item.flags), sizeof(item.flags));
        rc = sink->define_stack(sink->payload, &item);
        if (rc >= 0)
            dump->stacks_emitted++;
    }
    return rc;
}

int tm__dump_emit_names(tm__dump *dump, const tm_sink *sink)
{
    int rc = emit_classes(dump, sink);

    if (rc >= 0)
        rc = emit_methods(dump, sink);
    if (rc >= 0)
        rc = emit_stacks(dump, sink);
    return rc;
}

int tm__dump_object(tm__dump *dump, const tm_object *object)
{
    tm_object *recent = &dump->recent[object->id * UINT64_C(0x9e3779b97f4a7c15) >> 54];

    if (memcmp(recent, object, sizeof(*object)) == 0)
        return TM_OK;
    if (tm__reserve(dump->memory, &dump->objects, &dump->object_capacity,
                    (size_t)dump->object_count + 1, sizeof(*dump->objects)) < 0)
        return tm__failure();
    dump->objects[dump->object_count++] = *object;
    *recent = *object;
    return TM_OK;
}
