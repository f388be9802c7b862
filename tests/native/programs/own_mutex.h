/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex of a program's own: 0 free, 1 owned, 2 owned and perhaps queued for. */
#ifndef TM_TEST_NATIVE_OWN_MUTEX_H
#define TM_TEST_NATIVE_OWN_MUTEX_H

#include <linux/futex.h>

#include "program.h"

static inline long futex(atomic_int *word, int operation, int value, const void *fourth,
                         atomic_int *other, int sixth)
{
    return syscall(SYS_futex, word, operation, value, fourth, other, sixth);
}

/** @return how often the thread slept for it */
static inline int own_lock(atomic_int *lock)
{
    int seen = 0, slept = 0;

    if (atomic_compare_exchange_strong(lock, &seen, 1))
        return 0;
    while (atomic_exchange(lock, 2) != 0)
        if (futex(lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0) == 0 || errno == EINTR)
            slept++;
    return slept;
}

static inline void own_unlock(atomic_int *lock)
{
    if (atomic_exchange(lock, 0) == 2)
        futex(lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif
