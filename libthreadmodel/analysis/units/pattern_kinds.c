/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of a unit that is inferred: the outermost method of the program below what
 * all units of a group share, or below what dispatches them.
 */
#include "analysis/units/pattern_kinds.h"

#include <string.h>

#include "model/entities/entity_names.h"
#include "roles/method_roles.h"
#include "model/entities/methods.h"

static int is_passed_over(const tm_model *model, const tm__frame *frame)
{
    const char *name;

    if (frame->method == TM__NONE || model->entities.methods[frame->method].role &
                                         (TM__ROLE_LIBRARY | TM__ROLE_NAMELESS))
        return 1;
    name = tm__method_name(&model->entities, frame->method);
    return !name || strstr(name, "$$Lambda") != NULL;
}

/* Length of "io.netty." in "io.netty.channel.nio.NioEventLoop". */
static size_t family_bytes(const char *name)
{
    const char *dot = strchr(name, '.');

    dot = dot ? strchr(dot + 1, '.') : NULL;
    return dot ? (size_t)(dot - name) + 1 : 0;
}

uint32_t tm__pattern_below_dispatch(const tm_model *model, const tm__frame *frames,
                                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *name = frames[i].method == TM__NONE
                               ? NULL
                               : tm__method_name(&model->entities, frames[i].method);
        size_t bytes;

        if (!name ||
            !(model->entities.methods[frames[i].method].role & TM__ROLE_DISPATCHES))
            continue;
        bytes = family_bytes(name);
        for (; i > 0; i--) {
            const char *other =
                frames[i - 1].method == TM__NONE
                    ? NULL
                    : tm__method_name(&model->entities, frames[i - 1].method);

            if (other && !(bytes && strncmp(other, name, bytes) == 0))
                break;
        }
        return i;
    }
    return count;
}

/* Whether a method is the pool's own, of the class whose method fetches the tasks: a
 * worker that ends for instance. It is of no task. */
static int is_of_pool(const tm_model *model, uint32_t method, uint32_t fetches)
{
    const tm__method *methods = model->entities.methods;
    const tm__class *classes = model->entities.classes;

    return method != TM__NONE && fetches != TM__NONE &&
           methods[fetches].role & TM__ROLE_IDLES &&
           classes[methods[method].class_index].name ==
               classes[methods[fetches].class_index].name;
}

static int is_of_server(const tm_model *model, const tm__frame *frame)
{
    return tm__is_of_server(tm__method_name(&model->entities, frame->method));
}

/* The name of what the frames before `left` do: the outermost method of the program,
 * else of the server that would call it, else of all. */
static uint32_t name_of(const tm_model *model, const tm__frame *frames, uint32_t left,
                        tm__unit_place *place)
{
    uint32_t outer = left;

    for (uint32_t first = left; first > 0; first--) {
        if (is_passed_over(model, &frames[first - 1]))
            continue;
        if (!is_of_server(model, &frames[first - 1]))
            return model->entities.methods[frames[first - 1].method].full_name;
        outer = outer == left ? first : outer;
    }
    if (!outer || frames[outer - 1].method == TM__NONE)
        return TM__NONE;
    place->is_of_library = 1;
    return model->entities.methods[frames[outer - 1].method].full_name;
}

/* Even a stack that was cut off shows which method a dispatcher or a server calls. */
static uint32_t below_server(const tm_model *model, const tm__frame *frames,
                             uint32_t count)
{
    uint32_t left = tm__pattern_below_dispatch(model, frames, count);

    if (left < count)
        return left;
    while (left > 0 && (is_passed_over(model, &frames[left - 1]) ||
                        !is_of_server(model, &frames[left - 1])))
        left--;
    return left;
}

static uint32_t find_kind(const tm_model *model, tm__unit_place *place,
                          uint32_t idle_stack)
{
    const tm__stack *it = &model->entities.stacks[place->stack];
    const tm__frame *frames = &model->entities.frames[it->frame_first];
    uint32_t left = it->frame_count;

    if (it->flags & TM_STACK_TRUNCATED)
        left = below_server(model, frames, left);
    else if (idle_stack != TM__NONE) {
        const tm__stack *idle = &model->entities.stacks[idle_stack];
        uint32_t other = idle->frame_count;

        while (left && other &&
               frames[left - 1].method ==
                   model->entities.frames[idle->frame_first + other - 1].method)
            left--, other--;
        if (left == it->frame_count)
            return TM__NONE; /* what they share was cut off */
        place->is_of_pool =
            left && other &&
            is_of_pool(model, frames[left - 1].method,
                       model->entities.frames[idle->frame_first + other - 1].method);
        if (place->is_of_pool)
            return TM__NONE;
    } else {
        left = tm__pattern_below_dispatch(model, frames, left);
    }
    return name_of(model, frames, left, place);
}

uint32_t tm__pattern_kind(tm__patterns *patterns, uint32_t place)
{
    tm__unit_place *it = &patterns->places[place];
    const tm__unit_group *group = &patterns->groups[it->group];

    if (!it->is_named) {
        it->kind_name =
            find_kind(patterns->units->model, it,
                      group->work == TM__WORK_TASKS ? group->idle_stack : TM__NONE);
        it->is_named = 1;
    }
    return it->kind_name;
}
