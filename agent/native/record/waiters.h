/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads queue for locks: an owner reports its release if any does. */
#ifndef TM_NATIVE_RECORD_WAITERS_H
#define TM_NATIVE_RECORD_WAITERS_H

#include <stdatomic.h>
#include <stdint.h>

enum { TM__WAITERS = 4096 };

/** How many threads of this process queue for locks, by a hash of their addresses. */
extern _Atomic uint32_t tm__the_waiters[TM__WAITERS];

static inline _Atomic uint32_t *tm__waiters(const volatile void *object)
{
    uintptr_t address = (uintptr_t)object;

    return &tm__the_waiters[(address >> 3 ^ address >> 15) % TM__WAITERS];
}

void tm__waiters_reset(void);

#endif
