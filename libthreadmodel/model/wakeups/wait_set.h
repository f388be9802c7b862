/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait at an object, and those that may be gone. */
#ifndef TM_MODEL_WAIT_SET_H
#define TM_MODEL_WAIT_SET_H

#include <threadmodel/model.h>

#include "model/entities/thread.h"
#include "model/state/entity_state.h"

/** Put a thread at the end of an object's wait set. */
void tm__wait_set_add(tm__entities *entities, uint32_t object, uint32_t thread);
/** Put it at the beginning. */
void tm__wait_set_put_first(tm__entities *entities, uint32_t object, uint32_t thread);
/** Put it where it stands by the time since when it waits. */
void tm__wait_set_put_back(tm__entities *entities, uint32_t object, uint32_t thread);
/** Take it out, wherever it is. */
void tm__wait_set_remove(tm__entities *entities, uint32_t thread);
/** Whether time was up for a waiter by then, or an interrupt called. */
int tm__may_leave_by(const tm_model *model, const tm__thread *waiter, int64_t time_ns);
/** Whether a notify may have woken any waiter, and not only who waited longest. */
int tm__wakes_any(const tm_model *model, const tm__thread *waiter);
/** Whether the object may be that of a thread that ended since, which wakes it. */
int tm__may_have_joined(const tm_model *model, const tm__thread *waiter);
/** Whether it may be gone for a reason that its Waited will not tell from a notify. */
int tm__may_go_unreported(const tm_model *model, const tm__thread *waiter);
/** Any of these, or not all that matters is in the events. */
int tm__may_have_left(const tm_model *model, const tm__thread *waiter, int64_t time_ns);

#endif
