/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom, as counters and links beside each thread and object: an edge
 * comes when a thread queues or joins, and goes when its block ends.
 */
#include "model/deadlocks/wait_graph.h"

#include "model/deadlocks/deadlock_search.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/owner_facts.h"
#include "model/state/model.h"

/* Where others wait for the thread, chains that led over it lead elsewhere. */
static void edge_goes(tm_model *model, const tm__thread *thread)
{
    model->ownership.edges_gone += thread->wanted > 0;
}

void tm__want(tm_model *model, uint32_t thread, uint32_t object)
{
    tm__object *wanted = &model->entities.objects[object];

    model->entities.threads[thread].wants = object;
    model->deadlocks.blocked_count++;
    wanted->wanted++;
    if (wanted->owner != TM__NONE)
        model->entities.threads[wanted->owner].wanted++;
}

void tm__want_end_of(tm_model *model, uint32_t thread, uint32_t joined)
{
    edge_goes(model, &model->entities.threads[thread]); /* what it wanted, if it did */
    model->entities.threads[thread].joins = joined;
    model->deadlocks.blocked_count++;
    model->entities.threads[joined].wanted++;
}

static void want_nothing(tm_model *model, tm__thread *thread)
{
    tm__object *wanted = &model->entities.objects[thread->wants];

    edge_goes(model, thread);
    thread->wants = TM__NONE;
    model->deadlocks.blocked_count--;
    wanted->wanted--;
    if (wanted->owner != TM__NONE)
        model->entities.threads[wanted->owner].wanted--;
}

void tm__leave_queue(tm_model *model, uint32_t thread, int64_t time_ns)
{
    tm__thread *it = &model->entities.threads[thread];

    if (it->owned != TM__NONE && it->wants != TM__NONE)
        tm__order_note(model, thread);
    if (it->deadlock != TM__NONE)
        tm__deadlock_leave(model, thread, time_ns);
    if (it->wants != TM__NONE) {
        tm__name_owner(model, thread);
        want_nothing(model, it);
    }
}

void tm__want_no_end(tm_model *model, uint32_t thread)
{
    tm__thread *it = &model->entities.threads[thread];

    edge_goes(model, it);
    model->entities.threads[it->joins].wanted--;
    model->deadlocks.blocked_count--;
    it->joins = TM__NONE;
}
