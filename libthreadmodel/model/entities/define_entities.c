/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions of threads, objects, classes, methods and stacks. A run has thousands of
 * them where it has millions of events; they may be repeated.
 */
#include "model/entities/define_entities.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entities.h"
#include "model/entities/entity_names.h"
#include "model/entities/hidden_class_name.h"
#include "model/entities/method_tables.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

/* A model with a memory limit gives definitions half of it, and this at least: beyond
 * it names, methods and stacks are left out, and counted. Threads and objects are not:
 * events make them as well, and totals by class need them. */
enum { LEAST_DEFINITION_BYTES = 1 << 20 };

static int is_full(const tm_model *model, size_t more_bytes)
{
    size_t most = model->memory_limit_bytes / 2;

    if (most < LEAST_DEFINITION_BYTES)
        most = LEAST_DEFINITION_BYTES;
    return model->memory_limit_bytes &&
           model->entities.definition_bytes + more_bytes > most;
}

/* Intern a text where there is one, so that "not given" keeps what was known. */
static int intern_text(tm_model *model, uint32_t *index, const char *text)
{
    return text ? tm__strings_intern(&model->entities.strings, index, text) : TM_OK;
}

/* Intern texts one behind the other. */
static int intern_all(tm_model *model, uint32_t *index, const char *first,
                      size_t first_bytes, const char *second, const char *third)
{
    size_t bytes = first_bytes + strlen(second) + strlen(third);
    char *all = tm__resize(&model->memory, NULL, 0, bytes + 1);
    int rc;

    if (!all)
        return TM_ENOMEM;
    memcpy(all, first, first_bytes);
    strcpy(all + first_bytes, second);
    strcat(all, third);
    rc = tm__strings_intern_bytes(&model->entities.strings, index, all, bytes);
    tm__free(&model->memory, all, bytes + 1);
    return rc;
}

/* The bytes of a class's name that its methods' names repeat. */
enum { CLASS_BYTES = 512 };

/* The role that the method's producer states. */
static uint16_t own_role(const tm__method *method)
{
    return method->flags & TM_METHOD_IDLES ? TM__ROLE_IDLES : 0;
}

/* A method's name for people; made anew when its class gets its name later. */
static int name_method(tm_model *model, tm__method *method)
{
    const char *class_name = tm__class_name(&model->entities, method->class_index);
    const char *name = tm__strings_get(&model->entities.strings, method->name);
    int rc;

    if (!name)
        return TM_OK;
    if (!class_name) {
        method->full_name = method->name;
        method->role = TM__ROLE_NAMELESS | own_role(method);
        return TM_OK;
    }
    rc = intern_all(model, &method->full_name, class_name,
                    tm__utf8_cut(class_name, CLASS_BYTES), ".", name);
    if (rc < 0)
        return rc;
    method->role = tm__role(
        class_name, tm__strings_get(&model->entities.strings, method->full_name), NULL);
    if (model->entities.classes[method->class_index].flags & TM_CLASS_LIBRARY)
        method->role |= TM__ROLE_LIBRARY;
    method->role |= own_role(method);
    return TM_OK;
}

/* Methods wait for their class's name in a list, so that to name a class costs
 * nothing for the methods of others. */
static void await_name(tm_model *model, uint32_t index)
{
    tm__method *method = &model->entities.methods[index];
    tm__class *class_ = &model->entities.classes[method->class_index];

    method->next = class_->name_waits;
    method->previous = TM__NONE;
    if (method->next != TM__NONE)
        model->entities.methods[method->next].previous = index;
    class_->name_waits = index;
}

static void stop_waiting(tm_model *model, uint32_t index)
{
    tm__method *method = &model->entities.methods[index];

    if (method->next == index)
        return;
    if (method->previous != TM__NONE)
        model->entities.methods[method->previous].next = method->next;
    else
        model->entities.classes[method->class_index].name_waits = method->next;
    if (method->next != TM__NONE)
        model->entities.methods[method->next].previous = method->previous;
    method->next = index;
}

/* A class's name, the same in every run. */
static int name_class(tm_model *model, tm__class *class_, const char *name)
{
    const char *suffix;
    size_t bytes;

    if (!name)
        return TM_OK;
    bytes = tm__hidden_name(name, &suffix);
    return intern_all(model, &class_->name, name, bytes, suffix, "");
}

static int define_class(tm_model *model, const void *payload)
{
    const tm_class *definition = payload;
    tm__class *class_;
    uint32_t index;
    int rc = tm__model_class(model, definition->id, &index);

    if (rc < 0)
        return rc;
    class_ = &model->entities.classes[index];
    class_->flags |= (uint32_t)definition->flags;
    rc = name_class(model, class_, definition->name);
    if (rc == TM_OK)
        rc = intern_text(model, &class_->source, definition->source);
    if (rc == TM_OK)
        rc = intern_text(model, &class_->build_id, definition->build_id);
    while (rc == TM_OK && class_->name != TM__NONE && class_->name_waits != TM__NONE) {
        uint32_t method = class_->name_waits;

        rc = name_method(model, &model->entities.methods[method]);
        if (rc == TM_OK)
            stop_waiting(model, method);
    }
    return rc;
}

static int define_method(tm_model *model, const void *payload)
{
    const tm_method *definition = payload;
    tm__method *method;
    uint32_t index, class_index;
    int rc = tm__model_method(model, definition->id, &index);

    if (rc < 0)
        return rc;
    if (definition->class_id) {
        rc = tm__model_class(model, definition->class_id, &class_index);
        if (rc < 0)
            return rc;
        stop_waiting(model, index);
        model->entities.methods[index].class_index = class_index;
        if (model->entities.classes[class_index].name == TM__NONE)
            await_name(model, index);
    }
    method = &model->entities.methods[index];
    method->flags |= (uint16_t)definition->flags;
    rc = intern_text(model, &method->name, definition->name);
    if (rc == TM_OK)
        rc = name_method(model, method);
    if (rc == TM_OK && definition->line_count)
        rc = tm__keep_lines(model, method, definition);
    if (rc == TM_OK && definition->monitors)
        rc = tm__keep_monitors(model, method, definition);
    return rc;
}

static int define_stack(tm_model *model, const void *payload)
{
    const tm_stack *definition = payload;
    uint32_t index, first = model->entities.frames_count;
    int rc = tm__model_stack(model, definition->id, &index);

    if (rc < 0)
        return rc;
    rc = tm__reserve(&model->memory, &model->entities.frames,
                     &model->entities.frames_capacity, first + definition->frame_count,
                     sizeof(*model->entities.frames));
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < definition->frame_count; i++) {
        const tm_frame *from = &definition->frames[i];
        tm__frame *to = &model->entities.frames[first + i];

        *to = (tm__frame){TM__NONE, from->line, from->location};
        if (from->method && tm__model_method(model, from->method, &to->method) < 0)
            return tm__failure();
    }
    model->entities.frames_count += (uint32_t)definition->frame_count;
    model->entities.stacks[index].frame_first = first;
    model->entities.stacks[index].frame_count = (uint32_t)definition->frame_count;
    model->entities.stacks[index].flags = definition->flags;
    model->entities.stacks[index].defined = 1;
    return TM_OK;
}

/* A thread and its thread object find each other whichever is defined first. */
static void tie(tm_model *model, uint32_t thread, uint32_t object)
{
    model->entities.threads[thread].object = object;
    model->entities.objects[object].thread = thread;
}

static int define_thread(tm_model *model, const void *payload)
{
    const tm_thread *definition = payload;
    tm__thread *thread;
    uint32_t index, object;
    int rc;

    if (!definition->id) {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
        return TM_OK;
    }
    rc = tm__model_thread(model, definition->id, &index);
    if (rc == TM_OK && definition->object) {
        rc = tm__model_object(model, definition->object, &object);
        if (rc == TM_OK)
            tie(model, index, object);
    }
    if (rc < 0)
        return rc;
    thread = &model->entities.threads[index];
    thread->flags |= definition->flags;
    if (definition->os_id)
        thread->os_id = definition->os_id;
    if (definition->pid && definition->pid <= UINT32_MAX)
        thread->pid = (uint32_t)definition->pid;
    rc = intern_text(model, &thread->name, definition->name);
    if (rc == TM_OK)
        rc = intern_text(model, &thread->group, definition->group);
    return rc;
}

static int define_object(tm_model *model, const void *payload)
{
    const tm_object *definition = payload;
    tm__object *object;
    uint32_t index, thread, class_index = TM__NONE;
    int rc;

    if (!definition->id)
        return TM_OK;
    rc = tm__model_object(model, definition->id, &index);
    if (rc == TM_OK && definition->class_id)
        rc = tm__model_class(model, definition->class_id, &class_index);
    if (rc == TM_OK && definition->thread) {
        rc = tm__model_thread(model, definition->thread, &thread);
        if (rc == TM_OK)
            tie(model, thread, index);
    }
    if (rc < 0)
        return rc;
    object = &model->entities.objects[index];
    if (class_index != TM__NONE)
        object->class_index = class_index;
    if (definition->flags & TM_OBJECT_HAS_HASH)
        model->entities.details[index].hash = definition->hash;
    object->flags |= (uint16_t)definition->flags;
    if (definition->kind && definition->kind < TM_OBJECT_KIND_END)
        object->kind = (uint8_t)definition->kind;
    if (object->kind == TM_OBJECT_KIND_SYNCHRONIZER)
        object->flags |= TM_OBJECT_SYNCHRONIZER;
    return intern_text(model, &model->entities.details[index].name, definition->name);
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Whether definitions may take so much more memory; those that may not are counted. */
static int has_room(tm_model *model, size_t more_bytes)
{
    if (!is_full(model, more_bytes))
        return 1;
    model->entities.definitions_left_out++;
    return 0;
}

/* Take a definition, and count what it takes. */
static int define(tm_model *model, int (*take)(tm_model *model, const void *definition),
                  const void *definition)
{
    size_t before = model->memory.used_bytes;
    int rc;

    tm__kept_drop(model->kept);
    rc = take(model, definition);
    model->entities.definition_bytes += model->memory.used_bytes - before;
    return rc;
}

int tm__define_class(void *payload, const tm_class *given)
{
    tm_class definition;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc < 0 ||
        !has_room(payload, text_bytes(definition.name) + text_bytes(definition.source) +
                               text_bytes(definition.build_id)))
        return rc;
    return define(payload, define_class, &definition);
}

int tm__define_method(void *payload, const tm_method *given)
{
    tm_method definition;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc < 0)
        return rc;
    if (!definition.lines)
        definition.line_count = 0;
    if (!definition.monitors)
        definition.monitor_count = 0;
    if (!has_room(payload, text_bytes(definition.name) +
                               definition.line_count * sizeof(tm_line) +
                               definition.monitor_count * sizeof(tm_monitor_range)))
        return TM_OK;
    return define(payload, define_method, &definition);
}

int tm__define_stack(void *payload, const tm_stack *given)
{
    tm_stack definition;
    int rc = TM__READ(&definition, given, tm_stack, id);

    if (rc < 0)
        return rc;
    if (!definition.frames)
        definition.frame_count = 0;
    if (!has_room(payload, definition.frame_count * sizeof(tm__frame)))
        return TM_OK;
    return define(payload, define_stack, &definition);
}

/* Threads and objects are known without their names, too. */
int tm__define_thread(void *payload, const tm_thread *given)
{
    tm_thread definition;
    int rc = TM__READ(&definition, given, tm_thread, id);

    if (rc < 0)
        return rc;
    if (!has_room(payload, text_bytes(definition.name) + text_bytes(definition.group)))
        definition.name = definition.group = NULL;
    return define(payload, define_thread, &definition);
}

int tm__define_object(void *payload, const tm_object *given)
{
    tm_object definition;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0)
        return rc;
    if (definition.name && !has_room(payload, text_bytes(definition.name)))
        definition.name = NULL;
    return define(payload, define_object, &definition);
}
