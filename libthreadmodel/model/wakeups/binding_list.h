/* SPDX-License-Identifier: Apache-2.0 */
/* An object's notifies that are not settled, oldest first. */
#ifndef TM_MODEL_WAKEUPS_BINDING_LIST_H
#define TM_MODEL_WAKEUPS_BINDING_LIST_H

#include "model/wakeups/bindings.h"

/** Room for one more. @return TM_OK or TM_ENOMEM */
int tm__binding_reserve(tm_model *model);
/** Append one to an object's list. @return its index */
uint32_t tm__binding_append(tm_model *model, uint32_t object, tm__binding binding);
/** Put one before all others of an object's list. */
void tm__binding_prepend(tm_model *model, uint32_t object, tm__binding binding);
/** Unlink and free the one after `previous` (TM__NONE: the first). */
void tm__binding_drop(tm_model *model, uint32_t object, uint32_t previous);
/**
 * Bind a waiter that has come back to a listed notify, and drop the notify from
 * the list unless it may wake more.
 * @param previous  the one before it in the list, or TM__NONE
 * @return interactions[]
 */
uint32_t tm__binding_match(tm_model *model, uint32_t object, uint32_t binding,
                           uint32_t previous, const tm__fact *to, int provenance);

#endif
