/* SPDX-License-Identifier: Apache-2.0 */
/* Where the time of a kind's units goes, and that of the slowest hundredth. */
#include "analysis/units/unit_parts.h"

#include "analysis/units/unit_list.h"
#include "analysis/units/unit_main.h"
#include "analysis/units/unit_walk.h"
#include "analysis/units/units.h"

#include "analysis/listing/listing.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/entity_names.h"

typedef struct cause_sum {
    tm__unit_cause cause;
    uint32_t unit; ///< items[] that was last added, or TM__NONE
    uint64_t units;
    uint64_t count;
    int64_t total_ns;
    int64_t slow_ns;
} cause_sum;

typedef struct sums {
    const tm__units *units;
    tm__triple_map by_cause; ///< (state, class, method): items[] + 1
    TM__ARRAY(cause_sum, items);
} sums;

static int add(sums *s, tm__unit_cause cause, uint32_t unit, int64_t ns, int is_slow)
{
    tm__memory *memory = s->units->memory;
    uint32_t *value = tm__triple_map_at(&s->by_cause, memory, cause.state,
                                        cause.class_name, cause.method);
    cause_sum *it;

    if (!value)
        return tm__failure();
    if (*value == 0) {
        if (tm__reserve(memory, &s->items, &s->items_capacity,
                        (size_t)s->items_count + 1, sizeof(*s->items)) < 0)
            return tm__failure();
        s->items[s->items_count++] = (cause_sum){.cause = cause, .unit = TM__NONE};
        *value = s->items_count;
    }
    it = &s->items[*value - 1];
    it->units += it->unit != unit;
    it->unit = unit;
    it->count++;
    it->total_ns = tm__sum(it->total_ns, ns);
    if (is_slow)
        it->slow_ns = tm__sum(it->slow_ns, ns);
    return TM_OK;
}

static int add_unit(sums *s, uint32_t unit, int is_slow)
{
    const tm__unit *it = &s->units->items[unit];
    int64_t elsewhere_ns = tm__unit_length_ns(it);
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < it->span_count; i++) {
        const tm__unit_span *span = &s->units->spans[it->span_first + i];
        tm__unit_walk walk;
        tm__unit_part part;

        tm__unit_walk_start(&walk, s->units->model, span);
        while (rc == TM_OK && tm__unit_walk_next(&walk, &part)) {
            int64_t ns = part.end_ns - part.start_ns;

            elsewhere_ns -= ns;
            rc = add(s, tm__unit_cause_of(s->units, span->thread, &part), unit, ns,
                     is_slow);
        }
    }
    if (rc == TM_OK && elsewhere_ns > 0)
        rc = add(s,
                 (tm__unit_cause){
                     .state = TM_STATE_END, .class_name = TM__NONE, .method = TM__NONE},
                 unit, elsewhere_ns, is_slow);
    return rc;
}

static int64_t most_first(const void *payload, uint32_t number)
{
    return -((const sums *)payload)->items[number].total_ns;
}

static void put_part(tm__listing *list, const sums *s, const tm__unit_kind *kind,
                     const cause_sum *it, int64_t slow_ns)
{
    const tm_model *model = s->units->model;
    tm__builder *builder = &list->builder;

    tm__put_string(builder, tm__strings_get(&model->entities.strings, kind->name));
    tm__put_thread(builder, model, kind->thread);
    tm__put_string(builder, it->cause.state == TM_STATE_END
                                ? NULL
                                : tm_state_name((int)it->cause.state));
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, it->cause.class_name));
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, it->cause.method));
    tm__put_int64(builder, (int64_t)it->units);
    tm__put_int64(builder, (int64_t)it->count);
    tm__put_int64(builder, it->total_ns);
    tm__put_double(builder, (double)it->total_ns / (double)kind->total_ns);
    tm__put_int64(builder, it->total_ns / (int64_t)kind->count);
    tm__put_int64(builder, it->slow_ns);
    tm__put_double(builder, slow_ns ? (double)it->slow_ns / (double)slow_ns : 0);
}

static int put_kind(tm__listing *list, const tm__units *units,
                    const tm__unit_kind *kind)
{
    sums s = {.units = units};
    uint64_t slow = kind->count ? tm__quantile_rank(kind->count, 0.99) : 0;
    int64_t slow_ns = 0;
    tm__sortable *order = NULL;
    int rc = TM_OK;

    for (uint64_t i = 0; rc == TM_OK && i < kind->count; i++) {
        uint32_t unit = units->by_kind[kind->order_first + i];
        int is_slow = i + 1 >= slow;

        if (is_slow)
            slow_ns = tm__sum(slow_ns, tm__unit_length_ns(&units->items[unit]));
        rc = add_unit(&s, unit, is_slow);
    }
    if (rc == TM_OK) {
        order = tm__sorted_new(units->memory, s.items_count, most_first, NULL, &s);
        rc = order ? TM_OK : TM_ENOMEM;
    }
    for (uint32_t i = 0; rc == TM_OK && i < s.items_count; i++)
        put_part(list, &s, kind, &s.items[order[i].number], slow_ns);
    tm__sorted_free(units->memory, order, s.items_count);
    tm__triple_map_free(&s.by_cause, units->memory);
    tm__free(units->memory, s.items, s.items_capacity * sizeof(*s.items));
    return rc;
}

static int64_t most_time_first(const void *payload, uint32_t number)
{
    return -((const tm__units *)payload)->kinds[number].total_ns;
}

int tm_unit_part_list(tm_table **out, const tm_model *model,
                      const tm_selection *selection, const tm_unit_options *options)
{
    tm__units units;
    tm__listing list;
    tm__sortable *order;
    int rc = tm__units_list_open(out, &list, &units, model, selection, options,
                                 &tm__unit_parts_table);

    if (rc < 0)
        return rc;
    order =
        tm__sorted_new(&list.memory, units.kinds_count, most_time_first, NULL, &units);
    rc = order ? TM_OK : TM_ENOMEM;
    for (uint32_t i = 0; rc == TM_OK && i < units.kinds_count; i++)
        rc = put_kind(&list, &units, &units.kinds[order[i].number]);
    tm__sorted_free(&list.memory, order, units.kinds_count);
    tm__units_close(&units);
    return tm__listing_close(&list, model, out, rc);
}

/* From the begin of the first to the end of the last. */
static int64_t lasted_ns(const tm__units *units, const tm__unit_kind *kind)
{
    int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;

    for (uint32_t i = 0; i < units->items_count; i++) {
        const tm__unit *unit = &units->items[i];

        if (!tm__unit_is_of(units, unit, kind))
            continue;
        if (unit->start_ns < from_ns)
            from_ns = unit->start_ns;
        if (unit->end_ns > to_ns)
            to_ns = unit->end_ns;
    }
    return from_ns < to_ns ? tm__sum(to_ns, -from_ns) : 0;
}

/* Spans of a stated unit may lie side by side: then its parts are more than it. */
static int can_have(const tm__units *units, const tm__unit_kind *kind,
                    const tm__unit_least *least)
{
    return kind->count >= least->units &&
           (kind->is_stated || kind->total_ns >= least->total_ns) &&
           lasted_ns(units, kind) >= least->lasted_ns;
}

int tm__unit_parts_of_first_kind(tm_table **out, const tm_model *model,
                                 const tm_selection *selection,
                                 const tm__unit_least *least)
{
    tm__units all;
    tm__listing list;
    const tm__unit_kind *first = NULL;
    int rc = tm__units_list_open(out, &list, &all, model, selection, NULL,
                                 &tm__unit_parts_table);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < all.kinds_count; i++)
        if (!first || all.kinds[i].total_ns > first->total_ns)
            first = &all.kinds[i];
    if (all.main.count && (first->is_main || all.main.total_ns > first->total_ns))
        first = &all.main;
    if (first && (first->name != TM__NONE || tm__units_have_several(&all)) &&
        can_have(&all, first, least))
        rc = put_kind(&list, &all, first);
    tm__units_close(&all);
    return tm__listing_close(&list, model, out, rc);
}
