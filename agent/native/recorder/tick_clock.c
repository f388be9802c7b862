/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between two instants that were seen on both clocks, times lie on a straight line.
 * Each line begins where the one before ended, so that times never go back.
 */
#include "recorder/tick_clock.h"

#include <time.h>

#include "layout/ticks.h"

enum { FIRST_NS = 5000000 };

/* The counter just between two readings of the other clock, which are close. */
static void read_both(uint32_t uses_counter, uint64_t *ticks, uint64_t *ns)
{
    uint64_t best = 0;

    for (int i = 0; i < 5; i++) {
        uint64_t before = tm__monotonic_ns();
        uint64_t at = tm__ticks(uses_counter);
        uint64_t after = tm__monotonic_ns();

        if (i > 0 && after - before >= best)
            continue;
        best = after - before;
        *ticks = at;
        *ns = before + best / 2;
    }
}

void tm__tick_clock_open(tm__tick_clock *clock, uint32_t uses_counter)
{
    struct timespec while_ns = {0, FIRST_NS};

    clock->uses_counter = uses_counter;
    read_both(uses_counter, &clock->ticks, &clock->ns);
    nanosleep(&while_ns, NULL);
    read_both(uses_counter, &clock->later_ticks, &clock->later_ns);
}

uint64_t tm__tick_clock_read(tm__tick_clock *clock)
{
    uint64_t ticks = 0, ns = 0;

    read_both(clock->uses_counter, &ticks, &ns);
    if (ns >= clock->later_ns + FIRST_NS && ticks > clock->later_ticks) {
        clock->ticks = clock->later_ticks;
        clock->ns = clock->later_ns;
        clock->later_ticks = ticks;
        clock->later_ns = ns;
    }
    return ticks;
}

int64_t tm__tick_clock_ns(const tm__tick_clock *clock, uint64_t ticks)
{
    double slope;

    if (!clock->uses_counter)
        return (int64_t)ticks;
    slope = (double)(clock->later_ns - clock->ns) /
            (double)(clock->later_ticks - clock->ticks);
    /* From the later instant, so that the next line goes on where this one ends. */
    return (int64_t)clock->later_ns +
           (int64_t)((double)(int64_t)(ticks - clock->later_ticks) * slope);
}

uint64_t tm__tick_clock_instant(const tm__tick_clock *clock, int64_t ns)
{
    double slope;

    if (!clock->uses_counter)
        return (uint64_t)ns;
    slope = (double)(clock->later_ticks - clock->ticks) /
            (double)(clock->later_ns - clock->ns);
    return clock->later_ticks +
           (uint64_t)(int64_t)((double)(ns - (int64_t)clock->later_ns) * slope);
}

uint64_t tm__tick_clock_ticks(const tm__tick_clock *clock, uint64_t ns)
{
    if (!clock->uses_counter)
        return ns;
    return (uint64_t)((double)ns * (double)(clock->later_ticks - clock->ticks) /
                      (double)(clock->later_ns - clock->ns));
}
