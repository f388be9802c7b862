/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of records. The processor's counter costs a third of a call of the C
 * library's, and the recorder converts it; where the kernel does not trust the counter,
 * CLOCK_MONOTONIC is used.
 */
#ifndef TM_NATIVE_LAYOUT_TICKS_H
#define TM_NATIVE_LAYOUT_TICKS_H

#include <stdint.h>
#include <time.h>

/* No part of what calls it: few machines come here often. */
static __attribute__((noinline, cold, unused)) uint64_t tm__monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t tm__ticks(uint32_t uses_counter)
{
#if defined(__x86_64__)
    if (__builtin_expect(uses_counter != 0, 1))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    if (__builtin_expect(uses_counter != 0, 1)) {
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    (void)uses_counter;
    return tm__monotonic_ns();
}

#endif
