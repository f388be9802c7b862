/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/watchdog.h"

#include "ring/clock.h"

static _Atomic int64_t late_since_ns; /* before it last came: of another time */

void tm__watchdog_came(void)
{
    atomic_store(&tm__the_recording.came_ns, tm__now_ns());
}

void tm__watchdog_away(void)
{
    atomic_store(&tm__the_recording.came_ns, INT64_MAX);
}

void tm__watchdog_begin(void)
{
    atomic_store(&tm__the_recording.ended_ns, 0);
    atomic_store(&late_since_ns, 0);
    tm__watchdog_came();
}

void tm__watchdog_late(int64_t now_ns)
{
    int64_t since_ns = atomic_load(&late_since_ns);
    int64_t none = 0;

    if (since_ns <= atomic_load(&tm__the_recording.came_ns))
        atomic_compare_exchange_strong(&late_since_ns, &since_ns, now_ns);
    else if (now_ns - since_ns > TM__LATE_NS &&
             atomic_compare_exchange_strong(&tm__the_recording.ended_ns, &none, now_ns))
        atomic_store(&tm__the_recording.is_on, 0);
}
