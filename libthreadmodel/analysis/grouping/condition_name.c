/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping/condition_name.h"

#include <string.h>

#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

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

        if (tm__is_condition_class(name))
            is_awaited = 1;
        else if (method != TM__NONE &&
                 !(model->entities.methods[method].role & TM__ROLE_PRIMITIVE))
            return is_awaited ? name : NULL;
    }
    return NULL;
}

const char *tm__condition_class(const tm_model *model, const char *class_name,
                                const char *method)
{
    const uint32_t *callers =
        tm__is_condition_class(class_name) && method ? tm__usual_callers(model) : NULL;
    const char *found = NULL;

    for (uint32_t i = 0; callers && i < model->entities.stacks_count; i++) {
        const char *name = tm__frame_is_of(model, callers[i], method)
                               ? class_that_awaits(model, &model->entities.stacks[i])
                               : NULL;

        if (name && found && strcmp(name, found) != 0)
            return class_name;
        found = name ? name : found;
    }
    return found ? found : class_name;
}
