/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies whose waiter may have left before, until that is settled. */
#ifndef TM_MODEL_WAKEUPS_BINDING_DOUBT_H
#define TM_MODEL_WAKEUPS_BINDING_DOUBT_H

#include "model/state/entity_state.h"
#include "model/wakeups/bindings.h"

/** A notify takes the waiter out of the set, to queue for the monitor. */
void tm__bind_wake(tm_model *model, uint32_t waiter, uint32_t row);
/** It was not notified after all, or not by that: it only waits, out of the set. */
void tm__bind_unwake(tm_model *model, uint32_t waiter, int64_t time_ns);
/** A notify found nobody. */
void tm__bind_woke_nobody(tm_model *model, uint32_t row);
/** Nothing from here on will be sure, of those who wait since this notify or before. */
void tm__bind_raise_doubt(tm__entities *entities, uint32_t object, enum tm__doubt doubt,
                          uint32_t notify);
/** The notify that came last, of those in an object's list. @return interactions[] */
uint32_t tm__bind_last_listed(const tm_model *model, uint32_t object);
/**
 * The waiter of a listed notify had left before it: this and each later notify
 * gets the next one's waiter, as far as that was waiting then.
 */
void tm__bind_shift(tm_model *model, uint32_t object, uint32_t binding);
/** The binding of a notify is certain, and so is its caller's ownership of the monitor.
 */
void tm__bind_make_exact(tm__entities *entities, tm__interaction *row);
/** Settle the bindings at the head of the list that are not in doubt. */
void tm__bind_settle(tm_model *model, uint32_t object);
/** Whether a woken waiter comes back will not be seen. */
void tm__bind_forget(tm_model *model, uint32_t thread);
/** Forget unsettled bindings; those bound so far stay as inferred. */
void tm__bind_abandon(tm_model *model, uint32_t object);

#endif
