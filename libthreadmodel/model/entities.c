/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, objects, classes, methods and stacks: made on first sight by whatever
 * names them first, an event or a definition, and filled in when they are defined.
 */
#include "model/entities.h"

#include <string.h>

#include "base/sized.h"
#include "model/hidden.h"

/* Nothing is known of it yet. */
static const tm__thread unseen_thread = {
    .start_ns = INT64_MIN,
    .end_ns = INT64_MIN,
    .last_ns = INT64_MIN,
    .since_ns = INT64_MIN,
    .state = TM_STATE_UNKNOWN,
    .hold_up_state = TM_STATE_UNKNOWN,
    .name = TM__NONE,
    .group = TM__NONE,
    .object = TM__NONE,
    .wants = TM__NONE,
    .joins = TM__NONE,
    .owned = TM__NONE,
    .deadlock = TM__NONE,
    .next = TM__NONE,
    .previous = TM__NONE,
    .waits_in = TM__NONE,
    .bound = TM__NONE,
    .binding = TM__NONE,
    .deadline_ns = INT64_MAX,
    .starter = TM__NONE,
    .interrupt = TM__NONE,
    .interrupter = TM__NONE,
    .permit = TM__NONE,
    .end_group = TM__NONE,
    .fold = TM__NONE,
    .carrier = TM__NONE,
};

static const tm__object unseen_object = {
    .class_index = TM__NONE,
    .thread = TM__NONE,
    .owner = TM__NONE,
    .waiter_head = TM__NONE,
    .waiter_tail = TM__NONE,
    .binding_head = TM__NONE,
    .useless = TM__NONE,
};
static const tm__object_links unseen_links = {.next = TM__NONE, .previous = TM__NONE};
static const tm__object_detail unseen_detail = {
    .binding_tail = TM__NONE,
    .doubtful = TM__NONE,
};

/* Room for one more in an array of its own or of several that go together. */
#define RESERVE(reserve, model, array, count)                                          \
    reserve(&(model)->memory, &(model)->array, &(model)->array##_capacity,             \
            (size_t)(count) + 1, sizeof(*(model)->array))

/* Give an id that has none the next index. */
static int number(tm__map *map, uint64_t id, uint32_t *count, uint32_t *index)
{
    if (tm__map_put(map, id, *count) < 0)
        return TM_ENOMEM;
    *index = (*count)++;
    return TM_OK;
}

int tm__model_thread(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->thread_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve_lines, model, threads, model->threads_count) < 0 ||
        number(&model->thread_map, id, &model->threads_count, index) < 0)
        return TM_ENOMEM;
    model->threads[*index] = unseen_thread;
    model->threads[*index].id = id;
    return TM_OK;
}

int tm__model_object(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->object_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve_lines, model, objects, model->objects_count) < 0 ||
        RESERVE(tm__reserve, model, links, model->objects_count) < 0 ||
        RESERVE(tm__reserve, model, details, model->objects_count) < 0 ||
        number(&model->object_map, id, &model->objects_count, index) < 0)
        return TM_ENOMEM;
    model->objects[*index] = unseen_object;
    model->links[*index] = unseen_links;
    model->details[*index] = unseen_detail;
    model->details[*index].id = id;
    return TM_OK;
}

int tm__model_class(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->class_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, classes, model->classes_count) < 0 ||
        number(&model->class_map, id, &model->classes_count, index) < 0)
        return TM_ENOMEM;
    model->classes[*index] =
        (tm__class){.id = id, .name = TM__NONE, .source = TM__NONE};
    return TM_OK;
}

int tm__model_method(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->method_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, methods, model->methods_count) < 0 ||
        number(&model->method_map, id, &model->methods_count, index) < 0)
        return TM_ENOMEM;
    model->methods[*index] = (tm__method){
        .id = id, .class_index = TM__NONE, .name = TM__NONE, .full_name = TM__NONE};
    return TM_OK;
}

int tm__model_stack(tm_model *model, uint32_t id, uint32_t *index)
{
    *index = tm__map_find(&model->stack_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, stacks, model->stacks_count) < 0 ||
        number(&model->stack_map, id, &model->stacks_count, index) < 0)
        return TM_ENOMEM;
    model->stacks[*index] = (tm__stack){.id = id};
    return TM_OK;
}

/* Intern a text where there is one, so that "not given" keeps what was known. */
static int intern_text(tm_model *model, uint32_t *index, const char *text)
{
    return text ? tm__strings_intern(&model->strings, index, text) : TM_OK;
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
    rc = tm__strings_intern_bytes(&model->strings, index, all, bytes);
    tm__free(&model->memory, all, bytes + 1);
    return rc;
}

/* A method's name for people; made anew when its class gets its name later. */
static int name_method(tm_model *model, tm__method *method)
{
    const char *class_name = tm__class_name(model, method->class_index);
    const char *name = tm__strings_get(&model->strings, method->name);

    if (!name)
        return TM_OK;
    if (!class_name) {
        method->full_name = method->name;
        return TM_OK;
    }
    return intern_all(model, &method->full_name, class_name, strlen(class_name), ".",
                      name);
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

int tm__define_class(void *payload, const tm_class *given)
{
    tm_model *model = payload;
    tm_class definition;
    tm__class *class_;
    uint32_t index, old_name;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc == TM_OK)
        rc = tm__model_class(model, definition.id, &index);
    if (rc < 0)
        return rc;
    class_ = &model->classes[index];
    old_name = class_->name;
    rc = name_class(model, class_, definition.name);
    if (rc == TM_OK)
        rc = intern_text(model, &class_->source, definition.source);
    if (class_->name == old_name)
        return rc;
    for (uint32_t i = 0; rc == TM_OK && class_->named_late && i < model->methods_count;
         i++)
        if (model->methods[i].class_index == index)
            rc = name_method(model, &model->methods[i]);
    return rc;
}

int tm__define_method(void *payload, const tm_method *given)
{
    tm_model *model = payload;
    tm_method definition;
    tm__method *method;
    uint32_t index, class_index;
    int rc = TM__READ(&definition, given, tm_method, id);

    if (rc == TM_OK)
        rc = tm__model_method(model, definition.id, &index);
    if (rc < 0)
        return rc;
    if (definition.class_id) {
        rc = tm__model_class(model, definition.class_id, &class_index);
        if (rc < 0)
            return rc;
        model->methods[index].class_index = class_index;
        if (model->classes[class_index].name == TM__NONE)
            model->classes[class_index].named_late = 1;
    }
    method = &model->methods[index];
    rc = intern_text(model, &method->name, definition.name);
    if (rc == TM_OK)
        rc = name_method(model, method);
    if (rc < 0 || !definition.lines || !definition.line_count)
        return rc;
    rc = tm__reserve(&model->memory, &model->lines, &model->lines_capacity,
                     model->lines_count + definition.line_count, sizeof(*model->lines));
    if (rc < 0)
        return rc;
    memcpy(&model->lines[model->lines_count], definition.lines,
           definition.line_count * sizeof(*model->lines));
    method->line_first = model->lines_count;
    method->line_count = (uint32_t)definition.line_count;
    model->lines_count += (uint32_t)definition.line_count;
    return TM_OK;
}

int tm__define_stack(void *payload, const tm_stack *given)
{
    tm_model *model = payload;
    tm_stack definition;
    uint32_t index, first = model->frames_count;
    size_t count;
    int rc = TM__READ(&definition, given, tm_stack, id);

    if (rc == TM_OK)
        rc = tm__model_stack(model, definition.id, &index);
    if (rc < 0)
        return rc;
    count = definition.frames ? definition.frame_count : 0;
    rc = tm__reserve(&model->memory, &model->frames, &model->frames_capacity,
                     first + count, sizeof(*model->frames));
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++) {
        const tm_frame *from = &definition.frames[i];
        tm__frame *to = &model->frames[first + i];

        *to = (tm__frame){TM__NONE, from->line, from->location};
        if (from->method && tm__model_method(model, from->method, &to->method) < 0)
            return TM_ENOMEM;
    }
    model->frames_count += (uint32_t)count;
    model->stacks[index].frame_first = first;
    model->stacks[index].frame_count = (uint32_t)count;
    model->stacks[index].flags = definition.flags;
    model->stacks[index].defined = 1;
    return TM_OK;
}

/* A thread and its thread object find each other whichever is defined first. */
static void tie(tm_model *model, uint32_t thread, uint32_t object)
{
    model->threads[thread].object = object;
    model->objects[object].thread = thread;
}

int tm__define_thread(void *payload, const tm_thread *given)
{
    tm_model *model = payload;
    tm_thread definition;
    tm__thread *thread;
    uint32_t index, object;
    int rc = TM__READ(&definition, given, tm_thread, id);

    if (rc < 0)
        return rc;
    if (!definition.id) {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
        return TM_OK;
    }
    rc = tm__model_thread(model, definition.id, &index);
    if (rc == TM_OK && definition.object) {
        rc = tm__model_object(model, definition.object, &object);
        if (rc == TM_OK)
            tie(model, index, object);
    }
    if (rc < 0)
        return rc;
    thread = &model->threads[index];
    thread->flags |= definition.flags;
    if (definition.os_id)
        thread->os_id = definition.os_id;
    if (definition.priority)
        thread->priority = definition.priority;
    rc = intern_text(model, &thread->name, definition.name);
    if (rc == TM_OK)
        rc = intern_text(model, &thread->group, definition.group);
    return rc;
}

int tm__define_object(void *payload, const tm_object *given)
{
    tm_model *model = payload;
    tm_object definition;
    tm__object *object;
    uint32_t index, thread, class_index = TM__NONE;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0)
        return rc;
    if (!definition.id)
        return TM_OK;
    rc = tm__model_object(model, definition.id, &index);
    if (rc == TM_OK && definition.class_id)
        rc = tm__model_class(model, definition.class_id, &class_index);
    if (rc == TM_OK && definition.thread) {
        rc = tm__model_thread(model, definition.thread, &thread);
        if (rc == TM_OK)
            tie(model, thread, index);
    }
    if (rc < 0)
        return rc;
    object = &model->objects[index];
    if (class_index != TM__NONE)
        object->class_index = class_index;
    if (definition.flags & TM_OBJECT_HAS_HASH)
        model->details[index].hash = definition.hash;
    object->flags |= definition.flags;
    return TM_OK;
}
