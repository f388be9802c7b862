/* SPDX-License-Identifier: Apache-2.0 */
/* How long wake-ups take: the median of those with two known ends. */
#include "model/ownership/wakeup_latency.h"

#include "model/state/model.h"

enum { STEPS = sizeof(((tm__latency *)NULL)->counts) / sizeof(uint32_t) };

void tm__latency_add(tm__latency *latency, int64_t ns)
{
    uint32_t bits = ns < 4 ? 2 : (uint32_t)(63 - __builtin_clzll((uint64_t)ns));
    uint32_t step = ns < 4 ? (uint32_t)(ns < 0 ? 0 : ns)
                           : 4 * (bits - 1) + (uint32_t)(ns >> (bits - 2) & 3);

    latency->counts[step < STEPS ? step : STEPS - 1]++;
    latency->count++;
}

static int64_t median_of(const tm__latency *latency)
{
    uint32_t passed = 0, step = 0;

    while (step < STEPS && passed + latency->counts[step] <= latency->count / 2)
        passed += latency->counts[step++];
    if (step < 4)
        return step;
    return (int64_t)(4 + step % 4) << (step / 4 - 1);
}

/* Of fewer, a program's start would speak for all that follows. */
enum { WAKEUPS_MIN = 8 };

int64_t tm__wakeup_ns(const tm_model *model, int kind)
{
    if (model->ownership.latencies[kind].count < WAKEUPS_MIN)
        kind = kind == TM__WAKEUP_MONITOR ? TM__WAKEUP_PARK : TM__WAKEUP_MONITOR;
    return model->ownership.latencies[kind].count < WAKEUPS_MIN
               ? 0
               : median_of(&model->ownership.latencies[kind]);
}
