/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a resource that a what-if of more permits, or of shorter uses, needs. */
#ifndef TM_ANALYSIS_WHATIF_SERVED_H
#define TM_ANALYSIS_WHATIF_SERVED_H

#include "analysis/whatif/served_state.h"

/**
 * Find the waits in a method, and who ended them.
 * @param stacks      of each stack: whether it is in the method
 * @param class_name  strings, or TM__NONE: any
 * @param part        waits that begin in it are counted
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__served_find(tm__served *served, const tm__resources *resources,
                    tm__memory *memory, const uint8_t *stacks, uint32_t class_name,
                    const tm__scope *part);

void tm__served_free(tm__served *served);

#endif
