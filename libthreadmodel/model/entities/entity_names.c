/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of entities in answers. Only those come here, never ingest.
 */
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "base/error.h"
#include "base/utf8.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

const char *tm__class_name(const tm__entities *entities, uint32_t class_index)
{
    if (class_index == TM__NONE)
        return NULL;
    return tm__strings_get(&entities->strings, entities->classes[class_index].name);
}

const char *tm__thread_name(const tm__entities *entities, uint32_t thread)
{
    if (thread == TM__NONE)
        return NULL;
    return tm__strings_get(&entities->strings, entities->threads[thread].name);
}

const char *tm__method_name(const tm__entities *entities, uint32_t method)
{
    if (method == TM__NONE)
        return NULL;
    return tm__strings_get(&entities->strings, entities->methods[method].full_name);
}

const char *tm__frame_source(const tm__entities *entities, const tm__frame *frame)
{
    uint32_t class_index;

    if (frame->method == TM__NONE)
        return NULL;
    class_index = entities->methods[frame->method].class_index;
    if (class_index == TM__NONE)
        return NULL;
    return tm__strings_get(&entities->strings, entities->classes[class_index].source);
}

int32_t tm__frame_line(const tm__entities *entities, const tm__frame *frame)
{
    const tm__method *method;
    const tm_line *lines;
    uint32_t after;

    if (frame->line || frame->location < 0 || frame->method == TM__NONE)
        return frame->line > 0 ? frame->line : 0;
    method = &entities->methods[frame->method];
    if (!method->line_count)
        return 0;
    lines = &entities->lines[method->line_first];
    after = TM__FIRST_AFTER(lines, tm_line, location, 0, method->line_count,
                            frame->location);
    return after ? lines[after - 1].line : 0;
}

void tm__object_label(const tm_model *model, uint32_t object, char *buffer,
                      size_t bytes)
{
    enum { NUMBER_BYTES = 24 };
    const tm__object *it = &model->entities.objects[object];
    const char *class_name = tm__class_name(&model->entities, it->class_index);
    const char *name =
        tm__strings_get(&model->entities.strings, model->entities.details[object].name);
    int length;

    if (name) {
        snprintf(buffer, bytes, "%.*s", (int)tm__utf8_cut(name, bytes - 1), name);
        return;
    }
    if (!class_name)
        class_name = "object";
    /* The number that distinguishes objects follows the name, however long that is. */
    length = (int)tm__utf8_cut(class_name, bytes - NUMBER_BYTES);
    if (it->flags & TM_OBJECT_HAS_HASH)
        snprintf(buffer, bytes, "%.*s@%x", length, class_name,
                 model->entities.details[object].hash);
    else
        snprintf(
            buffer, bytes,
            model->run.identity == TM_IDENTITY_ADDRESS ? "%.*s@0x%llx" : "%.*s#%llu",
            length, class_name, (unsigned long long)model->entities.details[object].id);
}

const char *tm__object_kind(const tm__entities *entities, uint32_t object)
{
    const tm__object *it = &entities->objects[object];

    if (it->kind != TM_OBJECT_KIND_UNKNOWN)
        return tm_object_kind_name(it->kind);
    return tm_object_kind_name(it->flags & TM_OBJECT_SYNCHRONIZER
                                   ? TM_OBJECT_KIND_SYNCHRONIZER
                                   : TM_OBJECT_KIND_MONITOR);
}

const char *tm__endpoints_of_kind(uint32_t kind)
{
    switch (kind) {
    case TM_OBJECT_KIND_SOCKET: return "peers";
    case TM_OBJECT_KIND_FILE: return "files";
    case TM_OBJECT_KIND_NAME: return "host names";
    default: return "endpoints";
    }
}

int tm__labels_open(tm__labels *labels, const tm_model *model)
{
    size_t bytes = model->entities.objects_count * sizeof(*labels->by_object);

    tm__memory_init(&labels->memory, &model->memory.hook);
    tm__strings_init(&labels->strings, &labels->memory);
    labels->count = model->entities.objects_count;
    labels->by_object = NULL;
    labels->failed = TM_OK;
    if (!bytes)
        return TM_OK;
    labels->by_object = tm__resize(&labels->memory, NULL, 0, bytes);
    if (!labels->by_object)
        return TM_ENOMEM;
    memset(labels->by_object, 0xff, bytes); /* TM__NONE each */
    return TM_OK;
}

const char *tm__label(tm__labels *labels, const tm_model *model, uint32_t object)
{
    char text[1024];

    if (object == TM__NONE)
        return NULL;
    if (labels->by_object[object] == TM__NONE) {
        tm__object_label(model, object, text, sizeof(text));
        if (tm__strings_intern(&labels->strings, &labels->by_object[object], text) <
            0) {
            labels->by_object[object] = TM__NONE;
            labels->failed = tm__failure();
            return "";
        }
    }
    return tm__strings_get(&labels->strings, labels->by_object[object]);
}

void tm__labels_close(tm__labels *labels)
{
    tm__free(&labels->memory, labels->by_object,
             labels->count * sizeof(*labels->by_object));
    tm__strings_clear(&labels->strings);
}

/* The end of a library's name with its version, whose dots separate no packages:
 * "libc.so.6", "libpython3.11.so.1.0", "libevent-2.1.so.7". @return NULL: not of one */
static const char *end_of_library(const char *name)
{
    const char *at = strstr(name, ".so");

    if (!at || (at[3] && at[3] != '.'))
        return NULL;
    for (at += 3; *at == '.' && at[1] >= '0' && at[1] <= '9';)
        at += 1 + strspn(at + 1, "0123456789");
    return at;
}

/* Names of packages begin with small letters, and the name of no package or class with
 * a digit: "python3.11" is a file. */
const char *tm__short_name(const char *name)
{
    const char *dot;

    if (end_of_library(name))
        return name;
    while (*name >= 'a' && *name <= 'z' && (dot = strchr(name, '.')) != NULL &&
           (dot[1] < '0' || dot[1] > '9') && strchr(dot + 1, '.') != NULL)
        name = dot + 1;
    return name;
}
