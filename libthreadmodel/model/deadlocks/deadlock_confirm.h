/* SPDX-License-Identifier: Apache-2.0 */
/* Confirmation of a deadlock by the VM or by a later snapshot. */
#ifndef TM_MODEL_DEADLOCKS_DEADLOCK_CONFIRM_H
#define TM_MODEL_DEADLOCKS_DEADLOCK_CONFIRM_H

#include "model/deadlocks/deadlock_search.h"

/** A snapshot found the thread where it was: when a later one has of all members,
 * nobody moved, and what was suspected is sure. */
void tm__deadlock_seen_again(tm_model *model, const tm__fact *snapshot);

#endif
