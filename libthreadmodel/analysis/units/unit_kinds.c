/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of units as a table. */
#include "analysis/units/unit_list.h"
#include "analysis/units/units.h"

#include "analysis/listing/listing.h"
#include "base/histogram.h"
#include "base/sort.h"

static int64_t quantile_ns(const tm__units *units, const tm__unit_kind *it,
                           double fraction)
{
    uint64_t rank = tm__quantile_rank(it->count, fraction);

    return tm__unit_length_ns(
        &units->items[units->by_kind[it->order_first + rank - 1]]);
}

static void put_rate(tm__listing *list, const tm__unit_kind *it)
{
    double seconds = (double)(it->steady_to_ns - it->steady_from_ns) / 1e9;
    tm__builder *builder = &list->builder;

    if (!it->steady_count) {
        for (int i = 0; i < 4; i++)
            tm__put_null(builder);
        return;
    }
    tm__put_double(builder, (double)it->steady_count / seconds);
    tm__put_double(builder, (double)it->steady_total_ns / 1e9 / seconds);
    tm__put_int64(builder, it->steady_from_ns - list->origin_ns);
    tm__put_int64(builder, it->steady_to_ns - list->origin_ns);
}

static void put_durations(tm__listing *list, const tm__units *units,
                          const tm__unit_kind *it)
{
    tm__builder *builder = &list->builder;

    tm__put_int64(builder, it->total_ns);
    if (!it->count) {
        for (int i = 0; i < 5; i++)
            tm__put_null(builder);
        return;
    }
    tm__put_int64(builder, it->total_ns / (int64_t)it->count);
    tm__put_int64(builder, quantile_ns(units, it, 0.5));
    tm__put_int64(builder, quantile_ns(units, it, 0.95));
    tm__put_int64(builder, quantile_ns(units, it, 0.99));
    tm__put_int64(builder, quantile_ns(units, it, 1));
}

static void put_kind(tm__listing *list, const tm__units *units, const tm__unit_kind *it)
{
    const tm_model *model = units->model;
    tm__builder *builder = &list->builder;

    tm__put_string(builder, tm__strings_get(&model->entities.strings, it->name));
    tm__put_thread(builder, model, it->thread);
    tm__put_bool(builder, it->is_main);
    tm__put_string(builder, tm_provenance_name(it->is_stated ? TM_PROVENANCE_REPORTED
                                                             : TM_PROVENANCE_INFERRED));
    tm__put_int32(builder, (int32_t)it->threads);
    tm__put_int64(builder, (int64_t)it->count);
    tm__put_int64(builder, (int64_t)it->unfinished);
    put_rate(list, it);
    put_durations(list, units, it);
    if (it->queued_count)
        tm__put_int64(builder, it->queued_ns / (int64_t)it->queued_count);
    else
        tm__put_null(builder);
    tm__put_int64(builder, (int64_t)it->queued_count);
    tm__put_string(builder, it->submitter == TM__NONE
                                ? NULL
                                : tm__strings_get(&model->entities.strings,
                                                  units->kinds[it->submitter].name));
}

static int64_t most_first(const void *payload, uint32_t number)
{
    return -((const tm__units *)payload)->kinds[number].total_ns;
}

int tm_unit_kind_list(tm_table **out, const tm_model *model,
                      const tm_selection *selection, const tm_unit_options *options)
{
    tm__units units;
    tm__listing list;
    tm__sortable *order = NULL;
    int rc = tm__units_list_open(out, &list, &units, model, selection, options,
                                 &tm__unit_kinds_table);

    if (rc < 0)
        return rc;
    order = tm__sorted_new(&list.memory, units.kinds_count, most_first, NULL, &units);
    if (!order)
        rc = TM_ENOMEM;
    for (uint32_t i = 0; rc == TM_OK && i < units.kinds_count; i++)
        if (units.kinds[order[i].number].threads)
            put_kind(&list, &units, &units.kinds[order[i].number]);
    tm__sorted_free(&list.memory, order, units.kinds_count);
    tm__units_close(&units);
    return tm__listing_close(&list, model, out, rc);
}
