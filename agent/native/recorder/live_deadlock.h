/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks while the program stands still: who owns what is known here for certain. */
#ifndef TM_NATIVE_RECORDER_LIVE_DEADLOCK_H
#define TM_NATIVE_RECORDER_LIVE_DEADLOCK_H

#include <threadmodel/deadlock.h>

#include "recorder/facts.h"

/** A tm_deadlock_fn: notes that there is one. @param image  a tm__image */
int tm__deadlock_suspected(void *image, const tm_deadlock_member *members, size_t count,
                           int32_t deadlock);

/**
 * Report on stderr the noted deadlocks that have stood for a while, and state the
 * owners. All that happened before the horizon is in the model.
 */
void tm__deadlocks_confirm(tm__image *image, const tm__readers *readers,
                           int64_t horizon_ns);

#endif
