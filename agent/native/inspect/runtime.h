/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose language has threads, or a lock for all of them, of its own. */
#ifndef TM_NATIVE_INSPECT_RUNTIME_H
#define TM_NATIVE_INSPECT_RUNTIME_H

struct tm__target;

/** Note which runtime it is. */
void tm__runtime_recognise(struct tm__target *target);

/** Find Python's global lock among the objects that threads wait for, with the thread
 * that has it. */
void tm__runtime_find_lock(struct tm__target *target);

/** Recognise the locks of its language among the semaphores that threads wait for. */
void tm__runtime_find_locks_of_language(struct tm__target *target);

#endif
