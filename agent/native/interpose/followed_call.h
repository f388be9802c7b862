/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function that may wait in the kernel is followed: a file defines its functions
 * by these, a line each. Signal handlers and children of vfork call them as well.
 */
#ifndef TM_NATIVE_INTERPOSE_FOLLOWED_CALL_H
#define TM_NATIVE_INTERPOSE_FOLLOWED_CALL_H

#include <pthread.h>

#include "interpose/lock.h"
#include "record/call_wait.h"

/**
 * A function that waits for one descriptor, or for what its use tells.
 * @param use    enum tm__call_use
 * @param bytes  that it moves; 0: few
 * @param AFTER  what is to be done with `rc` and `wait` at its end
 */
#define TM__CALL(result, name, parameters, call, use, fd, bytes, AFTER)                \
    TM__CALL_IF(1, result, name, parameters, call, use, fd, bytes,                     \
                tm__endpoint_at_begin(ring, use, fd), AFTER)

/** The same where `it_waits`, for an endpoint with a key. */
#define TM__CALL_IF(it_waits, result, name, parameters, call, use, fd, bytes, key,     \
                    AFTER)                                                             \
    TM__EXPORT result name parameters                                                  \
    {                                                                                  \
        tm__ring *ring = tm__ring_here();                                              \
        tm__kernel_wait wait;                                                          \
        result rc;                                                                     \
                                                                                       \
        if (!tm__kernel_wait_may_begin(ring) || !(it_waits))                           \
            return TM__REAL(name) call;                                                \
        tm__kernel_wait_begin(&wait, ring, use, fd, bytes, key, TM__SITE);             \
        pthread_cleanup_push(tm__kernel_wait_end, &wait);                              \
        rc = TM__FOUND(name) call;                                                     \
        AFTER;                                                                         \
        pthread_cleanup_pop(1);                                                        \
        return rc;                                                                     \
    }

/** The rest of a wait that came to its end because its time was up. */
#define TM__TIMED_OUT_IF(condition)                                                    \
    wait.end_flags = (condition) ? TM_EVENT_TIMED_OUT : 0

#endif
