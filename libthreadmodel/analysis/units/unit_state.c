/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/units/unit_state.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

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
    const tm__unit_span *last =
        units->spans_count ? &units->spans[units->spans_count - 1] : NULL;
    uint32_t interval =
        tm__interval_near(&units->model->entities.threads[thread], start_ns,
                          last && last->thread == thread ? last->interval : TM__NONE);

    if (tm__reserve(units->memory, &units->spans, &units->spans_capacity,
                    (size_t)units->spans_count + 1, sizeof(*units->spans)) < 0)
        return tm__failure();
    units->spans[units->spans_count++] = (tm__unit_span){.start_ns = start_ns,
                                                         .end_ns = end_ns,
                                                         .thread = thread,
                                                         .unit = unit,
                                                         .interval = interval};
    units->items[unit].span_count++;
    return TM_OK;
}

const tm__unit_kind *tm__unit_main_kind(const tm__units *units)
{
    return units->main.count ? &units->main : NULL;
}
