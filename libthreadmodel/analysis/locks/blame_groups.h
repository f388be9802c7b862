/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of blame, added up by group. */
#ifndef TM_ANALYSIS_LOCKS_BLAME_GROUPS_H
#define TM_ANALYSIS_LOCKS_BLAME_GROUPS_H

#include "analysis/locks/blame_state.h"

/**
 * Add up the blame of a scope.
 * @param blame  to be freed, whatever is returned
 * @param scope  lent until the blame is freed
 * @return TM_OK or TM_ENOMEM
 */
int tm__blame_gather(tm__blame *blame, const tm_model *model, const tm__scope *scope,
                     uint32_t of, uint32_t keys, uint32_t states,
                     const tm__libraries *libraries);

/**
 * The order in which an answer lists the groups: the longest total first.
 * @return blame->items_count of them, for tm__sorted_free(&blame->memory), or NULL
 */
tm__sortable *tm__blame_order(tm__blame *blame);

void tm__blame_free(tm__blame *blame);

#endif
