/* SPDX-License-Identifier: Apache-2.0 */
/* From times of records to CLOCK_MONOTONIC. */
#ifndef TM_NATIVE_RECORDER_TICK_CLOCK_H
#define TM_NATIVE_RECORDER_TICK_CLOCK_H

#include <stdint.h>

typedef struct tm__tick_clock {
    uint32_t uses_counter;
    uint64_t ticks, ns;             ///< the same instant on both clocks
    uint64_t later_ticks, later_ns; ///< another one, later
} tm__tick_clock;

/** Takes a few milliseconds, to learn how fast the counter is. */
void tm__tick_clock_open(tm__tick_clock *clock, uint32_t uses_counter);

/** Look at both clocks again. @return the counter */
uint64_t tm__tick_clock_read(tm__tick_clock *clock);

int64_t tm__tick_clock_ns(const tm__tick_clock *clock, uint64_t ticks);

/** @return the counter at an instant */
uint64_t tm__tick_clock_instant(const tm__tick_clock *clock, int64_t ns);

/** @return how many ticks some nanoseconds take */
uint64_t tm__tick_clock_ticks(const tm__tick_clock *clock, uint64_t ns);

#endif
