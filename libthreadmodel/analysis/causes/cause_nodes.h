/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the tree, found by what identifies them, with their time and windows. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_NODES_H
#define TM_ANALYSIS_CAUSES_CAUSE_NODES_H

#include "analysis/causes/cause_state.h"

void tm__causes_init(tm__causes *c, const tm_model *model, const tm__scope *scope,
                     tm__memory *memory, const uint32_t *callers);
void tm__causes_free(tm__causes *c);

/** @return nodes[] of that label below a parent; TM__NONE: no memory */
uint32_t tm__cause_node_of(tm__causes *c, uint32_t parent, tm__cause_label label);
/** Add the time of a part to a node. */
void tm__cause_add(tm__causes *c, uint32_t node, const tm__cause_part *part);
/** Add a part to a child of a node. @return the child, or TM__NONE: no memory */
uint32_t tm__cause_child(tm__causes *c, uint32_t parent, tm__cause_label label,
                         const tm__cause_part *part);
/** Add a window, whose time was added. @return TM_OK or TM_ENOMEM */
int tm__cause_window_add(tm__causes *c, uint32_t node, const tm__cause_window *window);

/** @return strings of the caller's method at a stack, which may be TM__NONE */
uint32_t tm__cause_method(const tm__causes *c, uint32_t stack);

#endif
