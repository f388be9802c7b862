/* SPDX-License-Identifier: Apache-2.0 */
/* The tenures of all locks as a table, one row each. */
#include <threadmodel/hold.h>

#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "analysis/locks/hold_walk.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/state/model.h"

/** A row to be: a record and its lock. */
typedef struct tenure_row {
    const tm__tenure *tenure;
    uint32_t object;
    uint32_t at; ///< the owner's interval then
    int64_t start_ns;
} tenure_row;

typedef struct rows {
    tm__listing list;
    TM__ARRAY(tenure_row, items);
} rows;

static int keep(void *payload, const tm__hold *hold)
{
    rows *all = payload;

    if (tm__reserve(&all->list.memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(*all->items)) < 0)
        return tm__failure();
    all->items[all->items_count++] = (tenure_row){
        hold->tenure, hold->object, hold->bounds.at, hold->bounds.got_latest_ns};
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

static int end_provenance(const tm__hold *hold)
{
    if (hold->is_open)
        return TM_PROVENANCE_UNKNOWN;
    return tm__tenure_is_reported_over(hold->tenure) ? hold->tenure->had_provenance
                                                     : TM_PROVENANCE_INFERRED;
}

/* The thread that acquired the lock when this owner released it: of several owners at
 * once, when the last of them released it. */
static const tm__tenure *next_owner(const tm_model *model, const tm__tenure *it)
{
    const tm__tenure *next = tm__tenure_next(model, it);

    while (next && it->flags & next->flags & TM__TENURE_SHARED) {
        if (!(next->flags & TM__TENURE_OVER) || next->had_ns > it->had_ns)
            return NULL;
        next = tm__tenure_next(model, next);
    }
    return next && next->flags & TM__TENURE_HANDED ? next : NULL;
}

/* Whether the owner of a record queued for it from an instant on at the latest, and
 * that was known all the time: then each record between is kept. */
static int queued_since(const tm_model *model, const tm__tenure *it, int64_t time_ns)
{
    int64_t queued_ns = tm__tenure_queued_ns(model, it);
    const tm__thread *owner = &model->entities.threads[it->owner];

    return queued_ns != INT64_MIN && queued_ns <= time_ns &&
           owner->intervals[tm__interval_at(owner, it->got_ns) - 1].tenure != 0 &&
           !tm__lost_between(&model->intervals, queued_ns, it->got_ns);
}

/* The lock is certain to have been free between the two where another owner would have
 * been reported. */
static int next_provenance(const tm_model *model, const tm__tenure *it,
                           const tm__tenure *next)
{
    return tm__owners_are_reported(model) && tm__tenure_is_reported_over(it) &&
                   !(it->flags & TM__TENURE_CONTESTED) &&
                   it->had_provenance > TM_PROVENANCE_INFERRED &&
                   next->got_provenance > TM_PROVENANCE_INFERRED &&
                   queued_since(model, next, it->had_ns)
               ? TM_PROVENANCE_EXACT
               : TM_PROVENANCE_INFERRED;
}

static void put_next_owner(tm__listing *list, const tm_model *model,
                           const tm__tenure *it)
{
    const tm__tenure *next;

    if (tm__pass_unwanted(&list->builder, 3))
        return;
    next = next_owner(model, it);
    tm__put_thread(&list->builder, model, next ? next->owner : TM__NONE);
    tm__put_string(&list->builder,
                   next ? tm_provenance_name(next_provenance(model, it, next)) : NULL);
}

static void put_not_running(tm__builder *builder, const tm_model *model,
                            uint32_t thread, int64_t from_ns, int64_t to_ns)
{
    int state;

    if (tm__pass_unwanted(builder, 2))
        return;
    tm__put_int64(builder, tm__not_running_ns(model, thread, from_ns, to_ns, &state));
    tm__put_string(builder, state == TM_STATE_UNKNOWN ? NULL : tm_state_name(state));
}

static void put_row(tm__listing *list, const tm_model *model, const tm__hold *hold)
{
    const tm__tenure *it = hold->tenure;
    const tm__bounds *bounds = &hold->bounds;
    tm__builder *builder = &list->builder;

    tm__put_object(list, model, hold->object);
    tm__put_string(builder, tm__object_kind(&model->entities, hold->object));
    tm__put_thread(builder, model, it->owner);
    put_known(list, 1, bounds->got_latest_ns);
    put_known(list, !hold->is_open, bounds->released_ns);
    put_known(list, bounds->got_earliest_ns != INT64_MIN, bounds->got_earliest_ns);
    put_known(list, 1, bounds->got_latest_ns);
    put_known(list, 1, bounds->released_earliest_ns);
    put_known(list, !hold->is_open, bounds->released_latest_ns);
    tm__put_string(builder, tm_provenance_name(start_provenance(it)));
    tm__put_string(builder, tm_provenance_name(end_provenance(hold)));
    put_next_owner(list, model, it);
    tm__put_frame(builder, model,
                  it->stack == TM__NONE ? TM__NONE : list->callers[it->stack]);
    tm__put_bool(builder, it->flags & TM__TENURE_SHARED);
    tm__put_bool(builder, it->flags & TM__TENURE_CONTESTED);
    put_not_running(builder, model, it->owner, bounds->got_latest_ns,
                    hold->is_open ? model->last_ns : bounds->released_ns);
}

/* The order of rows that begin together; rows of one lock are in order already. */
static int by_object(const void *payload, uint32_t left, uint32_t right)
{
    const rows *all = payload;
    uint32_t l = all->items[left].object, r = all->items[right].object;

    return l != r ? (l < r ? -1 : 1) : left < right ? -1 : left > right;
}

static int64_t by_start(const void *payload, uint32_t number)
{
    return ((const rows *)payload)->items[number].start_ns;
}

static int put_sorted(rows *all, const tm_model *model)
{
    tm__listing *list = &all->list;
    tm__sortable *order =
        tm__sorted_new(&list->memory, all->items_count, by_start, by_object, all);

    if (!order)
        return TM_ENOMEM;
    tm__builder_expect(&list->builder, all->items_count);
    for (uint32_t i = 0; i < all->items_count && !list->builder.failed; i++) {
        const tenure_row *row = &all->items[order[i].number];
        tm__hold hold = tm__hold_of(model, row->object, row->tenure, row->at);

        put_row(list, model, &hold);
    }
    tm__sorted_free(&list->memory, order, all->items_count);
    return TM_OK;
}

int tm_hold_list(tm_table **out, const tm_model *model, const tm_selection *selection)
{
    rows all = {0};
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&all.list, model, &tm__holds_table, selection);
    if (rc < 0)
        return rc;
    rc = tm__holds_walk(model, &all.list.scope, keep, &all);
    if (rc == TM_OK)
        rc = put_sorted(&all, model);
    tm__free(&all.list.memory, all.items, all.items_capacity * sizeof(*all.items));
    return tm__listing_close(&all.list, model, out, rc);
}
