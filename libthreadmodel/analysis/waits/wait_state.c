/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/wait_state.h"
#include "model/entities/methods.h"

uint32_t tm__wait_place(const tm__wait_graph *graph, uint32_t stack)
{
    const tm_model *model = graph->model;
    uint32_t frame = stack == TM__NONE ? TM__NONE : graph->callers[stack];
    uint32_t method =
        frame == TM__NONE ? TM__NONE : model->entities.frames[frame].method;

    return method == TM__NONE ? TM__NONE : model->entities.methods[method].full_name;
}
