/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit that submitted an inferred one: the unit whose thread waited for what the
 * other one did, and was woken by it.
 *
 *     request   ──── wwwwwwwwwwwwwwwwwwww ────     waits for its task
 *     worker    ··[ another task ][ task ]wakes    queued from the begin of the wait
 *
 * A wait that began after the task did not make it queue.
 */
#include "analysis/resources/resource_release.h"
#include "analysis/units/unit_links.h"
#include "analysis/units/unit_state.h"

#include "base/memory.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

/* How many spans that begin before an instant may have ended: nested ones. */
enum { SPANS_LOOKED_AT = 16 };

typedef struct links {
    tm__units *units;
    uint32_t *first_of;  ///< of each thread: order[]
    tm__sortable *order; ///< spans[] by thread, then start
} links;

static int64_t thread_of(const void *payload, uint32_t number)
{
    return ((const tm__units *)payload)->spans[number].thread;
}

static int64_t start_of(const void *payload, uint32_t number)
{
    return ((const tm__units *)payload)->spans[number].start_ns;
}

/* The innermost unit of a thread at an instant, which may be its end. */
static uint32_t unit_at(const links *l, uint32_t thread, int64_t time_ns)
{
    const tm__units *units = l->units;
    uint32_t low = l->first_of[thread], high = l->first_of[thread + 1];
    uint32_t first = low;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (units->spans[l->order[middle].number].start_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = 0; i < SPANS_LOOKED_AT && low > first; i++, low--) {
        const tm__unit_span *it = &units->spans[l->order[low - 1].number];

        if (it->end_ns >= time_ns)
            return it->unit;
    }
    return TM__NONE;
}

static void link_units(const links *l, const tm__interaction *row)
{
    const tm_model *model = l->units->model;
    const tm__thread *waiter = &model->entities.threads[row->to_thread];
    const tm__interval *wait;
    uint32_t child = unit_at(l, row->from_thread, row->from_ns), parent, index;
    tm__unit *it;

    if (child == TM__NONE || l->units->items[child].is_stated ||
        row->to_interval < waiter->interval_first)
        return;
    index = row->to_interval - waiter->interval_first;
    if (index >= waiter->interval_count)
        return;
    wait = &waiter->intervals[index];
    parent = unit_at(l, row->to_thread, row->from_ns);
    it = &l->units->items[child];
    if (parent == TM__NONE || l->units->items[parent].kind == it->kind ||
        l->units->items[parent].start_ns > it->start_ns ||
        !tm__is_resource_wait(model, wait))
        return;
    it->parent = parent;
    it->queued_ns = it->start_ns > wait->start_ns ? it->start_ns - wait->start_ns : 0;
}

/* The thread that has a majority, if one has, is left over in the end. */
static void vote(tm__unit_kind *kind, uint32_t waker)
{
    kind->wakings++;
    if (kind->waker == waker) {
        kind->woken++;
    } else if (kind->woken) {
        kind->woken--;
    } else {
        kind->waker = waker;
        kind->woken = 1;
    }
}

/* A worker that waited for work was woken for this task. One that took a task wakes the
 * next worker if there are more: that one has not submitted it. */
static void find_queued(const links *l, const tm__interaction *row)
{
    uint32_t unit = unit_at(l, row->to_thread, row->to_ns + 1), by;
    tm__unit *it;

    if (unit == TM__NONE)
        return;
    it = &l->units->items[unit];
    if (it->is_stated || it->start_ns != row->to_ns || row->from_ns > it->start_ns)
        return;
    if (it->queued_ns < 0)
        it->queued_ns = it->start_ns - row->from_ns;
    by = unit_at(l, row->from_thread, row->from_ns);
    if (by == TM__NONE || l->units->items[by].kind != it->kind)
        vote(&l->units->kinds[it->kind], row->from_thread);
}

static int is_wake_up(const tm__interaction *row)
{
    return (row->kind == TM_INTERACTION_UNPARK || row->kind == TM_INTERACTION_NOTIFY ||
            row->kind == TM_INTERACTION_NOTIFY_ALL ||
            row->kind == TM_INTERACTION_POST) &&
           row->effect == TM__EFFECT_WOKE && row->from_thread != TM__NONE &&
           row->to_thread != TM__NONE && row->from_ns != INT64_MIN &&
           row->to_ns != INT64_MIN && row->to_interval != TM__NONE;
}

int tm__units_link(tm__units *units)
{
    const tm_model *model = units->model;
    size_t bytes = ((size_t)model->entities.threads_count + 2) * sizeof(uint32_t);
    links l = {.units = units};
    int rc = TM_OK;

    if (!units->items_count)
        return TM_OK;
    l.first_of = tm__zalloc(units->memory, bytes);
    l.order = tm__sorted_within_new(units->memory, units->spans_count, thread_of,
                                    start_of, units);
    if (!l.first_of || !l.order)
        rc = TM_ENOMEM;
    for (uint32_t i = 0; rc == TM_OK && i < units->spans_count; i++)
        l.first_of[units->spans[i].thread + 1]++;
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        l.first_of[t + 1] += l.first_of[t];
    for (uint32_t i = 0; rc == TM_OK && i < model->intervals.interactions_count; i++)
        if (is_wake_up(&model->intervals.interactions[i])) {
            link_units(&l, &model->intervals.interactions[i]);
            find_queued(&l, &model->intervals.interactions[i]);
        }
    tm__sorted_free(units->memory, l.order, units->spans_count);
    tm__free(units->memory, l.first_of, bytes);
    return rc;
}
