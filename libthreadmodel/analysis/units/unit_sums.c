/* SPDX-License-Identifier: Apache-2.0 */
/* Units summed up by kind, and from when to when their rate is steady. */
#include "analysis/units/unit_sums.h"

#include "base/memory.h"
#include "base/saturate.h"
#include "base/sort.h"

enum {
    ENOUGH_UNITS = 30, /* for a rate */
    MOST_SLICES = 50,
    LEAST_SLICES = 5,
    UNITS_A_SLICE = 20,
    /* To be the main one, a kind must be steady for such a part of the run, or have
     * such a part of it in the time of its units: a service may begin for long. */
    PART_OF_RUN = 8,
    PART_IN_UNITS = 2,
    PART_INSIDE =
        4, /* of the time of units, that lies in what submits and awaits them */
};

/* ---- counts ---- */

static int count_units(tm__units *units)
{
    tm__triple_map threads = {0}, parents = {0};
    size_t bytes = ((size_t)units->kinds_count + 1) * sizeof(uint32_t);
    uint32_t *most = tm__zalloc(units->memory, bytes);
    int rc = most ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < units->items_count; i++) {
        const tm__unit *it = &units->items[i];
        tm__unit_kind *kind = &units->kinds[it->kind];
        uint32_t *seen =
            tm__triple_map_at(&threads, units->memory, it->kind, it->thread, 0);

        if (!seen) {
            rc = TM_ENOMEM;
            break;
        }
        kind->threads += *seen == 0;
        *seen = 1;
        if (kind->thread == TM__NONE)
            kind->thread = it->thread;
        if (!it->is_finished) {
            kind->unfinished++;
            continue;
        }
        kind->count++;
        kind->total_ns = tm__sum(kind->total_ns, tm__unit_length_ns(it));
        if (it->queued_ns >= 0) {
            kind->queued_count++;
            kind->queued_ns = tm__sum(kind->queued_ns, it->queued_ns);
        }
        if (it->parent != TM__NONE) {
            uint32_t by = units->items[it->parent].kind;
            uint32_t *times =
                tm__triple_map_at(&parents, units->memory, it->kind, by, 0);

            if (!times) {
                rc = TM_ENOMEM;
                break;
            }
            if (++*times > most[it->kind]) {
                most[it->kind] = *times;
                kind->submitter = by;
            }
        }
    }
    /* Of a few only, it is not what submits them. */
    for (uint32_t i = 0; rc == TM_OK && i < units->kinds_count; i++)
        if ((uint64_t)most[i] * 2 < units->kinds[i].count)
            units->kinds[i].submitter = TM__NONE;
    tm__triple_map_free(&threads, units->memory);
    tm__triple_map_free(&parents, units->memory);
    tm__free(units->memory, most, bytes);
    return rc;
}

static int64_t length_of(const void *payload, uint32_t number)
{
    return tm__unit_length_ns(&((const tm__units *)payload)->items[number]);
}

static int open_by_kind(tm__units *units)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < units->kinds_count; i++) {
        units->kinds[i].order_first = all;
        all += (uint32_t)units->kinds[i].count;
    }
    units->by_kind =
        tm__zalloc(units->memory, ((size_t)all + 1) * sizeof(*units->by_kind));
    units->by_kind_count = units->by_kind ? all : 0;
    return units->by_kind ? TM_OK : TM_ENOMEM;
}

/* by_kind[]: finished units of each kind, in this order; NULL: as they lie. */
static int fill_by_kind(tm__units *units, const tm__sortable *order)
{
    size_t bytes = ((size_t)units->kinds_count + 1) * sizeof(uint32_t);
    uint32_t *next = tm__resize(units->memory, NULL, 0, bytes);

    if (!next)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < units->kinds_count; i++)
        next[i] = units->kinds[i].order_first;
    for (uint32_t i = 0; i < units->items_count; i++) {
        uint32_t unit = order ? order[i].number : i;

        if (units->items[unit].is_finished)
            units->by_kind[next[units->items[unit].kind]++] = unit;
    }
    tm__free(units->memory, next, bytes);
    return TM_OK;
}

static int sort_by_kind(tm__units *units)
{
    tm__sortable *order =
        tm__sorted_new(units->memory, units->items_count, length_of, NULL, units);
    int rc = order ? fill_by_kind(units, order) : TM_ENOMEM;

    tm__sorted_free(units->memory, order, units->items_count);
    return rc;
}

/* ---- the steady time ---- */

static void count_slices(const tm__units *units, uint32_t kind, int64_t first_ns,
                         int64_t last_ns, uint32_t *slices, uint32_t count)
{
    const tm__unit_kind *it = &units->kinds[kind];
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
static void find_steady(tm__units *units, uint32_t kind)
{
    tm__unit_kind *it = &units->kinds[kind];
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
    count_slices(units, kind, first_ns, last_ns, slices, count);
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

        if (unit->kind != kind)
            continue;
        start_ns = start_ns < it->steady_from_ns ? it->steady_from_ns : start_ns;
        end_ns = end_ns > it->steady_to_ns ? it->steady_to_ns : end_ns;
        if (end_ns > start_ns)
            it->steady_total_ns = tm__sum(it->steady_total_ns, end_ns - start_ns);
    }
}

/* Whether units of another kind submit these and go on with something else, as a poller
 * does that hands requests to workers: most of their time lies outside of it. */
static int is_handed_over(const tm__units *units, const tm__unit_kind *it)
{
    const tm__unit_kind *by = &units->kinds[it->submitter];

    return !by->is_stated && by->total_ns < it->total_ns / PART_INSIDE;
}

static int is_large(const tm__unit_kind *it, int64_t length_ns)
{
    return it->steady_count &&
           (it->steady_to_ns - it->steady_from_ns >= length_ns / PART_OF_RUN ||
            it->total_ns >= length_ns / PART_IN_UNITS);
}

/* The kind that others do not submit, and that most time goes to; what the producer
 * states comes before what is inferred. */
static void find_main(tm__units *units)
{
    int64_t length_ns = tm_model_length_ns(units->model);
    tm__unit_kind *best = NULL;

    for (uint32_t i = 0; i < units->kinds_count; i++) {
        tm__unit_kind *it = &units->kinds[i];

        if (!is_large(it, length_ns) ||
            (it->submitter != TM__NONE && !is_handed_over(units, it)))
            continue;
        if (!best || it->is_stated > best->is_stated ||
            (it->is_stated == best->is_stated && it->total_ns > best->total_ns))
            best = it;
    }
    if (best)
        best->is_main = 1;
}

int tm__units_sum_up(tm__units *units)
{
    int rc = count_units(units);

    if (rc == TM_OK)
        rc = open_by_kind(units);
    /* A kind's units are read three times, from front to back of the memory. */
    if (rc == TM_OK)
        rc = fill_by_kind(units, NULL);
    for (uint32_t i = 0; rc == TM_OK && i < units->kinds_count; i++)
        find_steady(units, i);
    if (rc == TM_OK)
        find_main(units);
    return rc == TM_OK ? sort_by_kind(units) : rc;
}
