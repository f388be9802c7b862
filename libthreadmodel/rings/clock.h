/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's clock, which all events have their time from. */
#ifndef TM_RINGS_CLOCK_H
#define TM_RINGS_CLOCK_H

#include <stdint.h>
#include <time.h>

/** The time of a clock of the kernel; -1: there is none. */
static inline int64_t tm__clock_ns(clockid_t clock)
{
    struct timespec now;

    return clock_gettime(clock, &now) == 0
               ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec
               : -1;
}

/** Now, on the clock of all our events. About 50 ns, in user space. */
static inline int64_t tm__now_ns(void)
{
    return tm__clock_ns(CLOCK_MONOTONIC);
}

#endif
