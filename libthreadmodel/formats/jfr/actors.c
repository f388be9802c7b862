/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and objects. A thread is known by Java's number for it, so that it is one
 * thread in all chunks; an object by the address that JFR gives and by its class.
 */
#include "base/error.h"
#include "formats/jfr/actors.h"
#include "formats/jfr/code.h"
#include "formats/jfr/jfr_entities.h"

/* Ids of threads that Java does not know, and of everything in a second JVM. */
#define NATIVE (UINT64_C(1) << 63)
enum { JVM_SHIFT = 48, MAX_JVM = 0x7fff };

static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 29;
}

/* A thread's id: Java's own number, or the JVM's key for one that Java has not. */
static uint64_t make_thread_id(const tm__jfr_entities *entities, uint64_t java_id,
                               uint64_t key)
{
    uint64_t number = java_id ? java_id : key;

    if (entities->jvm)
        number = (number & ((UINT64_C(1) << JVM_SHIFT) - 1)) |
                 (uint64_t)(entities->jvm & MAX_JVM) << JVM_SHIFT;
    number &= ~NATIVE;
    return java_id ? number : number | NATIVE;
}

static int queue(tm__jfr_entities *entities, uint32_t index)
{
    if (entities->threads[index].is_queued)
        return TM_OK;
    if (tm__reserve(entities->memory, &entities->thread_queue,
                    &entities->queue_capacity, (size_t)entities->queue_count + 1,
                    sizeof(*entities->thread_queue)) < 0)
        return tm__failure();
    entities->thread_queue[entities->queue_count++] = index;
    entities->threads[index].is_queued = 1;
    return TM_OK;
}

static int intern_thread(tm__jfr_entities *entities, const tm__jfr_thread *thread,
                         uint32_t *index)
{
    tm__jfr_thread *known;
    uint32_t is_queued;

    *index = tm__map_find(&entities->thread_map, thread->id);
    if (*index == TM__NONE) {
        if (tm__reserve(entities->memory, &entities->threads,
                        &entities->thread_capacity, (size_t)entities->thread_count + 1,
                        sizeof(*entities->threads)) < 0 ||
            tm__map_put(&entities->thread_map, thread->id, entities->thread_count) < 0)
            return tm__failure();
        *index = entities->thread_count++;
        entities->threads[*index] = *thread;
        return queue(entities, *index);
    }
    known = &entities->threads[*index];
    if (known->name == thread->name && known->group == thread->group &&
        known->flags == thread->flags && known->os_id == thread->os_id)
        return TM_OK;
    is_queued = known->is_queued;
    *known = *thread;
    known->is_queued = is_queued;
    return queue(entities, *index);
}

static int read_thread(tm__jfr_entities *entities, const tm__jfr_constant *constant,
                       uint64_t key, tm__jfr_thread *thread)
{
    uint64_t values[TM__JFR_CONSTANT_SLOTS], group[TM__JFR_CONSTANT_SLOTS];
    const tm__jfr_constant *of_group;
    int rc = TM_OK;

    tm__jfr_constant_read(entities->pools, TM__JFR_POOL_THREAD, constant, values);
    *thread = (tm__jfr_thread){
        .id = make_thread_id(entities, values[TM__JFR_THREAD_JAVA_ID], key),
        .os_id = values[TM__JFR_THREAD_OS_ID],
        .name = TM__NONE,
        .group = TM__NONE};
    if (!values[TM__JFR_THREAD_JAVA_ID])
        thread->flags |= TM_THREAD_AGENT;
    if (values[TM__JFR_THREAD_VIRTUAL]) {
        thread->flags |= TM_THREAD_VIRTUAL;
        entities->has_virtual = 1;
    }
    if (values[TM__JFR_THREAD_JAVA_NAME])
        rc = tm__jfr_entity_text(entities, values[TM__JFR_THREAD_JAVA_NAME],
                                 &thread->name);
    if (rc == TM_OK && thread->name == TM__NONE && values[TM__JFR_THREAD_OS_NAME])
        rc = tm__jfr_entity_text(entities, values[TM__JFR_THREAD_OS_NAME],
                                 &thread->name);
    of_group = tm__jfr_constant_find(entities->pools, TM__JFR_POOL_GROUP,
                                     values[TM__JFR_THREAD_GROUP]);
    if (rc < 0 || !of_group)
        return rc;
    tm__jfr_constant_read(entities->pools, TM__JFR_POOL_GROUP, of_group, group);
    if (group[TM__JFR_GROUP_NAME])
        rc = tm__jfr_entity_text(entities, group[TM__JFR_GROUP_NAME], &thread->group);
    /* A program's threads are in the group `main` and below it. */
    if (rc == TM_OK && thread->group != TM__NONE &&
        strcmp(tm__strings_get(&entities->texts, thread->group), "system") == 0)
        thread->flags |= TM_THREAD_AGENT;
    return rc;
}

static int resolve_thread(tm__jfr_entities *entities, uint64_t key,
                          tm__jfr_constant *constant)
{
    tm__jfr_thread thread;
    uint32_t *known;

    if (read_thread(entities, constant, key, &thread) < 0 ||
        intern_thread(entities, &thread, &constant->resolved) < 0)
        return tm__failure();
    known = tm__triple_map_at(&entities->thread_keys, entities->memory, (uint32_t)key,
                              (uint32_t)(key >> 32), entities->jvm);
    if (!known)
        return tm__failure();
    *known = constant->resolved + 1;
    return TM_OK;
}

/* A thread that an earlier chunk defines, or none does. */
static uint64_t earlier_thread_id(tm__jfr_entities *entities, uint64_t key)
{
    const uint32_t *known = tm__triple_map_find(&entities->thread_keys, (uint32_t)key,
                                                (uint32_t)(key >> 32), entities->jvm);

    if (known)
        return entities->threads[*known - 1].id;
    entities->unknown_threads++;
    return make_thread_id(entities, 0, key);
}

int tm__jfr_thread_id(tm__jfr_entities *entities, uint64_t key, uint64_t *id)
{
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_THREAD, key);

    *id = 0;
    if (!key)
        return TM_OK;
    if (!constant) {
        *id = earlier_thread_id(entities, key);
        return TM_OK;
    }
    if (constant->resolved == TM__NONE && resolve_thread(entities, key, constant) < 0)
        return tm__failure();
    *id = entities->threads[constant->resolved].id;
    return TM_OK;
}

uint64_t tm__jfr_java_thread_id(const tm__jfr_entities *entities, uint64_t java_id)
{
    return java_id ? make_thread_id(entities, java_id, 0) : 0;
}

int tm__jfr_java_thread(tm__jfr_entities *entities, uint64_t java_id, uint32_t name,
                        uint64_t *id)
{
    tm__jfr_thread thread = {.id = tm__jfr_java_thread_id(entities, java_id),
                             .name = name,
                             .group = TM__NONE};
    uint32_t index;

    *id = thread.id;
    if (!java_id || tm__map_find(&entities->thread_map, thread.id) != TM__NONE)
        return TM_OK;
    return intern_thread(entities, &thread, &index);
}

int tm__jfr_thread_note_daemon(tm__jfr_entities *entities, uint64_t java_id)
{
    uint32_t index = java_id ? tm__map_find(&entities->thread_map,
                                            tm__jfr_java_thread_id(entities, java_id))
                             : TM__NONE;

    if (index == TM__NONE || entities->threads[index].flags & TM_THREAD_DAEMON)
        return TM_OK;
    entities->threads[index].flags |= TM_THREAD_DAEMON;
    return queue(entities, index);
}

int tm__jfr_object_id(tm__jfr_entities *entities, int kind, uint64_t address,
                      uint32_t class_, uint64_t *id)
{
    uint64_t candidate = address;
    uint32_t index;

    *id = 0;
    if (!address && !class_)
        return TM_OK;
    /* The plain address for the first monitor there; all else is mixed with it. */
    if (kind != TM__JFR_OBJECT_MONITOR || entities->jvm || !address)
        candidate =
            mix(mix(address) + (uint64_t)kind + 1 + ((uint64_t)entities->jvm << 8));
    for (;;) {
        const tm__jfr_object *known;

        index = tm__map_find(&entities->object_map, candidate);
        if (index == TM__NONE)
            break;
        known = &entities->objects[index];
        if (known->address == address && known->class_ == class_ &&
            known->kind == kind && known->jvm == (uint16_t)entities->jvm) {
            *id = known->id;
            return TM_OK;
        }
        candidate = mix(candidate + class_ + 1);
    }
    if (candidate == 0)
        candidate = 1;
    if (tm__reserve(entities->memory, &entities->objects, &entities->object_capacity,
                    (size_t)entities->object_count + 1,
                    sizeof(*entities->objects)) < 0 ||
        tm__map_put(&entities->object_map, candidate, entities->object_count) < 0)
        return tm__failure();
    entities->objects[entities->object_count++] =
        (tm__jfr_object){.id = candidate,
                         .address = address,
                         .class_ = class_,
                         .kind = (uint16_t)kind,
                         .jvm = (uint16_t)entities->jvm};
    *id = candidate;
    return TM_OK;
}
