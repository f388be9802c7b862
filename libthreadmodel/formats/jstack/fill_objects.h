/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that threads of a dump hold and wait for. */
#ifndef TM_FORMATS_JSTACK_FILL_OBJECTS_H
#define TM_FORMATS_JSTACK_FILL_OBJECTS_H

#include "formats/jstack/fill_state.h"

/** Set what a thread waits for that no line has a number of. @return TM_OK, TM_ENOMEM
 */
int tm__jstack_wait_for_own(tm__jstack_fill *fill, const tm__jstack_wait *own,
                            tm__dump_thread *to);

/**
 * Define an object.
 * @param[out] id  its address, unless another class was seen there
 * @return TM_OK, TM_ENOMEM
 */
int tm__jstack_object_id(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                         uint64_t *id);

#endif
