/* SPDX-License-Identifier: Apache-2.0 */
/* The call of the C++ library in which a thread initialises a static variable once. */
#ifndef TM_NATIVE_INTERPOSE_GUARD_CALL_H
#define TM_NATIVE_INTERPOSE_GUARD_CALL_H

#include "interpose/lock.h"

/** From its begin to its end tm__the_self.guard. */
typedef struct tm__guard_call {
    tm__ring *ring;
    tm__fact wait;
    int has_waited; ///< another thread initialises it
} tm__guard_call;

/** The calling thread is about to sleep in it. */
static inline void tm__guard_waits(tm__guard_call *it)
{
    if (!it->has_waited)
        tm__block_begin(it->ring, &it->wait);
    it->has_waited = 1;
}

#endif
