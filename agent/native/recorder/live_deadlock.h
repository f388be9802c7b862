/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks while the program stands still: who owns what is known here for certain. */
#ifndef TM_NATIVE_RECORDER_LIVE_DEADLOCK_H
#define TM_NATIVE_RECORDER_LIVE_DEADLOCK_H

#include <threadmodel/deadlock.h>

/** A tm_deadlock_fn: notes that there is one. @param image  a tm__image */
int tm__deadlock_suspected(void *image, const tm_deadlock_member *members, size_t count,
                           int32_t deadlock);

struct tm__image;

/** Of those that were noted: state the owners, and report on stderr the ones that
 * stand. All that happened so far is in the model. */
void tm__deadlocks_confirm(struct tm__image *image);

/** Free what was noted. */
void tm__deadlocks_forget(struct tm__image *image);

#endif
