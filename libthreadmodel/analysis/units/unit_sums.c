/* SPDX-License-Identifier: Apache-2.0 */
/* Units summed up by kind. */
#include "analysis/units/unit_sums.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "analysis/units/unit_main.h"
#include "analysis/units/unit_steady.h"

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
            rc = tm__failure();
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
                rc = tm__failure();
                break;
            }
            if (++*times > most[it->kind]) {
                most[it->kind] = *times;
                kind->submitter = by;
            }
        }
    }
    /* A thread that submits only a few is not the submitter of the kind. */
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
    units->kinds_total = units->by_kind_count;
    return units->by_kind ? TM_OK : TM_ENOMEM;
}

/* by_kind[]: finished units of each kind, in this order; NULL: as they lie. */
static int fill_by_kind(tm__units *units, const tm__sortable *order)
{
    size_t bytes = ((size_t)units->kinds_count + 1) * sizeof(uint32_t);
    uint32_t *next = tm__resize(units->memory, NULL, 0, bytes);
    uint32_t main_next = units->main.order_first;
    int has_several = tm__units_have_several(units);

    if (!next)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < units->kinds_count; i++)
        next[i] = units->kinds[i].order_first;
    for (uint32_t i = 0; i < units->items_count; i++) {
        uint32_t unit = order ? order[i].number : i;

        if (!units->items[unit].is_finished)
            continue;
        units->by_kind[next[units->items[unit].kind]++] = unit;
        if (has_several && units->kinds[units->items[unit].kind].is_main)
            units->by_kind[main_next++] = unit;
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

int tm__units_sum_up(tm__units *units)
{
    int rc = count_units(units);

    if (rc == TM_OK)
        rc = open_by_kind(units);
    /* A kind's units are read three times, from front to back of the memory. */
    if (rc == TM_OK)
        rc = fill_by_kind(units, NULL);
    for (uint32_t i = 0; rc == TM_OK && i < units->kinds_count; i++)
        tm__unit_find_steady(units, &units->kinds[i]);
    if (rc == TM_OK)
        rc = tm__units_find_main(units);
    return rc == TM_OK ? sort_by_kind(units) : rc;
}
