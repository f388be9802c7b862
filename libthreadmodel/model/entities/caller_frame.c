/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller among the frames of a stack: the code that asked to be blocked, as a
 * person means it.
 *
 *     Unsafe.park                 LockSupport.park ...       how it is done: primitive
 *     LinkedBlockingQueue.take    library
 *     app.Queue.next              <- the caller: the innermost outside libraries
 *     app.Main.run
 *
 * A helper that only sleeps or joins, and is called so, means nothing: sleepQuietly().
 * Its caller is the one, if the program wrote it.
 *
 * Where a thread has nothing to do, the frame that waits for work is the caller,
 * whatever lies within: a pool's worker is idle, not slow. Answers go over all stacks,
 * thousands of them, so each method is judged once, when it is named: method_roles.h.
 */
#include "model/entities/caller_frame.h"

#include <string.h>

#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/state/model.h"

/* @param roles  of each method, or NULL: by the default libraries */
static uint16_t role_of(const tm_model *model, uint32_t method, const uint16_t *roles)
{
    if (method == TM__NONE)
        return TM__ROLE_NAMELESS;
    return roles ? roles[method] : model->entities.methods[method].role;
}

/* Whether a method only sleeps or joins for its caller, by its name and what it calls.
 */
static int is_helper(uint16_t role, uint16_t callee)
{
    return (role & TM__ROLE_NAMED_SLEEP &&
            callee & (TM__ROLE_SLEEPS | TM__ROLE_NAMED_SLEEP)) ||
           (role & TM__ROLE_NAMED_JOIN &&
            callee & (TM__ROLE_JOINS | TM__ROLE_NAMED_JOIN));
}

static uint32_t find_caller(const tm_model *model, uint32_t stack,
                            const uint16_t *roles)
{
    uint32_t caller = TM__NONE, helper = TM__NONE, past_primitives = TM__NONE;
    uint32_t first, end;
    uint16_t callee = 0;
    int for_lock = 0;

    if (stack == TM__NONE || !model->entities.stacks[stack].frame_count)
        return TM__NONE;
    first = model->entities.stacks[stack].frame_first;
    end = first + model->entities.stacks[stack].frame_count;
    for (uint32_t i = first; i < end; i++) {
        uint16_t role = role_of(model, model->entities.frames[i].method, roles);

        if ((role & (TM__ROLE_NAMELESS | TM__ROLE_IDLES)) == TM__ROLE_NAMELESS)
            continue;
        for_lock |= role & TM__ROLE_LOCKS;
        if (!for_lock && (role & TM__ROLE_IDLES ||
                          (role & TM__ROLE_LOOPS && past_primitives == TM__NONE)))
            return i;
        if (caller == TM__NONE && !(role & TM__ROLE_LIBRARY) &&
            !(helper != TM__NONE && role & TM__ROLE_LAMBDA)) {
            if (is_helper(role, callee))
                helper = helper == TM__NONE ? i : helper;
            else
                caller = i;
        }
        callee = role;
        if (past_primitives == TM__NONE && !(role & TM__ROLE_PRIMITIVE))
            past_primitives = i;
    }
    if (caller != TM__NONE || helper != TM__NONE)
        return caller != TM__NONE ? caller : helper;
    return past_primitives == TM__NONE ? first : past_primitives;
}

uint32_t tm__stack_caller(const tm_model *model, uint32_t stack)
{
    return find_caller(model, stack, NULL);
}

static size_t bytes_of_roles(const tm_model *model)
{
    return ((size_t)model->entities.methods_count + 1) * sizeof(uint16_t);
}

/* @return NULL: there is no memory */
static uint16_t *find_roles(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries)
{
    uint16_t *roles = tm__resize(memory, NULL, 0, bytes_of_roles(model));

    for (uint32_t i = 0; roles && i < model->entities.methods_count; i++) {
        roles[i] = tm__role(
            tm__class_name(&model->entities, model->entities.methods[i].class_index),
            tm__method_name(&model->entities, i), libraries);
        if (model->entities.methods[i].flags & TM_METHOD_IDLES)
            roles[i] |= TM__ROLE_IDLES;
    }
    return roles;
}

static void find_callers(uint32_t *callers, const tm_model *model,
                         const uint16_t *roles)
{
    for (uint32_t i = 0; i < model->entities.stacks_count; i++)
        callers[i] = find_caller(model, i, roles);
    callers[model->entities.stacks_count] = TM__NONE; /* so that [count] is an answer */
}

uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries)
{
    size_t bytes = ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
    int is_default = !libraries || !libraries->prefixes;
    uint16_t *roles = is_default ? NULL : find_roles(model, memory, libraries);
    uint32_t *callers;

    if (!is_default && !roles)
        return NULL;
    callers = tm__resize(memory, NULL, 0, bytes);
    if (callers)
        find_callers(callers, model, roles);
    tm__free(memory, roles, bytes_of_roles(model));
    return callers;
}

typedef struct kept_callers {
    tm__memory *memory;
    size_t bytes; ///< of what follows
    uint32_t callers[];
} kept_callers;

static void drop_callers(void *item)
{
    kept_callers *kept = item;

    tm__free(kept->memory, kept, sizeof(*kept) + kept->bytes);
}

const uint32_t *tm__usual_callers(const tm_model *model)
{
    size_t bytes = ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
    tm__memory *memory = &model->kept->memory;
    kept_callers *kept = model->kept->items[TM__KEPT_CALLERS];

    if (kept)
        return kept->callers;
    kept = tm__resize(memory, NULL, 0, sizeof(*kept) + bytes);
    if (!kept)
        return NULL;
    kept->memory = memory;
    kept->bytes = bytes;
    find_callers(kept->callers, model, NULL);
    tm__keep(model->kept, TM__KEPT_CALLERS, kept, drop_callers);
    return kept->callers;
}

int tm__are_usual_callers(const tm_model *model, const uint32_t *callers)
{
    const uint32_t *usual = tm__usual_callers(model);

    if (!usual)
        return tm__failure();
    return memcmp(usual, callers,
                  (size_t)model->entities.stacks_count * sizeof(*usual)) == 0;
}

static int has_role(const tm_model *model, uint32_t frame, uint16_t roles)
{
    return frame != TM__NONE &&
           role_of(model, model->entities.frames[frame].method, NULL) & roles;
}

int tm__frame_is_idle(const tm_model *model, uint32_t frame)
{
    return has_role(model, frame, TM__ROLE_IDLES | TM__ROLE_LOOPS);
}

int tm__frame_is_library(const tm_model *model, uint32_t frame)
{
    return has_role(model, frame, TM__ROLE_LIBRARY);
}

int tm__frame_is_of(const tm_model *model, uint32_t frame, const char *method)
{
    uint32_t number =
        frame == TM__NONE ? TM__NONE : model->entities.frames[frame].method;
    const char *name = number == TM__NONE
                           ? NULL
                           : tm__strings_get(&model->entities.strings,
                                             model->entities.methods[number].full_name);

    return name && strcmp(name, method) == 0;
}
