/* SPDX-License-Identifier: Apache-2.0 */
/* Locks with priority inheritance of the program's own: FUTEX_LOCK_PI and
 * FUTEX_UNLOCK_PI. Their word has the number of the owner. */
#ifndef TM_NATIVE_INTERPOSE_INHERITED_LOCK_H
#define TM_NATIVE_INTERPOSE_INHERITED_LOCK_H

#include "interpose/futex_words.h"

/** Make the call, and record it if the thread queues. */
long tm__inherited_lock(tm__ring *ring, const futex_call *call);

/** Make the call, and record the release. */
long tm__inherited_unlock(tm__ring *ring, const futex_call *call);

#endif
