/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, objects, classes, methods and stacks: made on first sight by whatever
 * names them first, an event or a definition. define_entities.c fills them in.
 */
#include "base/error.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entities.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

/* Nothing is known of it yet. */
static const tm__thread unseen_thread = {
    .start_ns = INT64_MIN,
    .end_ns = INT64_MIN,
    .last_ns = INT64_MIN,
    .since_ns = INT64_MIN,
    .state = TM_STATE_UNKNOWN,
    .blocking_state = TM_STATE_UNKNOWN,
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
    .aggregate = TM__NONE,
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
    .latest_all = TM__NONE,
    .post_head = TM__NONE,
    .post_tail = TM__NONE,
    .post_spare = TM__NONE,
    .name = TM__NONE,
};

/* Room for one more in an array of its own or of several that go together. */
#define RESERVE(reserve, model, array, count)                                          \
    reserve(&(model)->memory, &(model)->array, &(model)->array##_capacity,             \
            (size_t)(count) + 1, sizeof(*(model)->array))

/* Give an id that has none the next index. */
static int number(tm__map *map, uint64_t id, uint32_t *count, uint32_t *index)
{
    if (tm__map_put(map, id, *count) < 0)
        return tm__failure();
    *index = (*count)++;
    return TM_OK;
}

int tm__model_thread(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.thread_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve_lines, model, entities.threads,
                model->entities.threads_count) < 0 ||
        number(&model->entities.thread_map, id, &model->entities.threads_count, index) <
            0)
        return tm__failure();
    model->entities.threads[*index] = unseen_thread;
    model->entities.threads[*index].id = id;
    return TM_OK;
}

int tm__model_thread_new(tm_model *model, uint32_t *index)
{
    if (RESERVE(tm__reserve_lines, model, entities.threads,
                model->entities.threads_count) < 0)
        return tm__failure();
    *index = model->entities.threads_count++;
    model->entities.threads[*index] = unseen_thread;
    return TM_OK;
}

int tm__model_object(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.object_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve_lines, model, entities.objects,
                model->entities.objects_count) < 0 ||
        RESERVE(tm__reserve, model, entities.links, model->entities.objects_count) <
            0 ||
        RESERVE(tm__reserve, model, entities.details, model->entities.objects_count) <
            0 ||
        number(&model->entities.object_map, id, &model->entities.objects_count, index) <
            0)
        return tm__failure();
    model->entities.objects[*index] = unseen_object;
    model->entities.objects[*index].named = model->entities.evictions;
    model->entities.links[*index] = unseen_links;
    model->entities.details[*index] = unseen_detail;
    model->entities.details[*index].id = id;
    return TM_OK;
}

int tm__model_class(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.class_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, entities.classes, model->entities.classes_count) <
            0 ||
        number(&model->entities.class_map, id, &model->entities.classes_count, index) <
            0)
        return tm__failure();
    model->entities.classes[*index] = (tm__class){.id = id,
                                                  .name = TM__NONE,
                                                  .source = TM__NONE,
                                                  .name_waits = TM__NONE,
                                                  .build_id = TM__NONE};
    return TM_OK;
}

int tm__model_method(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.method_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, entities.methods, model->entities.methods_count) <
            0 ||
        number(&model->entities.method_map, id, &model->entities.methods_count, index) <
            0)
        return tm__failure();
    model->entities.methods[*index] = (tm__method){.id = id,
                                                   .class_index = TM__NONE,
                                                   .name = TM__NONE,
                                                   .full_name = TM__NONE,
                                                   .next = *index,
                                                   .role = TM__ROLE_NAMELESS};
    return TM_OK;
}

int tm__model_stack(tm_model *model, uint32_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.stack_map, id);
    if (*index != TM__NONE)
        return TM_OK;
    if (RESERVE(tm__reserve, model, entities.stacks, model->entities.stacks_count) <
            0 ||
        number(&model->entities.stack_map, id, &model->entities.stacks_count, index) <
            0)
        return tm__failure();
    model->entities.stacks[*index] = (tm__stack){.id = id};
    return TM_OK;
}
