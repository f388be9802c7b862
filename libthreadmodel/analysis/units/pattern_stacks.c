/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that are one place in the program. A JVM makes classes of its own for what is
 * called by reflection or by a handle, any number of them with one name: the same line
 * of the program then has several stacks.
 *
 *     nodes    (0, run, 51): 1    (1, handle, 7): 2    (2, read, 12): 3
 */
#include "analysis/units/pattern_stacks.h"

#include <string.h>

#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

/* A line, or where none is known the place in the code; that of such a class is another
 * in each. */
static uint32_t place_in(const tm_model *model, const tm__frame *frame)
{
    int32_t line = tm__frame_line(&model->entities, frame);
    const char *name;

    if (line > 0 || frame->method == TM__NONE)
        return (uint32_t)line;
    name = tm__class_name(&model->entities,
                          model->entities.methods[frame->method].class_index);
    return name && strstr(name, "/hidden") ? 0 : UINT32_MAX - (uint32_t)frame->location;
}

uint32_t tm__pattern_stack(tm__patterns *patterns, uint32_t stack)
{
    const tm_model *model = patterns->units->model;
    const tm__stack *it = &model->entities.stacks[stack];
    uint32_t node = patterns->nodes_of[stack];

    for (uint32_t i = node ? 0 : it->frame_count; i > 0; i--) {
        const tm__frame *frame = &model->entities.frames[it->frame_first + i - 1];
        uint32_t name = frame->method == TM__NONE
                            ? TM__NONE
                            : model->entities.methods[frame->method].full_name;
        uint32_t *value = tm__triple_map_at(&patterns->nodes, patterns->units->memory,
                                            node, name, place_in(model, frame));

        if (!value)
            return TM__NONE;
        if (*value == 0)
            *value = patterns->nodes.count;
        node = *value;
    }
    return patterns->nodes_of[stack] = node;
}
