/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping/condition_name.h"

#include <string.h>

#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

static int is_condition(const char *class_name)
{
    const char *nested = class_name ? strrchr(class_name, '$') : NULL;

    return nested && strcmp(nested, "$ConditionObject") == 0 &&
           strncmp(class_name, "java.util.concurrent.locks.",
                   strlen("java.util.concurrent.locks.")) == 0;
}

static const char *class_of(const tm_model *model, uint32_t method)
{
    return method == TM__NONE
               ? NULL
               : tm__class_name(&model->entities,
                                model->entities.methods[method].class_index);
}

/* The class of the innermost frame that is not part of how to wait, where a condition
 * is what it waits for. */
static const char *class_that_awaits(const tm_model *model, const tm__stack *stack)
{
    int is_awaited = 0;

    for (uint32_t i = 0; i < stack->frame_count; i++) {
        uint32_t method = model->entities.frames[stack->frame_first + i].method;
        const char *name = class_of(model, method);

        if (is_condition(name))
            is_awaited = 1;
        else if (method != TM__NONE &&
                 !(model->entities.methods[method].role & TM__ROLE_PRIMITIVE))
            return is_awaited ? name : NULL;
    }
    return NULL;
}

static int is_called_by(const tm_model *model, uint32_t frame, const char *method)
{
    uint32_t caller =
        frame == TM__NONE ? TM__NONE : model->entities.frames[frame].method;
    const char *name = caller == TM__NONE
                           ? NULL
                           : tm__strings_get(&model->entities.strings,
                                             model->entities.methods[caller].full_name);

    return name && strcmp(name, method) == 0;
}

const char *tm__condition_class(const tm_model *model, const char *class_name,
                                const char *method)
{
    const uint32_t *callers =
        is_condition(class_name) && method ? tm__usual_callers(model) : NULL;
    const char *found = NULL;

    for (uint32_t i = 0; callers && i < model->entities.stacks_count; i++) {
        const char *name = is_called_by(model, callers[i], method)
                               ? class_that_awaits(model, &model->entities.stacks[i])
                               : NULL;

        if (name && found && strcmp(name, found) != 0)
            return class_name;
        found = name ? name : found;
    }
    return found ? found : class_name;
}
