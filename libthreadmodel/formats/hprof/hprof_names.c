/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The definitions of the records before a heap dump. All strings of a file are kept, a
 * few dozen megabytes of a dump of many gigabytes: which of them are names of classes
 * and methods that matter is known only later.
 */
#include "formats/hprof/hprof_names.h"

#include <stdio.h>

#include "base/error.h"
#include "formats/dump/dump_names.h"
#include "formats/hprof/big_endian.h"

void tm__hprof_names_init(tm__hprof_names *names, tm__memory *memory, uint32_t id_bytes)
{
    *names = (tm__hprof_names){.memory = memory, .id_bytes = id_bytes};
    tm__map_init(&names->text_map, memory);
    tm__map_init(&names->class_map, memory);
    tm__map_init(&names->serial_map, memory);
    tm__map_init(&names->frame_map, memory);
    tm__map_init(&names->trace_map, memory);
}

int tm__hprof_add_text(tm__hprof_names *names, const uint8_t *body, size_t length)
{
    uint32_t id_bytes = names->id_bytes;
    uint64_t id;

    if (length < id_bytes)
        return TM_EDAMAGED;
    id = tm__hprof_id(body, id_bytes);
    length -= id_bytes;
    if (tm__map_find(&names->text_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(names->memory, &names->texts, &names->text_capacity,
                    (size_t)names->text_count + 1, sizeof(*names->texts)) < 0 ||
        tm__reserve(names->memory, &names->letters, &names->letter_capacity,
                    names->letter_count + length, 1) < 0 ||
        tm__map_put(&names->text_map, id, names->text_count) < 0)
        return tm__failure();
    if (length > 0)
        memcpy(names->letters + names->letter_count, body + id_bytes, length);
    names->texts[names->text_count++] =
        (tm__hprof_text){names->letter_count, (uint32_t)length};
    names->letter_count += (uint32_t)length;
    return TM_OK;
}

tm__slice tm__hprof_text_of(const tm__hprof_names *names, uint64_t id)
{
    uint32_t index = tm__map_find(&names->text_map, id);

    if (index == TM__NONE)
        return (tm__slice){NULL, 0};
    return (tm__slice){names->letters + names->texts[index].offset,
                       names->texts[index].length};
}

/* The entry of a class, which may be new. */
static int class_at(tm__hprof_names *names, uint64_t id, tm__hprof_class **found)
{
    uint32_t index = tm__map_find(&names->class_map, id);

    if (index == TM__NONE) {
        index = names->class_count;
        if (tm__reserve(names->memory, &names->classes, &names->class_capacity,
                        (size_t)index + 1, sizeof(*names->classes)) < 0 ||
            tm__map_put(&names->class_map, id, index) < 0)
            return tm__failure();
        names->classes[index] = (tm__hprof_class){.id = id};
        names->class_count++;
    }
    *found = &names->classes[index];
    return TM_OK;
}

int tm__hprof_add_class(tm__hprof_names *names, const uint8_t *body, size_t length)
{
    uint32_t id_bytes = names->id_bytes, serial;
    tm__hprof_class *class;

    if (length < 8 + 2 * (size_t)id_bytes)
        return TM_EDAMAGED;
    serial = tm__hprof_u4(body);
    if (class_at(names, tm__hprof_id(body + 4, id_bytes), &class) < 0)
        return tm__failure();
    class->name = tm__hprof_id(body + 8 + id_bytes, id_bytes);
    if (tm__map_find(&names->serial_map, serial) != TM__NONE)
        return TM_OK;
    return tm__map_put(&names->serial_map, serial, (uint32_t)(class - names->classes));
}

int tm__hprof_add_frame(tm__hprof_names *names, const uint8_t *body, size_t length)
{
    uint32_t id_bytes = names->id_bytes;
    uint64_t id;

    if (length < 4 * (size_t)id_bytes + 8)
        return TM_EDAMAGED;
    id = tm__hprof_id(body, id_bytes);
    if (tm__map_find(&names->frame_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(names->memory, &names->frames, &names->frame_capacity,
                    (size_t)names->frame_count + 1, sizeof(*names->frames)) < 0 ||
        tm__map_put(&names->frame_map, id, names->frame_count) < 0)
        return tm__failure();
    names->frames[names->frame_count++] = (tm__hprof_frame){
        .method = tm__hprof_id(body + id_bytes, id_bytes),
        .source = tm__hprof_id(body + 3 * (size_t)id_bytes, id_bytes),
        .class_serial = tm__hprof_u4(body + 4 * (size_t)id_bytes),
        .line = (int32_t)tm__hprof_u4(body + 4 * (size_t)id_bytes + 4),
        .number = TM__NONE};
    return TM_OK;
}

int tm__hprof_add_trace(tm__hprof_names *names, const uint8_t *body, size_t length)
{
    uint32_t serial, count;

    if (length < 12)
        return TM_EDAMAGED;
    serial = tm__hprof_u4(body);
    count = tm__hprof_u4(body + 8);
    if (count > (length - 12) / names->id_bytes)
        return TM_EDAMAGED;
    if (tm__map_find(&names->trace_map, serial) != TM__NONE)
        return TM_OK;
    if (tm__reserve(names->memory, &names->traces, &names->trace_capacity,
                    (size_t)names->trace_count + 1, sizeof(*names->traces)) < 0 ||
        tm__reserve(names->memory, &names->frame_ids, &names->frame_id_capacity,
                    (size_t)names->frame_id_count + count,
                    sizeof(*names->frame_ids)) < 0 ||
        tm__map_put(&names->trace_map, serial, names->trace_count) < 0)
        return tm__failure();
    names->traces[names->trace_count++] =
        (tm__hprof_trace){names->frame_id_count, count, tm__hprof_u4(body + 4)};
    for (uint32_t i = 0; i < count; i++)
        names->frame_ids[names->frame_id_count++] =
            tm__hprof_id(body + 12 + (size_t)i * names->id_bytes, names->id_bytes);
    return TM_OK;
}

int tm__hprof_describe(tm__hprof_names *names, uint64_t id, uint64_t super,
                       const uint8_t *entries, uint32_t count)
{
    uint32_t id_bytes = names->id_bytes;
    tm__hprof_class *class;

    if (class_at(names, id, &class) < 0)
        return tm__failure();
    if (class->is_described)
        return TM_OK;
    if (tm__reserve(names->memory, &names->fields, &names->field_capacity,
                    (size_t)names->field_count + count, sizeof(*names->fields)) < 0)
        return tm__failure();
    class->own_first = names->field_count;
    class->own_count = count;
    class->super = super;
    class->is_described = 1;
    for (uint32_t i = 0; i < count; i++, entries += id_bytes + 1)
        names->fields[names->field_count++] = (tm__hprof_own_field){
            .name = tm__hprof_id(entries, id_bytes), .type = entries[id_bytes]};
    return TM_OK;
}

/* Make room for a line, and begin it with a class's name as people write it. */
static int put_class_name(tm__hprof_names *names, tm__slice name, size_t more)
{
    if (tm__reserve(names->memory, &names->line, &names->line_capacity,
                    name.length + more + 1, 1) < 0)
        return tm__failure();
    for (size_t i = 0; i < name.length; i++)
        names->line[i] = name.bytes[i] == '/' ? '.' : name.bytes[i];
    return TM_OK;
}

int tm__hprof_class_number(tm__hprof_names *names, tm__dump *dump, uint64_t id,
                           uint32_t *number)
{
    uint32_t index = tm__map_find(&names->class_map, id);
    tm__slice name = {NULL, 0};

    *number = 0;
    if (index != TM__NONE)
        name = tm__hprof_text_of(names, names->classes[index].name);
    if (name.length == 0)
        return TM_OK;
    if (put_class_name(names, name, 0) < 0)
        return tm__failure();
    return tm__dump_class(dump, (tm__slice){names->line, name.length}, number);
}

/* The frame as the line of a stack. */
static int frame_number(tm__hprof_names *names, tm__dump *dump, tm__hprof_frame *frame)
{
    enum { PLACE_BYTES = 40 };
    uint32_t index = tm__map_find(&names->serial_map, frame->class_serial);
    tm__slice class = {"?", 1}, method = tm__hprof_text_of(names, frame->method);
    tm__slice source = tm__hprof_text_of(names, frame->source);
    size_t at;

    if (index != TM__NONE && names->classes[index].name)
        class = tm__hprof_text_of(names, names->classes[index].name);
    if (put_class_name(names, class, method.length + source.length + PLACE_BYTES) < 0)
        return tm__failure();
    at = class.length;
    names->line[at++] = '.';
    if (method.length)
        memcpy(names->line + at, method.bytes, method.length);
    at += method.length;
    names->line[at++] = '(';
    if (frame->line == -3) {
        at += (size_t)snprintf(names->line + at, PLACE_BYTES, "Native Method");
    } else if (source.length == 0) {
        at += (size_t)snprintf(names->line + at, PLACE_BYTES, "Unknown Source");
    } else {
        memcpy(names->line + at, source.bytes, source.length);
        at += source.length;
        if (frame->line > 0)
            at += (size_t)snprintf(names->line + at, PLACE_BYTES, ":%d", frame->line);
    }
    names->line[at++] = ')';
    return tm__dump_frame(dump, (tm__slice){names->line, at}, &frame->number);
}

int tm__hprof_trace_frames(tm__hprof_names *names, tm__dump *dump, uint32_t serial,
                           uint32_t **frames, uint32_t *capacity, uint32_t *count)
{
    uint32_t index = tm__map_find(&names->trace_map, serial);
    const tm__hprof_trace *trace;

    *count = 0;
    if (index == TM__NONE)
        return TM_OK;
    trace = &names->traces[index];
    if (tm__reserve(names->memory, frames, capacity, trace->count, sizeof(**frames)) <
        0)
        return tm__failure();
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t frame =
            tm__map_find(&names->frame_map, names->frame_ids[trace->first + i]);

        if (frame == TM__NONE)
            continue;
        if (names->frames[frame].number == TM__NONE &&
            frame_number(names, dump, &names->frames[frame]) < 0) {
            names->frames[frame].number = TM__NONE;
            return TM_ENOMEM;
        }
        (*frames)[(*count)++] = names->frames[frame].number;
    }
    return TM_OK;
}

void tm__hprof_names_free(tm__hprof_names *names)
{
    tm__memory *memory = names->memory;

    tm__map_clear(&names->text_map);
    tm__map_clear(&names->class_map);
    tm__map_clear(&names->serial_map);
    tm__map_clear(&names->frame_map);
    tm__map_clear(&names->trace_map);
    tm__free(memory, names->letters, names->letter_capacity);
    tm__free(memory, names->texts, names->text_capacity * sizeof(*names->texts));
    tm__free(memory, names->classes, names->class_capacity * sizeof(*names->classes));
    tm__free(memory, names->fields, names->field_capacity * sizeof(*names->fields));
    tm__free(memory, names->slots, names->slot_capacity * sizeof(*names->slots));
    tm__free(memory, names->frames, names->frame_capacity * sizeof(*names->frames));
    tm__free(memory, names->traces, names->trace_capacity * sizeof(*names->traces));
    tm__free(memory, names->frame_ids,
             names->frame_id_capacity * sizeof(*names->frame_ids));
    tm__free(memory, names->line, names->line_capacity);
}
