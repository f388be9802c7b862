/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a Java dump that are about locks. */
#ifndef TM_FORMATS_JSTACK_JAVA_LOCKS_H
#define TM_FORMATS_JSTACK_JAVA_LOCKS_H

#include "formats/jstack/parse_state.h"

/** The thread that a line says has the lock. */
typedef struct tm__jstack_owner {
    tm__slice name; ///< empty: not given
    uint64_t id;    ///< 0: not given
} tm__jstack_owner;

/** Read "<0x000000069ec02358> (a java.lang.Object)" or "java.lang.Object@1b2c". */
void tm__jstack_read_object(tm__slice text, tm__jstack_lock *lock);

/**
 * Read what stands behind "- ".
 * @param in_synchronizers  it is in the list of ownable synchronizers
 * @return 1; 0: it is about no lock
 */
int tm__jstack_read_lock(tm__slice text, int in_synchronizers, tm__jstack_lock *lock,
                         tm__jstack_owner *owner);

/** Read "owned by holder id=13", which may be a line of its own. */
void tm__jstack_read_owner(tm__slice text, tm__jstack_owner *owner);

/** The number that was read as an address is an identity hash. */
void tm__jstack_address_is_hash(tm__jstack_lock *lock);

/** @return 1: such a line ends where it may */
int tm__jstack_is_whole_lock(tm__slice text);

/** @return 1: it is the beginning of such a line */
int tm__jstack_begins_lock(tm__slice text);

#endif
