/* SPDX-License-Identifier: Apache-2.0 */
/* Units as a table, each tiled by what its threads did. */
#include "analysis/units/unit_list.h"
#include "analysis/units/unit_walk.h"
#include "analysis/units/units.h"

#include "analysis/listing/listing.h"
#include "base/error.h"
#include "base/sized.h"

int tm__units_list_open(tm_table **out, tm__listing *list, tm__units *units,
                        const tm_model *model, const tm_selection *selection,
                        const tm_unit_options *options, const tm__table_spec *spec)
{
    tm_unit_options chosen;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&chosen, options, tm_unit_options, stated_only);
    if (rc == TM_OK && chosen.stated_only > 1)
        rc = tm__fail(TM_EINVAL, "stated_only is %u, and not 0 or 1",
                      chosen.stated_only);
    if (rc == TM_OK)
        rc = tm__listing_open(list, model, spec, selection);
    if (rc < 0)
        return rc;
    rc = tm__units_open(units, model, &list->scope, &list->memory, list->callers,
                        chosen.stated_only);
    if (rc == TM_OK)
        return TM_OK;
    tm__units_close(units);
    return tm__listing_close(list, model, out, rc);
}

static void put_parts(tm__builder *builder, const tm__units *units, const tm__unit *it)
{
    int64_t ns[TM_STATE_END] = {0}, elsewhere_ns = tm__unit_length_ns(it);

    for (uint32_t i = 0; i < it->span_count; i++) {
        tm__unit_walk walk;
        tm__unit_part part;

        tm__unit_walk_start(&walk, units->model, &units->spans[it->span_first + i]);
        while (tm__unit_walk_next(&walk, &part)) {
            ns[part.state] += part.end_ns - part.start_ns;
            elsewhere_ns -= part.end_ns - part.start_ns;
        }
    }
    for (int state = TM_STATE_UNKNOWN; state < TM_STATE_END; state++)
        tm__put_int64(builder, ns[state]);
    tm__put_int64(builder, elsewhere_ns);
}

static void put_unit(tm__listing *list, const tm__units *units, uint32_t number)
{
    const tm_model *model = units->model;
    const tm__unit *it = &units->items[number];
    tm__builder *builder = &list->builder;

    tm__put_int32(builder, (int32_t)number + 1);
    tm__put_string(builder, tm__strings_get(&model->entities.strings,
                                            units->kinds[it->kind].name));
    tm__put_string(builder, tm__strings_get(&model->entities.strings, it->label));
    if (it->id)
        tm__put_uint64(builder, it->id);
    else
        tm__put_null(builder);
    if (it->parent != TM__NONE)
        tm__put_int32(builder, (int32_t)it->parent + 1);
    else
        tm__put_null(builder);
    tm__put_thread(builder, model, it->thread);
    tm__put_int64(builder, it->start_ns - list->origin_ns);
    tm__put_int64(builder, it->end_ns - list->origin_ns);
    tm__put_int64(builder, tm__unit_length_ns(it));
    tm__put_bool(builder, it->is_finished);
    tm__put_string(builder, tm_provenance_name(it->is_stated ? TM_PROVENANCE_REPORTED
                                                             : TM_PROVENANCE_INFERRED));
    if (it->queued_ns >= 0)
        tm__put_int64(builder, it->queued_ns);
    else
        tm__put_null(builder);
    put_parts(builder, units, it);
}

int tm_unit_list(tm_table **out, const tm_model *model, const tm_selection *selection,
                 const tm_unit_options *options)
{
    tm__units units;
    tm__listing list;
    int rc = tm__units_list_open(out, &list, &units, model, selection, options,
                                 &tm__units_table);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < units.items_count; i++)
        put_unit(&list, &units, i);
    tm__units_close(&units);
    return tm__listing_close(&list, model, out, TM_OK);
}
