/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The units by which a program is measured: of the kind that others do not submit, and
 * that most time goes to. The workers of a server serve its endpoints, each a kind: all
 * kinds of their group are its requests.
 */
#include "analysis/units/unit_main.h"

#include "analysis/units/unit_steady.h"
#include "base/memory.h"
#include "base/saturate.h"

enum {
    /* To be the main one, a kind must be steady for such a part of the run, or have
     * such a part of it in the time of its units: a service may begin for long. */
    PART_OF_RUN = 8,
    PART_IN_UNITS = 2,
    PART_INSIDE =
        4, /* of the time of units, that lies in what submits and awaits them */
    ALMOST_ALL = 10, /* but one of so many */
};

/* Whether no unit submits these; or units of another kind do and go on with something
 * else, as a poller does that hands requests to workers: most of their time lies
 * outside of it. */
static int is_from_outside(const tm__units *units, const tm__unit_kind *it)
{
    const tm__unit_kind *by;

    if (it->submitter == TM__NONE)
        return 1;
    by = &units->kinds[it->submitter];
    return !by->is_stated && by->total_ns < it->total_ns / PART_INSIDE;
}

static int is_large(const tm__unit_kind *it, int64_t length_ns)
{
    return it->steady_count &&
           (it->steady_to_ns - it->steady_from_ns >= length_ns / PART_OF_RUN ||
            it->total_ns >= length_ns / PART_IN_UNITS);
}

/* Units that the producer states come before inferred ones. */
static tm__unit_kind *find_largest(tm__units *units)
{
    int64_t length_ns = tm_model_length_ns(units->model);
    tm__unit_kind *best = NULL;

    for (uint32_t i = 0; i < units->kinds_count; i++) {
        tm__unit_kind *it = &units->kinds[i];

        if (!is_large(it, length_ns) || !is_from_outside(units, it))
            continue;
        if (!best || it->is_stated > best->is_stated ||
            (it->is_stated == best->is_stated && it->total_ns > best->total_ns))
            best = it;
    }
    return best;
}

static void add_to_main(tm__unit_kind *all, const tm__unit_kind *it)
{
    all->count += it->count;
    all->unfinished += it->unfinished;
    all->total_ns = tm__sum(all->total_ns, it->total_ns);
    all->queued_ns = tm__sum(all->queued_ns, it->queued_ns);
    all->queued_count += it->queued_count;
    all->wakings += it->wakings;
    if (it->waker == all->waker)
        all->woken += it->woken;
}

static int sum_up(tm__units *units, const tm__unit_kind *largest)
{
    uint32_t first = units->by_kind_count;
    size_t bytes = ((size_t)first + 1) * sizeof(*units->by_kind);
    uint32_t *by_kind;

    for (uint32_t i = 0; i < units->kinds_count; i++)
        if (units->kinds[i].is_main && &units->kinds[i] != largest)
            add_to_main(&units->main, &units->kinds[i]);
    by_kind = tm__resize(units->memory, units->by_kind, bytes,
                         bytes + units->main.count * sizeof(*by_kind));
    if (!by_kind)
        return TM_ENOMEM;
    units->by_kind = by_kind;
    units->by_kind_count += (uint32_t)units->main.count;
    units->main.order_first = first;
    for (uint32_t i = 0; i < units->items_count; i++)
        if (units->items[i].is_finished && units->kinds[units->items[i].kind].is_main)
            by_kind[first++] = i;
    units->main.steady_count = 0;
    units->main.steady_total_ns = 0;
    tm__unit_find_steady(units, &units->main);
    if (largest->count / (ALMOST_ALL - 1) < units->main.count - largest->count)
        units->main.name = TM__NONE;
    return TM_OK;
}

int tm__units_find_main(tm__units *units)
{
    tm__unit_kind *largest = find_largest(units);
    uint32_t count = 0;

    if (!largest)
        return TM_OK;
    for (uint32_t i = 0; i < units->kinds_count; i++) {
        tm__unit_kind *it = &units->kinds[i];

        it->is_main = it == largest ||
                      (!largest->is_stated && !it->is_stated &&
                       it->group == largest->group && is_from_outside(units, it));
        count += it->is_main;
    }
    units->main = *largest;
    return count > 1 ? sum_up(units, largest) : TM_OK;
}
