/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits by class, waiting and releasing place: one pass over all intervals; few of them
 * are waits, of few kinds. Uses are found in resource_uses.c.
 */
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resource_totals.h"
#include "analysis/resources/resource_uses.h"
#include "analysis/resources/resources.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/wakeups/worker_loops.h"

/* Threads are gone through one after another, so one is new to a queue, or to a
 * resource, when it is not the last one there. */
static int join_queue(tm__resources *all, tm__resource_wait *wait, uint32_t class_name,
                      uint32_t waiting)
{
    uint32_t *value =
        tm__triple_map_at(&all->by_place, all->memory, class_name, waiting, 0);
    tm__resource_queue *queue;

    if (!value)
        return TM_ENOMEM;
    if (*value == 0) {
        if (tm__reserve(all->memory, &all->queues, &all->queues_capacity,
                        (size_t)all->queues_count + 1, sizeof(*all->queues)) < 0)
            return tm__failure();
        all->queues[all->queues_count++] =
            (tm__resource_queue){.thread = TM__NONE, .resource = TM__NONE};
        *value = all->queues_count;
    }
    wait->queue = *value - 1;
    queue = &all->queues[wait->queue];
    if (queue->thread != wait->thread) {
        queue->thread = wait->thread;
        queue->member = all->members++;
    }
    wait->member = queue->member;
    return TM_OK;
}

static int new_resource(tm__resources *all, uint32_t *number, tm__resource resource)
{
    if (tm__reserve(all->memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(resource)) < 0)
        return tm__failure();
    resource.waiting_stack = resource.releasing_stack = TM__NONE;
    resource.releaser = resource.waiter = resource.use_method = TM__NONE;
    resource.provenance =
        resource.releasing == TM__NONE ? TM_PROVENANCE_UNKNOWN : UINT8_MAX;
    resource.wait_max_ns = -1;
    resource.first_ns = INT64_MAX;
    resource.last_ns = INT64_MIN;
    *number = all->items_count;
    all->items[all->items_count++] = resource;
    return TM_OK;
}

/* The resource of those waits of a queue that were ended from one place, which may be
 * TM__NONE. */
static int resource_of(tm__resources *all, uint32_t *number, uint32_t queue,
                       tm__resource resource)
{
    uint32_t *value;

    if (resource.releasing == TM__NONE) {
        *number = all->queues[queue].resource;
        if (*number == TM__NONE && new_resource(all, number, resource) < 0)
            return tm__failure();
        all->queues[queue].resource = *number;
        return TM_OK;
    }
    value = tm__triple_map_at(&all->by_key, all->memory, queue, resource.releasing, 0);
    if (!value)
        return tm__failure();
    if (*value == 0) {
        if (new_resource(all, number, resource) < 0)
            return tm__failure();
        *value = *number + 1;
    }
    *number = *value - 1;
    return TM_OK;
}

/* Count a wait, and who ended it. */
static int count_wait(tm__resources *all, const tm__resource_wait *wait, uint32_t stack,
                      const tm__interaction *release)
{
    int64_t length_ns = wait->end_ns - wait->start_ns, total_ns;
    tm__resource *it = &all->items[wait->resource];
    int is_new = 0;

    it->threads += it->waiter != wait->thread;
    it->waiter = wait->thread;
    if (wait->object != TM__NONE)
        is_new = tm__resource_add(all, wait->resource, wait->object, TM__SUM_OBJECT, 0,
                                  &total_ns);
    if (is_new < 0)
        return is_new;
    it->objects += wait->object != TM__NONE && is_new;
    it->waits++;
    it->wait_total_ns = tm__sum(it->wait_total_ns, length_ns);
    if (length_ns > it->wait_max_ns) {
        it->wait_max_ns = length_ns;
        it->waiting_stack = stack;
        it->releasing_stack = release ? release->from_stack : TM__NONE;
    }
    it->first_ns = wait->start_ns < it->first_ns ? wait->start_ns : it->first_ns;
    it->last_ns = wait->end_ns > it->last_ns ? wait->end_ns : it->last_ns;
    if (!release)
        return TM_OK;
    if (release->provenance < it->provenance)
        it->provenance = release->provenance;
    is_new = tm__resource_add(all, wait->resource, release->from_thread,
                              TM__SUM_RELEASER, length_ns, &total_ns);
    if (is_new < 0)
        return is_new;
    it->releasers += (uint32_t)is_new;
    if (it->releaser == TM__NONE || total_ns > it->releaser_ns) {
        it->releaser_ns = total_ns;
        it->releaser = release->from_thread;
    }
    return TM_OK;
}

/* ---- the pass ---- */

/* Take a thread's wait; `end` is the interval after it, which may be none. */
static int add_wait(tm__resources *all, uint32_t thread, uint32_t index, uint32_t end)
{
    const tm_model *model = all->model;
    const tm__thread *waiter = &model->entities.threads[thread];
    const tm__interval *it = &waiter->intervals[index];
    uint32_t class_name = TM__NONE, waiting = tm__resource_place(all, it->stack);
    uint32_t caller = it->stack == TM__NONE ? TM__NONE : all->callers[it->stack];
    uint32_t number = TM__NONE, got = end;
    tm__resource_wait wait = {.start_ns = it->start_ns,
                              .end_ns = tm__interval_end_ns(model, waiter, end - 1),
                              .thread = thread,
                              .object = it->object,
                              .interval = index,
                              .release = TM__NONE,
                              .releaser = TM__NONE,
                              .is_open = end == waiter->interval_count};
    const tm__interaction *release;

    if (it->object != TM__NONE &&
        model->entities.objects[it->object].class_index != TM__NONE)
        class_name =
            model->entities.classes[model->entities.objects[it->object].class_index]
                .name;
    while (got < waiter->interval_count &&
           (waiter->intervals[got].state == TM_STATE_REENTERING ||
            waiter->intervals[got].state == TM_STATE_RUNNABLE ||
            waiter->intervals[got].flags & TM__INTERVAL_CONTINUES)) {
        if (number == TM__NONE)
            number = waiter->intervals[got].cause;
        got++;
    }
    if (got < waiter->interval_count && number == TM__NONE)
        number = waiter->intervals[got].cause;
    wait.got_ns =
        got < waiter->interval_count ? waiter->intervals[got].start_ns : wait.end_ns;
    wait.is_expired =
        (it->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_INTERRUPTED)) != 0;
    if (wait.is_open || wait.is_expired)
        number = TM__NONE;
    wait.row = number;
    number = wait.release = tm__release_of(all, number, it->stack);
    release = number == TM__NONE ? NULL : tm__row(model, number);
    if (release && tm__resource_place(all, release->from_stack) == TM__NONE)
        release = NULL;
    if (release) {
        wait.releaser = release->from_thread;
        wait.released_ns = release->from_ns;
        wait.is_always_seen = release->kind != TM_INTERACTION_UNPARK;
    }
    if (join_queue(all, &wait, class_name, waiting) < 0 ||
        resource_of(
            all, &wait.resource, wait.queue,
            (tm__resource){.class_name = class_name,
                           .waiting = waiting,
                           .is_idle = (uint8_t)tm__frame_waits_for_work(model, caller),
                           .is_library = (uint8_t)tm__frame_is_library(model, caller),
                           .releasing = tm__resource_place(
                               all, release ? release->from_stack : TM__NONE)}) < 0 ||
        tm__reserve(all->memory, &all->waits, &all->waits_capacity,
                    (size_t)all->waits_count + 1, sizeof(wait)) < 0)
        return tm__failure();
    all->waits[all->waits_count++] = wait;
    return count_wait(all, &wait, it->stack, release);
}

static int read_thread(tm__resources *all, uint32_t thread)
{
    const tm__thread *it = &all->model->entities.threads[thread];

    for (uint32_t i = 0; i < it->interval_count; i++) {
        const tm__interval *first = &it->intervals[i];
        uint32_t end = i + 1;
        int rc;

        if (!tm__is_resource_wait(all->model, first) ||
            first->start_ns < all->scope->from_ns ||
            first->start_ns >= all->scope->to_ns)
            continue;
        if (all->scope->classes &&
            (first->object == TM__NONE ||
             all->model->entities.objects[first->object].class_index == TM__NONE ||
             !all->scope
                  ->classes[all->model->entities.objects[first->object].class_index]))
            continue;
        while (end < it->interval_count &&
               it->intervals[end].flags & TM__INTERVAL_CONTINUES &&
               it->intervals[end].state != TM_STATE_REENTERING)
            end++;
        rc = add_wait(all, thread, i, end);
        if (rc < 0)
            return rc;
        i = end - 1;
    }
    return TM_OK;
}

static int find(tm__resources *all)
{
    const tm__scope *scope = all->scope;
    int rc = tm__worker_loops_find(all->model);

    for (uint32_t i = 0; rc == TM_OK && i < all->model->entities.threads_count; i++)
        if (!scope->threads || scope->threads[i])
            rc = read_thread(all, i);
    return rc == TM_OK ? tm__resources_find_uses(all) : rc;
}

static void drop(void *item)
{
    tm__resources *all = item;
    tm__memory *memory = all->memory;

    tm__resources_close(all);
    tm__free(memory, all, sizeof(*all));
}

/* Find those of the whole run, to be lent from then on. */
static int keep(const tm_model *model)
{
    static const tm__scope whole = TM__WHOLE_SCOPE;
    tm__memory *memory = &model->kept->memory;
    tm__resources *all = tm__zalloc(memory, sizeof(*all));
    int rc;

    if (!all)
        return TM_ENOMEM;
    *all = (tm__resources){.model = model,
                           .scope = &whole,
                           .memory = memory,
                           .callers = tm__usual_callers(model)};
    rc = find(all);
    if (rc < 0)
        drop(all);
    else
        tm__keep(model->kept, TM__KEPT_RESOURCES, all, drop);
    return rc;
}

int tm__resources_open(tm__resources *all, const tm_model *model,
                       const tm__scope *scope, tm__memory *memory,
                       const uint32_t *callers)
{
    int rc = tm__scope_is_whole(scope) ? tm__are_usual_callers(model, callers) : 0;

    *all = (tm__resources){
        .model = model, .scope = scope, .memory = memory, .callers = callers};
    if (rc < 1)
        return rc < 0 ? rc : find(all);
    rc = model->kept->items[TM__KEPT_RESOURCES] ? TM_OK : keep(model);
    if (rc < 0)
        return rc;
    *all = *(const tm__resources *)model->kept->items[TM__KEPT_RESOURCES];
    all->is_lent = 1;
    all->scope = scope;
    all->memory = memory;
    all->callers = callers;
    return TM_OK;
}

void tm__resources_close(tm__resources *all)
{
    if (all->is_lent)
        return;
    for (uint32_t i = 0; i < all->items_count; i++)
        tm__histogram_free(&all->items[i].uses, all->memory);
    tm__free(all->memory, all->queues, all->queues_capacity * sizeof(*all->queues));
    tm__free(all->memory, all->items, all->items_capacity * sizeof(*all->items));
    tm__free(all->memory, all->waits, all->waits_capacity * sizeof(*all->waits));
    tm__free(all->memory, all->uses, all->uses_capacity * sizeof(*all->uses));
    tm__free(all->memory, all->sums, all->sums_capacity * sizeof(*all->sums));
    tm__triple_map_free(&all->by_key, all->memory);
    tm__triple_map_free(&all->by_place, all->memory);
    tm__triple_map_free(&all->seen, all->memory);
}
