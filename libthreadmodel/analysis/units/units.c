/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units: those that the producer states, then inferred ones of the other threads, in
 * the order in which they begin. A run has thousands to millions of them.
 */
#include "analysis/units/unit_sums.h"
#include "analysis/units/unit_links.h"
#include "analysis/units/units.h"
#include "analysis/units/units_inferred.h"
#include "analysis/units/units_stated.h"

#include "base/memory.h"
#include "base/sort.h"
#include "model/entities/caller_frame.h"
#include "model/wakeups/worker_loops.h"

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

static int find(tm__units *units)
{
    int rc = tm__units_add_stated(units);

    if (rc == TM_OK)
        rc = tm__worker_loops_find(units->model);
    if (rc == TM_OK && !units->stated_only)
        rc = tm__units_add_inferred(units);
    if (rc == TM_OK)
        rc = put_in_order(units);
    if (rc == TM_OK)
        rc = tm__units_link(units);
    return rc == TM_OK ? tm__units_sum_up(units) : rc;
}

static void drop(void *item)
{
    tm__units *units = item;
    tm__memory *memory = units->memory;

    tm__units_close(units);
    tm__free(memory, units, sizeof(*units));
}

/* Find those of the whole run, to be lent from then on. */
static int keep(const tm_model *model)
{
    static const tm__scope whole = TM__WHOLE_SCOPE;
    tm__memory *memory = &model->kept->memory;
    tm__units *units = tm__zalloc(memory, sizeof(*units));
    int rc;

    if (!units)
        return TM_ENOMEM;
    *units = (tm__units){.model = model,
                         .scope = &whole,
                         .memory = memory,
                         .callers = tm__usual_callers(model)};
    rc = find(units);
    if (rc < 0)
        drop(units);
    else
        tm__keep(model->kept, TM__KEPT_UNITS, units, drop);
    return rc;
}

int tm__units_open(tm__units *units, const tm_model *model, const tm__scope *scope,
                   tm__memory *memory, const uint32_t *callers, uint32_t stated_only)
{
    int rc = !stated_only && tm__scope_is_whole(scope)
                 ? tm__are_usual_callers(model, callers)
                 : 0;

    *units = (tm__units){.model = model,
                         .scope = scope,
                         .memory = memory,
                         .callers = callers,
                         .stated_only = stated_only};
    if (rc < 1)
        return rc < 0 ? rc : find(units);
    rc = model->kept->items[TM__KEPT_UNITS] ? TM_OK : keep(model);
    if (rc < 0)
        return rc;
    *units = *(const tm__units *)model->kept->items[TM__KEPT_UNITS];
    units->is_lent = 1;
    units->scope = scope;
    units->memory = memory;
    units->callers = callers;
    return TM_OK;
}

void tm__units_close(tm__units *units)
{
    if (units->is_lent)
        return;
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
