/* SPDX-License-Identifier: Apache-2.0 */
/* The tenures of all locks as a table, one row each. */
#include <threadmodel/hold.h>

#include "base/error.h"
#include "base/sort.h"
#include "model/listing.h"
#include "model/methods.h"
#include "model/model.h"
#include "model/object.h"
#include "model/selection.h"
#include "model/tenure.h"
#include "model/thread.h"

/** A row to be: a record and its lock. */
typedef struct tenure_row {
    const tm__tenure *tenure;
    uint32_t object;
} tenure_row;

typedef struct rows {
    TM__ARRAY(tenure_row, items);
} rows;

static int is_open(const tm__tenure *it)
{
    return !it->next && !(it->flags & TM__TENURE_OVER);
}

static void bounds_of(tm__bounds *bounds, const tm_model *model, const tenure_row *row)
{
    tm__tenure_bounds(bounds, model, row->object, row->tenure,
                      tm__tenure_next(model, row->tenure), model->last_ns);
}

static int in_scope(const tm_model *model, const tm__scope *scope,
                    const tenure_row *row)
{
    uint32_t class_index = model->objects[row->object].class_index;
    tm__bounds bounds;

    if (row->tenure->owner == TM__NONE ||
        (scope->threads && !scope->threads[row->tenure->owner]) ||
        (scope->classes && (class_index == TM__NONE || !scope->classes[class_index])))
        return 0;
    bounds_of(&bounds, model, row);
    return bounds.got_latest_ns < scope->to_ns &&
           (is_open(row->tenure) || bounds.gave_ns >= scope->from_ns);
}

static int gather(rows *all, tm__listing *list, const tm_model *model)
{
    for (uint32_t i = 0; i < model->objects_count; i++) {
        const tm__tenure *it = tm__tenure_at(model, model->details[i].first_tenure);

        for (; it; it = tm__tenure_next(model, it)) {
            tenure_row next = {it, i};

            if (!in_scope(model, &list->scope, &next))
                continue;
            if (tm__reserve(&list->memory, &all->items, &all->items_capacity,
                            (size_t)all->items_count + 1, sizeof(next)) < 0)
                return TM_ENOMEM;
            all->items[all->items_count++] = next;
        }
    }
    return TM_OK;
}

static void put_known(tm__listing *list, int is_known, int64_t time_ns)
{
    if (is_known)
        tm__put_int64(&list->builder, time_ns - list->origin_ns);
    else
        tm__put_null(&list->builder);
}

static int start_provenance(const tm__tenure *it)
{
    if (it->before_ns == 0 || it->flags & TM__TENURE_HANDED)
        return it->got_provenance;
    return TM_PROVENANCE_INFERRED;
}

static int end_provenance(const tm__tenure *it)
{
    if (is_open(it))
        return TM_PROVENANCE_UNKNOWN;
    return tm__tenure_is_told_over(it) ? it->had_provenance : TM_PROVENANCE_INFERRED;
}

static void put_row(tm__listing *list, const tm_model *model, const tenure_row *row)
{
    const tm__tenure *it = row->tenure, *next = tm__tenure_next(model, it);
    int is_over = !is_open(it);
    tm__builder *builder = &list->builder;
    tm__bounds bounds;

    bounds_of(&bounds, model, row);
    tm__put_object(list, model, row->object);
    tm__put_string(builder, model->objects[row->object].flags & TM_OBJECT_SYNCHRONIZER
                                ? "synchronizer"
                                : "monitor");
    tm__put_thread(builder, model, it->owner);
    put_known(list, 1, bounds.got_latest_ns);
    put_known(list, is_over, bounds.gave_ns);
    put_known(list, bounds.got_earliest_ns != INT64_MIN, bounds.got_earliest_ns);
    put_known(list, 1, bounds.got_latest_ns);
    put_known(list, 1, bounds.gave_earliest_ns);
    put_known(list, is_over, bounds.gave_latest_ns);
    tm__put_string(builder, tm_provenance_name(start_provenance(it)));
    tm__put_string(builder, tm_provenance_name(end_provenance(it)));
    tm__put_thread(builder, model,
                   next && next->flags & TM__TENURE_HANDED ? next->owner : TM__NONE);
    tm__put_frame(builder, model,
                  it->stack == TM__NONE ? TM__NONE : list->callers[it->stack]);
    tm__put_bool(builder, it->flags & TM__TENURE_SHARED);
}

/* Of rows that begin together; of one lock they are in order already. */
static int by_object(const void *payload, uint32_t left, uint32_t right)
{
    const rows *all = payload;
    uint32_t l = all->items[left].object, r = all->items[right].object;

    return l != r ? (l < r ? -1 : 1) : left < right ? -1 : left > right;
}

static int put_sorted(tm__listing *list, const tm_model *model, rows *all)
{
    size_t bytes = all->items_count * sizeof(tm__sortable);
    tm__sortable *order, *spare;

    if (!bytes)
        return TM_OK;
    order = tm__resize(&list->memory, NULL, 0, bytes);
    spare = order ? tm__resize(&list->memory, NULL, 0, bytes) : NULL;
    for (uint32_t i = 0; spare && i < all->items_count; i++) {
        tm__bounds bounds;

        bounds_of(&bounds, model, &all->items[i]);
        order[i] = (tm__sortable){bounds.got_latest_ns, i};
    }
    if (spare) {
        tm__sort(order, spare, all->items_count, by_object, all);
        tm__builder_expect(&list->builder, all->items_count);
        for (uint32_t i = 0; i < all->items_count && !list->builder.failed; i++)
            put_row(list, model, &all->items[order[i].number]);
    }
    tm__free(&list->memory, spare, bytes);
    tm__free(&list->memory, order, bytes);
    return spare ? TM_OK : TM_ENOMEM;
}

int tm_hold_list(tm_table **out, const tm_model *model, const tm_selection *selection)
{
    tm__listing list;
    rows all = {0};
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&list, model, &tm__holds_table, selection);
    if (rc < 0)
        return rc;
    rc = gather(&all, &list, model);
    if (rc == TM_OK)
        rc = put_sorted(&list, model, &all);
    tm__free(&list.memory, all.items, all.items_capacity * sizeof(*all.items));
    return tm__listing_close(&list, model, out, rc);
}
