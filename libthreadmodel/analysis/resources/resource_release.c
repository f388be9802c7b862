/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for what no thread owns, where they stand, and who released the waiter. */
#include "analysis/resources/resource_release.h"

#include "model/entities/methods.h"
#include "model/entities/object.h"

/* After so many who only woke the next one, who released is not known. */
enum { WAKEUPS_FOLLOWED = 64, QUEUEINGS_FOLLOWED = 6 };

int tm__is_resource_wait(const tm_model *model, const tm__interval *it)
{
    if (it->flags & TM__INTERVAL_CONTINUES)
        return 0;
    if (it->state == TM_STATE_WAITING)
        return 1;
    return it->state == TM_STATE_PARKED && !it->tenure &&
           (it->object == TM__NONE || !model->entities.objects[it->object].is_owned);
}

static uint32_t full_name(const tm_model *model, uint32_t frame)
{
    uint32_t method = model->entities.frames[frame].method;

    return method == TM__NONE ? TM__NONE : model->entities.methods[method].full_name;
}

uint32_t tm__resource_place(const tm__resources *all, uint32_t stack)
{
    uint32_t frame = stack == TM__NONE ? TM__NONE : all->callers[stack];

    return frame == TM__NONE ? TM__NONE : full_name(all->model, frame);
}

/* The method that the caller called: Semaphore.acquire in a stack below which it
 * parks. */
static uint32_t called(const tm__resources *all, uint32_t stack)
{
    uint32_t frame = stack == TM__NONE ? TM__NONE : all->callers[stack];

    if (frame == TM__NONE || frame == all->model->entities.stacks[stack].frame_first)
        return TM__NONE;
    return full_name(all->model, frame - 1);
}

static int is_same_call(const tm__resources *all, uint32_t left, uint32_t right)
{
    uint32_t callee = called(all, left);

    return callee != TM__NONE && callee == called(all, right) &&
           tm__resource_place(all, left) == tm__resource_place(all, right);
}

/* The wait for the same object from which the thread that did this was woken, if it has
 * done nothing since but to queue for a lock, as who waits for a condition does. */
static const tm__interval *wait_before(const tm_model *model,
                                       const tm__interaction *row, uint32_t object)
{
    const tm__thread *thread = &model->entities.threads[row->from_thread];
    uint32_t index = tm__interval_at(thread, row->from_ns);

    if (index == TM__NONE || thread->intervals[index].state != TM_STATE_RUNNING)
        return NULL;
    for (int i = 0; i < QUEUEINGS_FOLLOWED && index > 0; i++, index--) {
        const tm__interval *before = &thread->intervals[index - 1];

        if (before->object == object)
            return before;
        if (before->state != TM_STATE_RUNNING &&
            (before->state != TM_STATE_PARKED || tm__is_resource_wait(model, before)))
            return NULL;
    }
    return NULL;
}

static int is_release(int kind)
{
    return kind == TM_INTERACTION_UNPARK || kind == TM_INTERACTION_NOTIFY ||
           kind == TM_INTERACTION_NOTIFY_ALL || kind == TM_INTERACTION_POST;
}

uint32_t tm__release_object(const tm_model *model, const tm__interaction *row)
{
    const tm__thread *thread;

    if (row->object != TM__NONE || row->to_thread == TM__NONE ||
        row->to_interval == TM__NONE)
        return row->object;
    thread = &model->entities.threads[row->to_thread];
    if (row->to_interval < thread->interval_first ||
        row->to_interval - thread->interval_first >= thread->interval_count)
        return TM__NONE;
    return thread->intervals[row->to_interval - thread->interval_first].object;
}

/*
 *      release ──▶ waiter 1 ──▶ waiter 2 ──▶ ...       permits, a latch, a condition
 *
 * Each waiter that goes on wakes the next from within the call in which it waited.
 */
uint32_t tm__release_of(const tm__resources *all, uint32_t number,
                        uint32_t waiting_stack)
{
    const tm_model *model = all->model;

    for (int i = 0; i < WAKEUPS_FOLLOWED; i++) {
        const tm__interaction *row;
        const tm__interval *wait;

        if (number == TM__NONE || number < model->intervals.interactions_first)
            return TM__NONE;
        row = tm__row(model, number);
        if (!is_release(row->kind) || row->from_thread == TM__NONE ||
            row->provenance == TM_PROVENANCE_UNKNOWN)
            return TM__NONE;
        if ((row->kind != TM_INTERACTION_UNPARK && row->kind != TM_INTERACTION_POST) ||
            row->from_ns == INT64_MIN ||
            !is_same_call(all, row->from_stack, waiting_stack))
            return number;
        wait = wait_before(model, row, tm__release_object(model, row));
        number = wait ? wait[1].cause : TM__NONE;
    }
    return TM__NONE;
}

int tm__is_passed_on(const tm__resources *all, const tm__interaction *row)
{
    const tm__interval *wait;

    if ((row->kind != TM_INTERACTION_UNPARK && row->kind != TM_INTERACTION_POST) ||
        row->from_thread == TM__NONE || row->from_ns == INT64_MIN)
        return 0;
    wait = wait_before(all->model, row, tm__release_object(all->model, row));
    return wait && (row->is_sampled || is_same_call(all, row->from_stack, wait->stack));
}
