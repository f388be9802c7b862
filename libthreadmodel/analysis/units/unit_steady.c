/* SPDX-License-Identifier: Apache-2.0 */
/* From when to when the rate of units is steady. */
#include "analysis/units/unit_steady.h"

#include "base/saturate.h"

enum {
    ENOUGH_UNITS = 30, /* for a rate */
    MOST_SLICES = 50,
    LEAST_SLICES = 5,
    UNITS_A_SLICE = 20,
};

static void count_slices(const tm__units *units, const tm__unit_kind *it,
                         int64_t first_ns, int64_t last_ns, uint32_t *slices,
                         uint32_t count)
{
    double width = ((double)last_ns - (double)first_ns) / count;

    for (uint32_t i = 0; i < it->count; i++) {
        int64_t end_ns = units->items[units->by_kind[it->order_first + i]].end_ns;
        double at = width > 0 ? ((double)end_ns - (double)first_ns) / width : 0;

        slices[at >= count ? count - 1 : (uint32_t)at]++;
    }
}

static uint32_t median(const uint32_t *slices, uint32_t count)
{
    uint32_t sorted[MOST_SLICES];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;

        for (; at > 0 && sorted[at - 1] > slices[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = slices[i];
    }
    return sorted[count / 2];
}

/* From the first slice on in which the rate is near its median, to the last one. */
void tm__unit_find_steady(const tm__units *units, tm__unit_kind *it)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    uint32_t slices[MOST_SLICES] = {0}, count, usual, from = 0, to;

    if (it->count < ENOUGH_UNITS)
        return;
    for (uint32_t i = 0; i < it->count; i++) {
        int64_t end_ns = units->items[units->by_kind[it->order_first + i]].end_ns;

        first_ns = end_ns < first_ns ? end_ns : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    count = it->count / UNITS_A_SLICE > MOST_SLICES
                ? MOST_SLICES
                : (uint32_t)it->count / UNITS_A_SLICE;
    if (count < LEAST_SLICES)
        count = LEAST_SLICES;
    count_slices(units, it, first_ns, last_ns, slices, count);
    usual = median(slices, count);
    to = count;
    while (from < to && slices[from] * 4 < usual * 3)
        from++;
    while (to > from && slices[to - 1] * 4 < usual * 3)
        to--;
    if (to == from || last_ns <= first_ns)
        return;
    it->steady_from_ns =
        first_ns + (int64_t)(((double)last_ns - (double)first_ns) * from / count);
    it->steady_to_ns =
        to == count
            ? last_ns
            : first_ns + (int64_t)(((double)last_ns - (double)first_ns) * to / count);
    for (uint32_t i = 0; i < it->count; i++) {
        const tm__unit *unit = &units->items[units->by_kind[it->order_first + i]];

        if (unit->end_ns > it->steady_from_ns && unit->end_ns <= it->steady_to_ns)
            it->steady_count++;
    }
    for (uint32_t i = 0; i < units->items_count; i++) {
        const tm__unit *unit = &units->items[i];
        int64_t start_ns = unit->start_ns, end_ns = unit->end_ns;

        if (!tm__unit_is_of(units, unit, it))
            continue;
        start_ns = start_ns < it->steady_from_ns ? it->steady_from_ns : start_ns;
        end_ns = end_ns > it->steady_to_ns ? it->steady_to_ns : end_ns;
        if (end_ns > start_ns)
            it->steady_total_ns = tm__sum(it->steady_total_ns, end_ns - start_ns);
    }
}
