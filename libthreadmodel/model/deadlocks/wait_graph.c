/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait-for graph, as counters and links beside each thread and object: an edge is
 * added when a thread queues or joins, and removed when its block ends.
 */
#include "model/deadlocks/wait_graph.h"

#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

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
    tm__edge_goes(model,
                  &model->entities.threads[thread]); /* what it wanted, if it did */
    model->entities.threads[thread].joins = joined;
    model->deadlocks.blocked_count++;
    model->entities.threads[joined].wanted++;
}

void tm__want_no_end(tm_model *model, uint32_t thread)
{
    tm__thread *it = &model->entities.threads[thread];

    tm__edge_goes(model, it);
    model->entities.threads[it->joins].wanted--;
    model->deadlocks.blocked_count--;
    it->joins = TM__NONE;
}
