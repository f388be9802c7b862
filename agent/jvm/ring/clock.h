/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's clock, which all events have their time from. Knows nothing of a VM. */
#ifndef TM_AGENT_RING_CLOCK_H
#define TM_AGENT_RING_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** Where the kernel says which counter it reads. */
#define TM__CLOCK_SOURCE                                                               \
    "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/** What a clock of the kernel shows; -1: there is none. */
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

/**
 * Whether reading the clock takes a call of the kernel.
 * @param path       TM__CLOCK_SOURCE, or a file like it
 * @param[out] name  of the counter
 * @return 1; 0: it does not, or there is no telling
 */
int tm__clock_is_slow(const char *path, char *name, size_t bytes);

#endif
