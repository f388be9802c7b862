/* SPDX-License-Identifier: Apache-2.0 */
#include "writer/hurry.h"

#include <stdatomic.h>

#include "rings/clock.h"

/* The end of the program is delayed by that much at most. */
static const int64_t LEFT_NS = INT64_C(3000000000);

static _Atomic int64_t deadline_ns = INT64_MAX;

void tm__hurry_begin(void)
{
    atomic_store(&deadline_ns, INT64_MAX);
}

void tm__hurry(void)
{
    int64_t never = INT64_MAX;

    atomic_compare_exchange_strong(&deadline_ns, &never, tm__now_ns() + LEFT_NS);
}

int tm__hurry_is_over(int64_t now_ns)
{
    return now_ns > atomic_load(&deadline_ns);
}
