/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of methods: lines, and where monitors are entered and exited. */
#include "model/entities/method_tables.h"

#include <string.h>

int tm__keep_lines(tm_model *model, tm__method *method, const tm_method *definition)
{
    int rc = tm__reserve(&model->memory, &model->entities.lines,
                         &model->entities.lines_capacity,
                         model->entities.lines_count + definition->line_count,
                         sizeof(*model->entities.lines));

    if (rc < 0)
        return rc;
    memcpy(&model->entities.lines[model->entities.lines_count], definition->lines,
           definition->line_count * sizeof(*model->entities.lines));
    method->line_first = model->entities.lines_count;
    method->line_count = (uint32_t)definition->line_count;
    model->entities.lines_count += (uint32_t)definition->line_count;
    return TM_OK;
}

int tm__keep_monitors(tm_model *model, tm__method *method, const tm_method *definition)
{
    size_t count = definition->monitor_count;
    int rc = tm__reserve(
        &model->memory, &model->entities.monitors, &model->entities.monitors_capacity,
        model->entities.monitors_count + count, sizeof(*model->entities.monitors));

    if (rc < 0)
        return rc;
    if (count)
        memcpy(&model->entities.monitors[model->entities.monitors_count],
               definition->monitors, count * sizeof(*model->entities.monitors));
    method->monitor_first = model->entities.monitors_count;
    method->monitor_count = (uint32_t)count + 1;
    model->entities.monitors_count += (uint32_t)count;
    return TM_OK;
}
