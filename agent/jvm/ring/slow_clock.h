/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this machine's clock can be read without the kernel. */
#ifndef TM_AGENT_RING_SLOW_CLOCK_H
#define TM_AGENT_RING_SLOW_CLOCK_H

#include <stddef.h>

/** Where the kernel says which counter it reads. */
#define TM__CLOCK_SOURCE                                                               \
    "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/**
 * Whether reading the clock takes a call of the kernel.
 * @param path       TM__CLOCK_SOURCE, or a file like it
 * @param[out] name  of the counter
 * @return 1; 0: it does not, or there is no telling
 */
int tm__clock_is_slow(const char *path, char *name, size_t bytes);

#endif
