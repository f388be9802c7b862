/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a thread in a dump, and the lock that it wants. */
#ifndef TM_FORMATS_JSTACK_SIGHT_H
#define TM_FORMATS_JSTACK_SIGHT_H

#include "formats/jstack/fill_state.h"

typedef struct tm__jstack_sight {
    int state;                     ///< enum tm_state
    const tm__jstack_lock *wanted; ///< NULL: none, or not known
} tm__jstack_sight;

/** @return the locks of a thread; NULL: the dump has none */
const tm__jstack_lock *tm__jstack_locks_of(const tm__jstack_dump *parsed,
                                           uint32_t thread);

/** @return 1: the thread holds what the line of a lock says */
int tm__jstack_is_held(const tm__jstack_lock *lock, const tm__jstack_lock *wanted,
                       int state);

/** Find the edges of the JVM's own account by their threads. @return TM_OK, TM_ENOMEM
 */
int tm__jstack_index_edges(tm__jstack_fill *fill, const tm__jstack_dump *parsed);

/** Look at a thread: fill->frames are its frames from now on. @return TM_OK, TM_ENOMEM
 */
int tm__jstack_look(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                    uint32_t thread, tm__jstack_sight *seen);

#endif
