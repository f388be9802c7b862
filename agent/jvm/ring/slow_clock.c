/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times are CLOCK_MONOTONIC's. Where the processor's counter does not go on evenly, the
 * kernel finds that out and reads another in its place: times stay right, but each
 * costs a call of the kernel and a device, a microsecond or more for 50 ns.
 */
#include "ring/slow_clock.h"

#include <stdio.h>
#include <string.h>

/* Those that a program reads without a call. */
static const char *const QUICK[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
                                    "arch_sys_counter"};

int tm__clock_is_slow(const char *path, char *name, size_t bytes)
{
    FILE *file = fopen(path, "re");
    int is_read = file && fgets(name, (int)bytes, file);

    if (file)
        fclose(file);
    if (!is_read)
        return 0;
    name[strcspn(name, "\n")] = 0;
    for (size_t i = 0; i < sizeof(QUICK) / sizeof(*QUICK); i++)
        if (strcmp(name, QUICK[i]) == 0)
            return 0;
    return *name != 0;
}
