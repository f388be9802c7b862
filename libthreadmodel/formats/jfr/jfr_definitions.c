/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a recording's entities, and emitting their definitions. Numbers only
 * grow, so what a sink already has is a count of each kind.
 */
#include "base/error.h"
#include "formats/jfr/code.h"
#include "formats/jfr/jfr_definitions.h"
#include "formats/jfr/jfr_entities.h"

static int intern_name(tm__jfr_entities *entities, const char *name, uint32_t *text)
{
    return tm__strings_intern(&entities->texts, text, name);
}

int tm__jfr_entities_init(tm__jfr_entities *entities, tm__memory *memory,
                          tm__jfr_pools *pools)
{
    uint32_t thread, object;

    *entities = (tm__jfr_entities){.memory = memory,
                                   .pools = pools,
                                   .text.memory = memory,
                                   .slashed.memory = memory};
    tm__strings_init(&entities->texts, memory);
    tm__strings_init(&entities->stacks, memory);
    tm__map_init(&entities->class_map, memory);
    tm__map_init(&entities->thread_map, memory);
    tm__map_init(&entities->object_map, memory);
    /* Names by which stacks are looked at; see tm__jfr_stack_sight. */
    if (intern_name(entities, "java.lang.Thread", &thread) < 0 ||
        intern_name(entities, "java.lang.Object", &object) < 0 ||
        intern_name(entities, "java.lang.VirtualThread", &entities->virtual_name) < 0 ||
        intern_name(entities, "sleepNanos", &entities->sleep_name) < 0 ||
        intern_name(entities, "wait", &entities->wait_name[0]) < 0 ||
        intern_name(entities, "wait0", &entities->wait_name[1]) < 0 ||
        intern_name(entities, "join", &entities->join_name) < 0 ||
        intern_name(entities, "notifyAll", &entities->notify_all_name) < 0 ||
        tm__jfr_class_intern(entities, thread, &entities->join_class) < 0 ||
        tm__jfr_class_intern(entities, object, &entities->object_class) < 0)
        return tm__failure();
    return TM_OK;
}

static const char *text_of(const tm__jfr_entities *entities, uint32_t text)
{
    return tm__strings_get(&entities->texts, text);
}

static int emit_classes(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && entities->classes_emitted < entities->class_count) {
        uint32_t number = entities->classes_emitted++;
        tm_class item = {.size = sizeof(item),
                         .id = number + 1,
                         .name = text_of(entities, entities->classes[number])};

        rc = sink->define_class(sink->payload, &item);
    }
    return rc;
}

static int emit_methods(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = TM_OK;

    if (entities->keeps_stacks)
        return TM_OK;
    while (rc >= 0 && entities->methods_emitted < entities->method_count) {
        uint32_t number = entities->methods_emitted++;
        const tm__jfr_method *method = &entities->methods[number];
        tm_method item = {.size = sizeof(item),
                          .id = number + 1,
                          .class_id = method->class_,
                          .name = text_of(entities, method->name),
                          .signature = text_of(entities, method->signature)};

        rc = sink->define_method(sink->payload, &item);
    }
    return rc;
}

static int emit_stacks(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = TM_OK;

    if (entities->keeps_stacks)
        return TM_OK;
    while (rc >= 0 && entities->stacks_emitted < entities->stacks.count) {
        uint32_t number = entities->stacks_emitted++;
        size_t bytes = tm__strings_length(&entities->stacks, number);
        size_t count = bytes / sizeof(*entities->frames) - 1;
        tm_stack item = {.size = sizeof(item),
                         .id = number + 1,
                         .frames = entities->frames,
                         .frame_count = count};

        /* There was room for each when it was read. */
        memcpy(entities->frames, tm__strings_get(&entities->stacks, number), bytes);
        item.flags = entities->frames[count].method ? TM_STACK_TRUNCATED : 0;
        rc = sink->define_stack(sink->payload, &item);
    }
    return rc;
}

static int emit_threads(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && entities->queue_emitted < entities->queue_count) {
        tm__jfr_thread *thread =
            &entities->threads[entities->thread_queue[entities->queue_emitted++]];
        tm_thread item = {.size = sizeof(item),
                          .id = thread->id,
                          .os_id = thread->os_id,
                          .name = text_of(entities, thread->name),
                          .group = text_of(entities, thread->group),
                          .flags = thread->flags};

        thread->is_queued = 0;
        rc = sink->define_thread(sink->payload, &item);
    }
    if (rc >= 0)
        entities->queue_emitted = entities->queue_count = 0;
    return rc;
}

static int emit_objects(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && entities->objects_emitted < entities->object_count) {
        const tm__jfr_object *object = &entities->objects[entities->objects_emitted++];
        tm_object item = {
            .size = sizeof(item), .id = object->id, .class_id = object->class_};

        if (object->kind == TM__JFR_OBJECT_BLOCKER)
            item.flags |= TM_OBJECT_SYNCHRONIZER;
        if (object->kind == TM__JFR_OBJECT_ONCE)
            item.kind = TM_OBJECT_KIND_ONCE;
        if (object->kind == TM__JFR_OBJECT_THREAD)
            item.thread = object->address;
        else if (object->kind >= TM__JFR_OBJECT_SOCKET)
            item.name = object->address
                            ? text_of(entities, (uint32_t)(object->address - 1))
                            : NULL;
        else if (!object->address)
            item.flags |= TM_OBJECT_MAYBE_MANY;
        if (object->kind == TM__JFR_OBJECT_SOCKET)
            item.kind = TM_OBJECT_KIND_SOCKET;
        else if (object->kind == TM__JFR_OBJECT_FILE)
            item.kind = TM_OBJECT_KIND_FILE;
        rc = sink->define_object(sink->payload, &item);
    }
    return rc;
}

int tm__jfr_entities_emit(tm__jfr_entities *entities, const tm_sink *sink)
{
    int rc = emit_classes(entities, sink);

    if (rc >= 0)
        rc = emit_methods(entities, sink);
    if (rc >= 0)
        rc = emit_stacks(entities, sink);
    if (rc >= 0)
        rc = emit_threads(entities, sink);
    if (rc >= 0)
        rc = emit_objects(entities, sink);
    return rc < 0 ? rc : TM_OK;
}

void tm__jfr_entities_free(tm__jfr_entities *entities)
{
    tm__memory *memory = entities->memory;

    tm__strings_clear(&entities->texts);
    tm__strings_clear(&entities->stacks);
    tm__map_clear(&entities->class_map);
    tm__map_clear(&entities->thread_map);
    tm__map_clear(&entities->object_map);
    tm__triple_map_free(&entities->method_map, memory);
    tm__triple_map_free(&entities->thread_keys, memory);
    tm__jfr_text_free(&entities->text);
    tm__jfr_text_free(&entities->slashed);
    tm__free(memory, entities->classes, entities->class_capacity * sizeof(uint32_t));
    tm__free(memory, entities->methods,
             entities->method_capacity * sizeof(*entities->methods));
    tm__free(memory, entities->stack_sights, entities->stack_capacity);
    tm__free(memory, entities->threads,
             entities->thread_capacity * sizeof(*entities->threads));
    tm__free(memory, entities->thread_queue,
             entities->queue_capacity * sizeof(uint32_t));
    tm__free(memory, entities->objects,
             entities->object_capacity * sizeof(*entities->objects));
    tm__free(memory, entities->frames,
             entities->frame_capacity * sizeof(*entities->frames));
}
