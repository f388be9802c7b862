/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units: those that the producer states, then inferred ones of the other threads, in
 * the order in which they begin. A run has thousands to millions of them.
 */
#include "analysis/units/units.h"

#include "base/memory.h"
#include "base/sort.h"

uint32_t tm__unit_kind_of(tm__units *units, uint32_t name, uint32_t group,
                          int is_stated)
{
    uint32_t *value = tm__triple_map_at(&units->kind_map, units->memory, name, group,
                                        (uint32_t)is_stated);

    if (!value)
        return TM__NONE;
    if (*value == 0) {
        if (tm__reserve(units->memory, &units->kinds, &units->kinds_capacity,
                        (size_t)units->kinds_count + 1, sizeof(*units->kinds)) < 0)
            return TM__NONE;
        units->kinds[units->kinds_count++] =
            (tm__unit_kind){.name = name,
                            .group = group,
                            .thread = TM__NONE,
                            .is_stated = (uint8_t)is_stated,
                            .submitter = TM__NONE,
                            .waker = TM__NONE};
        *value = units->kinds_count;
    }
    return *value - 1;
}

uint32_t tm__unit_add(tm__units *units, const tm__unit *unit)
{
    if (tm__reserve(units->memory, &units->items, &units->items_capacity,
                    (size_t)units->items_count + 1, sizeof(*unit)) < 0)
        return TM__NONE;
    units->items[units->items_count] = *unit;
    units->items[units->items_count].span_first = units->spans_count;
    units->items[units->items_count].span_count = 0;
    return units->items_count++;
}

int tm__unit_span_add(tm__units *units, uint32_t unit, uint32_t thread,
                      int64_t start_ns, int64_t end_ns)
{
    if (tm__reserve(units->memory, &units->spans, &units->spans_capacity,
                    (size_t)units->spans_count + 1, sizeof(*units->spans)) < 0)
        return TM_ENOMEM;
    units->spans[units->spans_count++] = (tm__unit_span){
        .start_ns = start_ns, .end_ns = end_ns, .thread = thread, .unit = unit};
    units->items[unit].span_count++;
    return TM_OK;
}

static int64_t start_of(const void *payload, uint32_t number)
{
    return ((const tm__units *)payload)->items[number].start_ns;
}

/* Number the units by rising start. */
static int put_in_order(tm__units *units)
{
    uint32_t count = units->items_count;
    tm__sortable *order = tm__sorted_new(units->memory, count, start_of, NULL, units);
    size_t bytes = ((size_t)count + 1) * sizeof(uint32_t);
    uint32_t *number_of = tm__resize(units->memory, NULL, 0, bytes);
    tm__unit *items = NULL;
    uint32_t capacity = 0;
    int rc = order && number_of ? TM_OK : TM_ENOMEM;

    if (rc == TM_OK)
        rc = tm__reserve(units->memory, &items, &capacity, (size_t)count + 1,
                         sizeof(*items));
    for (uint32_t i = 0; rc == TM_OK && i < count; i++) {
        items[i] = units->items[order[i].number];
        number_of[order[i].number] = i;
    }
    if (rc == TM_OK) {
        for (uint32_t i = 0; i < count; i++)
            if (items[i].parent != TM__NONE)
                items[i].parent = number_of[items[i].parent];
        for (uint32_t i = 0; i < units->spans_count; i++)
            units->spans[i].unit = number_of[units->spans[i].unit];
        tm__free(units->memory, units->items,
                 units->items_capacity * sizeof(*units->items));
        units->items = items;
        units->items_capacity = capacity;
    }
    tm__free(units->memory, number_of, bytes);
    tm__sorted_free(units->memory, order, count);
    return rc;
}

int tm__units_open(tm__units *units, const tm_model *model, const tm__scope *scope,
                   tm__memory *memory, const uint32_t *callers, uint32_t stated_only)
{
    int rc;

    *units = (tm__units){.model = model,
                         .scope = scope,
                         .memory = memory,
                         .callers = callers,
                         .stated_only = stated_only};
    rc = tm__units_add_stated(units);
    if (rc == TM_OK && !stated_only)
        rc = tm__units_add_inferred(units);
    if (rc == TM_OK)
        rc = put_in_order(units);
    if (rc == TM_OK)
        rc = tm__units_link(units);
    return rc == TM_OK ? tm__units_sum_up(units) : rc;
}

void tm__units_close(tm__units *units)
{
    tm__free(units->memory, units->items,
             units->items_capacity * sizeof(*units->items));
    tm__free(units->memory, units->spans,
             units->spans_capacity * sizeof(*units->spans));
    tm__free(units->memory, units->kinds,
             units->kinds_capacity * sizeof(*units->kinds));
    tm__free(units->memory, units->by_kind,
             ((size_t)units->by_kind_count + 1) * sizeof(*units->by_kind));
    tm__triple_map_free(&units->kind_map, units->memory);
}
