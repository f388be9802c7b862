/* SPDX-License-Identifier: Apache-2.0 */
#include "record/block_of_thread.h"

#include <limits.h>

int64_t tm__timeout_ns(clockid_t clock, const struct timespec *until)
{
    struct timespec now;
    int64_t seconds, rest;

    if (!until || clock_gettime(clock, &now) != 0)
        return 1;
    if (__builtin_sub_overflow((int64_t)until->tv_sec, (int64_t)now.tv_sec, &seconds))
        return 1;
    if (seconds < -1)
        return 1;
    if (seconds > INT32_MAX)
        return (int64_t)INT32_MAX * 1000000000;
    rest = seconds * 1000000000 + (until->tv_nsec - now.tv_nsec);
    return rest > 0 ? rest : 1;
}

/* How many seconds a clock shows more or less than `until`. */
static double seconds_from(clockid_t clock, const struct timespec *until)
{
    struct timespec now = {0};
    double seconds;

    clock_gettime(clock, &now);
    seconds = (double)until->tv_sec - (double)now.tv_sec;
    return seconds < 0 ? -seconds : seconds;
}

clockid_t tm__likely_clock(const struct timespec *until)
{
    return until && seconds_from(CLOCK_MONOTONIC, until) <
                        seconds_from(CLOCK_REALTIME, until)
               ? CLOCK_MONOTONIC
               : CLOCK_REALTIME;
}
