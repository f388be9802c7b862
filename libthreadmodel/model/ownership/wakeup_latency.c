/* SPDX-License-Identifier: Apache-2.0 */
/* How long wake-ups take: the median of those with two known ends. */
#include "model/ownership/wakeup_latency.h"

#include "model/state/model.h"

enum { STEPS = sizeof(((tm__latency *)NULL)->counts) / sizeof(uint32_t) };

/* It seldom moves: events that add one are many more than answers that ask for it, but
 * an answer asks for it once a hold. */
static void move_median(tm__latency *latency)
{
    uint32_t half = latency->count / 2;

    while (latency->below > half)
        latency->below -= latency->counts[--latency->median];
    while (latency->below + latency->counts[latency->median] <= half)
        latency->below += latency->counts[latency->median++];
}

void tm__latency_add(tm__latency *latency, int64_t ns)
{
    uint32_t bits = ns < 4 ? 2 : (uint32_t)(63 - __builtin_clzll((uint64_t)ns));
    uint32_t step = ns < 4 ? (uint32_t)(ns < 0 ? 0 : ns)
                           : 4 * (bits - 1) + (uint32_t)(ns >> (bits - 2) & 3);

    step = step < STEPS ? step : STEPS - 1;
    latency->counts[step]++;
    latency->count++;
    latency->below += step < latency->median;
    move_median(latency);
}

static int64_t median_of(const tm__latency *latency)
{
    uint32_t step = latency->median;

    if (step < 4)
        return step;
    return (int64_t)(4 + step % 4) << (step / 4 - 1);
}

/* With fewer, a program's start would dominate the median. */
enum { WAKEUPS_MIN = 8 };

int64_t tm__wakeup_ns(const tm__ownership *ownership, int kind)
{
    if (ownership->latencies[kind].count < WAKEUPS_MIN)
        kind = kind == TM__WAKEUP_MONITOR ? TM__WAKEUP_PARK : TM__WAKEUP_MONITOR;
    return ownership->latencies[kind].count < WAKEUPS_MIN
               ? 0
               : median_of(&ownership->latencies[kind]);
}
