/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the tree: found by what makes them one, with the time and windows they have.
 */
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_pieces.h"
#include "analysis/causes/cause_facts.h"
#include "analysis/causes/cause_state.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/methods.h"

void tm__causes_init(tm__causes *c, const tm_model *model, const tm__scope *scope,
                     tm__memory *memory, const uint32_t *callers)
{
    *c = (tm__causes){
        .model = model, .scope = scope, .memory = memory, .callers = callers};
}

void tm__causes_free(tm__causes *c)
{
    for (uint32_t i = 0; i < c->nodes_count; i++)
        tm__free(c->memory, c->nodes[i].windows,
                 c->nodes[i].windows_capacity * sizeof(*c->nodes[i].windows));
    tm__free(c->memory, c->nodes, c->nodes_capacity * sizeof(*c->nodes));
    tm__free(c->memory, c->pending, c->pending_capacity * sizeof(*c->pending));
    tm__triple_map_free(&c->labels, c->memory);
    tm__triple_map_free(&c->by_key, c->memory);
    tm__cause_pieces_free(c, &c->owners);
    tm__cause_pieces_free(c, &c->users);
    tm__cause_facts_free(c);
}

static uint32_t add_node(tm__causes *c, uint32_t parent, tm__cause_label label)
{
    if (tm__reserve(c->memory, &c->nodes, &c->nodes_capacity,
                    (size_t)c->nodes_count + 1, sizeof(*c->nodes)) < 0)
        return TM__NONE;
    c->nodes[c->nodes_count] = (tm__cause_node){
        .label = label,
        .parent = parent,
        .depth = parent == TM__NONE ? 0 : c->nodes[parent].depth + 1,
        .thread = TM__NONE,
        .object = TM__NONE,
        .other = TM__NONE,
        .provenance = TM_PROVENANCE_END,
    };
    return c->nodes_count++;
}

/* Further children of a parent become one node, without children. */
static uint32_t other_of(tm__causes *c, uint32_t parent)
{
    uint32_t other = c->nodes[parent].other;

    if (other == TM__NONE) {
        other = add_node(
            c, parent,
            (tm__cause_label){TM__CAUSE_OTHER, .what = TM__NONE, .where = TM__NONE});
        if (other != TM__NONE)
            c->nodes[parent].other = other;
    }
    return other;
}

uint32_t tm__cause_node_of(tm__causes *c, uint32_t parent, tm__cause_label label)
{
    uint32_t *value =
        tm__triple_map_at(&c->labels, c->memory, label.cause, label.what, label.where);
    const uint32_t *known;
    uint32_t number, node;

    if (!value)
        return TM__NONE;
    if (!*value)
        *value = c->labels.count;
    number = *value;
    known = tm__triple_map_find(&c->by_key, parent, number, 0);
    if (known)
        return *known - 1;
    if (parent != TM__NONE && c->nodes_count >= TM__CAUSE_NODES_MAX)
        return other_of(c, parent);
    value = tm__triple_map_at(&c->by_key, c->memory, parent, number, 0);
    if (!value)
        return TM__NONE;
    node = add_node(c, parent, label);
    /* Without memory the whole answer is given up, and the map with it. */
    *value = node == TM__NONE ? 1 : node + 1;
    return node;
}

void tm__cause_add(tm__causes *c, uint32_t node, const tm__cause_part *part)
{
    tm__cause_node *it = &c->nodes[node];

    it->total_ns =
        tm__sum(it->total_ns, tm__product(part->to_ns - part->from_ns, part->weight));
    it->count = tm__sum(it->count, part->begins);
    if (it->thread == TM__NONE)
        it->thread = part->thread;
}

uint32_t tm__cause_child(tm__causes *c, uint32_t parent, tm__cause_label label,
                         const tm__cause_part *part)
{
    uint32_t node = tm__cause_node_of(c, parent, label);

    if (node != TM__NONE)
        tm__cause_add(c, node, part);
    return node;
}

int tm__cause_window_add(tm__causes *c, uint32_t node, const tm__cause_window *window)
{
    tm__cause_node *it = &c->nodes[node];
    tm__cause_window *last =
        it->windows_count ? &it->windows[it->windows_count - 1] : NULL;

    /* One that only goes on adds none. */
    if (last && last->thread == window->thread && last->to_ns == window->from_ns &&
        last->weight == window->weight && !window->begins) {
        last->to_ns = window->to_ns;
        return TM_OK;
    }
    if (!last) {
        if (tm__reserve(c->memory, &c->pending, &c->pending_capacity,
                        (size_t)c->pending_count + 1, sizeof(*c->pending)) < 0)
            return tm__failure();
    }
    if (tm__reserve(c->memory, &it->windows, &it->windows_capacity,
                    (size_t)it->windows_count + 1, sizeof(*it->windows)) < 0)
        return tm__failure();
    if (!last)
        c->pending[c->pending_count++] = node;
    it->windows[it->windows_count++] = *window;
    return TM_OK;
}

uint32_t tm__cause_method(const tm__causes *c, uint32_t stack)
{
    const tm_model *model = c->model;
    uint32_t frame = stack == TM__NONE ? TM__NONE : c->callers[stack];

    if (frame == TM__NONE || model->entities.frames[frame].method == TM__NONE)
        return TM__NONE;
    return model->entities.methods[model->entities.frames[frame].method].full_name;
}
