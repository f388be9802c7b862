/* SPDX-License-Identifier: Apache-2.0 */
/* Chance that a seed repeats on every machine, and arrays that grow. */
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

static const uint8_t *decided;
static size_t decided_count;

void chance_decide(const uint8_t *bytes, size_t count)
{
    decided = bytes;
    decided_count = count;
}

/* splitmix64: any seed is a good one, also 0 and its neighbours. */
uint64_t chance_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    if (decided_count >= 2) {
        z = (uint64_t)decided[0] | (uint64_t)decided[1] << 8;
        decided += 2;
        decided_count -= 2;
        return z;
    }
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t chance_below(struct world *w, int64_t bound)
{
    return bound <= 1 ? 0 : (int64_t)(chance_next(&w->random) % (uint64_t)bound);
}

bool chance(struct world *w, int percent)
{
    return chance_below(w, 100) < percent;
}

void *grown(void *items, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 64;
    items = realloc(items, *capacity * item_bytes);
    if (!items) {
        fputs("simulator: out of memory\n", stderr);
        exit(2);
    }
    return items;
}
