/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/wait_state.h"

#include <string.h>

#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

uint32_t tm__wait_place(const tm__wait_graph *graph, uint32_t stack)
{
    const tm_model *model = graph->model;
    uint32_t frame = stack == TM__NONE ? TM__NONE : graph->callers[stack];
    uint32_t method =
        frame == TM__NONE ? TM__NONE : model->entities.frames[frame].method;

    return method == TM__NONE ? TM__NONE : model->entities.methods[method].full_name;
}

uint32_t tm__wait_last_server(const tm__wait_graph *graph, uint32_t thread,
                              uint32_t *count)
{
    uint32_t last = TM__NONE, itself = TM__NONE;

    *count = 0;
    for (uint32_t i = graph->nodes[thread].server; i != TM__NONE;
         i = graph->servers[i].next) {
        if (graph->servers[i].thread == thread) {
            itself = i;
            continue;
        }
        ++*count;
        if (last == TM__NONE ||
            graph->servers[i].last_ns > graph->servers[last].last_ns)
            last = i;
    }
    if (last != TM__NONE || itself == TM__NONE)
        return last;
    *count = 1;
    return itself;
}

int tm__wait_servers_have_ended(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int is_served = 0;

    if (node->edge != TM_WAIT_EDGE_SERVED)
        return 0;
    for (uint32_t i = node->server; i != TM__NONE; i = graph->servers[i].next) {
        uint32_t server = graph->servers[i].thread;

        if (server == thread)
            continue;
        if (graph->nodes[server].kind != TM__NODE_ABSENT)
            return 0;
        is_served = 1;
    }
    return is_served;
}

int tm__wait_is_own_end(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];
    int state = graph->model->entities.threads[thread].intervals[node->interval].state;

    return node->edge == TM_WAIT_EDGE_SELF &&
           (state == TM_STATE_WAITING || state == TM_STATE_JOINING);
}

static const char *method_of(const tm_model *model, uint32_t frame)
{
    return tm__method_name(&model->entities, model->entities.frames[frame].method);
}

int tm__stack_has(const tm_model *model, uint32_t stack, const char *prefix)
{
    size_t length = strlen(prefix);

    if (stack == TM__NONE)
        return 0;
    for (uint32_t i = 0; i < model->entities.stacks[stack].frame_count; i++) {
        const char *name =
            method_of(model, model->entities.stacks[stack].frame_first + i);

        if (name && strncmp(name, prefix, length) == 0)
            return 1;
    }
    return 0;
}

int tm__stack_mentions(const tm_model *model, uint32_t stack, const char *part)
{
    if (stack == TM__NONE)
        return 0;
    for (uint32_t i = 0; i < model->entities.stacks[stack].frame_count; i++) {
        const char *name =
            method_of(model, model->entities.stacks[stack].frame_first + i);

        if (name && strstr(name, part))
            return 1;
    }
    return 0;
}

int tm__stack_has_role(const tm_model *model, uint32_t stack, uint16_t role)
{
    const tm__entities *all = &model->entities;

    if (stack == TM__NONE)
        return 0;
    for (uint32_t i = 0; i < all->stacks[stack].frame_count; i++) {
        uint32_t method = all->frames[all->stacks[stack].frame_first + i].method;

        if (method != TM__NONE && all->methods[method].role & role)
            return 1;
    }
    return 0;
}
