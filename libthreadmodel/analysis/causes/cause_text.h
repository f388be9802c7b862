/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in words. */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_TEXT_H
#define TM_ANALYSIS_CAUSES_CAUSE_TEXT_H

#include "analysis/causes/cause_state.h"

/** "lock" */
const char *tm__cause_name(uint32_t cause);
/** A node in words. @param label  of its object, or NULL */
void tm__cause_text(const tm__causes *c, const tm__cause_node *node, const char *label,
                    char *buffer, size_t bytes);

#endif
