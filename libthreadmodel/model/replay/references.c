/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities are named by their indexes in many places. All of them are listed here and
 * nowhere else, so that what marks entities which are in use and what renumbers those
 * that are kept cannot differ.
 */
#include "model/replay/references.h"

#include "model/deadlocks/deadlock_search.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure.h"
#include "model/replay/unit.h"
#include "model/state/model.h"
#include "model/wakeups/posts.h"

static void refer(tm__refer_fn fn, void *context, enum tm__reference kind,
                  uint32_t *reference)
{
    if (*reference != TM__NONE)
        fn(context, kind, reference);
}

void tm__refer_of_thread(tm_model *model, uint32_t thread, tm__refer_fn fn,
                         void *context)
{
    tm__thread *it = &model->entities.threads[thread];

    for (uint32_t i = 0; i < it->interval_count; i++) {
        refer(fn, context, TM__REFERS_OBJECT, &it->intervals[i].object);
        refer(fn, context, TM__REFERS_THREAD, &it->intervals[i].peer);
    }
    refer(fn, context, TM__REFERS_OBJECT, &it->wants);
    refer(fn, context, TM__REFERS_OBJECT, &it->waits_in);
    refer(fn, context, TM__REFERS_OBJECT, &it->object);
    refer(fn, context, TM__REFERS_THREAD, &it->joins);
    refer(fn, context, TM__REFERS_THREAD, &it->next);
    refer(fn, context, TM__REFERS_THREAD, &it->previous);
    refer(fn, context, TM__REFERS_LOOSE_OBJECT, &it->owned);
    refer(fn, context, TM__REFERS_LOOSE_THREAD, &it->carrier);
    refer(fn, context, TM__REFERS_PAST_THREAD, &it->interrupter);
    if (thread < model->intervals.wakes_count)
        refer(fn, context, TM__REFERS_PAST_THREAD,
              &model->intervals.wakes[thread].waker);
}

static void refer_of_post(tm_model *model, uint32_t post, tm__refer_fn fn,
                          void *context)
{
    tm__post *it = &model->wakeups.posts[post];

    refer(fn, context, TM__REFERS_PAST_THREAD, &it->thread);
    refer(fn, context, TM__REFERS_THREAD, &it->waiter);
    refer(fn, context, TM__REFERS_OBJECT, &it->object);
}

void tm__refer_of_object(tm_model *model, uint32_t object, tm__refer_fn fn,
                         void *context)
{
    tm__object *it = &model->entities.objects[object];
    tm__object_links *links = &model->entities.links[object];
    const tm__object_detail *detail = &model->entities.details[object];

    refer(fn, context, TM__REFERS_THREAD, &it->thread);
    refer(fn, context, TM__REFERS_THREAD, &it->waiter_head);
    refer(fn, context, TM__REFERS_THREAD, &it->waiter_tail);
    refer(fn, context, TM__REFERS_LOOSE_THREAD, &it->owner);
    refer(fn, context, TM__REFERS_LOOSE_OBJECT, &links->next);
    refer(fn, context, TM__REFERS_LOOSE_OBJECT, &links->previous);
    for (uint32_t i = detail->post_head; i != TM__NONE;
         i = model->wakeups.posts[i].next)
        refer_of_post(model, i, fn, context);
    if (detail->post_spare != TM__NONE)
        refer_of_post(model, detail->post_spare, fn, context);
}

static void refer_of_rows(tm_model *model, tm__refer_fn fn, void *context)
{
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        tm__interaction *row = &model->intervals.interactions[i];

        refer(fn, context, TM__REFERS_THREAD, &row->from_thread);
        refer(fn, context, TM__REFERS_THREAD, &row->to_thread);
        refer(fn, context, TM__REFERS_OBJECT, &row->object);
    }
    for (uint32_t i = 0; i < model->intervals.contexts_count; i++) {
        refer(fn, context, TM__REFERS_THREAD, &model->intervals.contexts[i].thread);
        refer(fn, context, TM__REFERS_OBJECT, &model->intervals.contexts[i].object);
    }
    for (uint32_t i = 0; i < model->ownership.tenures_count; i++)
        refer(fn, context, TM__REFERS_THREAD, &model->ownership.tenures[i].owner);
}

/* A cycle that was withdrawn is not listed. */
static void refer_of_cycles(tm_model *model, tm__refer_fn fn, void *context)
{
    for (uint32_t i = 0; i < model->deadlocks.cycles_count; i++) {
        const tm__deadlock *cycle = &model->deadlocks.cycles[i];
        tm__deadlock_member *members = &model->deadlocks.members[cycle->member_first];

        for (uint32_t m = 0; m < cycle->member_count; m++) {
            refer(fn, context,
                  cycle->withdrawn ? TM__REFERS_PAST_THREAD : TM__REFERS_THREAD,
                  &members[m].thread);
            refer(fn, context,
                  cycle->withdrawn ? TM__REFERS_LOOSE_OBJECT : TM__REFERS_OBJECT,
                  &members[m].object);
        }
    }
}

static void refer_of_nestings(tm_model *model, tm__refer_fn fn, void *context)
{
    tm__noted *stated = &model->ownership.stated;

    for (uint32_t i = 0; i < model->ownership.nestings_count; i++) {
        tm__nesting *it = &model->ownership.nestings[i];

        refer(fn, context, TM__REFERS_PAST_THREAD, &it->thread);
        if (it->is_coarse)
            continue; /* its keys are classes */
        refer(fn, context, TM__REFERS_OBJECT, &it->wanted);
        for (uint32_t h = 0; h < it->held_count; h++)
            refer(fn, context, TM__REFERS_OBJECT,
                  &model->ownership.helds[it->held_first + h].object);
    }
    if (!model->ownership.stated_left)
        return;
    refer(fn, context, TM__REFERS_THREAD, &stated->thread);
    /* Its last event names the lock that is wanted, and then it is noted. */
    for (uint32_t h = 0; h < stated->held_count; h++)
        refer(fn, context, TM__REFERS_OBJECT, &stated->held[h].object);
}

static void refer_of_units(tm_model *model, tm__refer_fn fn, void *context)
{
    for (uint32_t i = 0; i < model->replay.units_count; i++) {
        refer(fn, context, TM__REFERS_PAST_THREAD, &model->replay.units[i].thread);
        refer(fn, context, TM__REFERS_PAST_THREAD, &model->replay.units[i].on_thread);
        refer(fn, context, TM__REFERS_OBJECT, &model->replay.units[i].object);
    }
    for (uint32_t i = 0; i < model->replay.unit_moves_count; i++)
        refer(fn, context, TM__REFERS_PAST_THREAD, &model->replay.unit_moves[i].thread);
}

void tm__refer_of_run(tm_model *model, tm__refer_fn fn, void *context)
{
    refer_of_rows(model, fn, context);
    refer_of_cycles(model, fn, context);
    refer_of_nestings(model, fn, context);
    refer_of_units(model, fn, context);
    refer(fn, context, TM__REFERS_PAST_THREAD, &model->replay.shutdown_by);
}
