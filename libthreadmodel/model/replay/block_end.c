/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a block, which concerns every room: the graph of waits, the order of
 * locks, wait sets, permits. The events that end one call this, and so does each event
 * of a thread whose block should have ended before.
 */
#include "model/replay/block_end.h"

#include "model/deadlocks/wait_graph.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/binding.h"
#include "model/wakeups/posts.h"
#include "model/wakeups/wait_set.h"

void tm__blocking_end(tm_model *model, uint32_t thread, int64_t time_ns)
{
    const tm__thread *it = &model->entities.threads[thread];
    int waits = it->blocking_state == TM_STATE_WAITING ||
                it->blocking_state == TM_STATE_JOINING;

    tm__leave_queue(model, thread, time_ns);
    /* The rest of the line need not be looked at where it did not wait or join. */
    if (waits && it->joins != TM__NONE)
        tm__want_no_end(model, thread);
    if (waits && it->waits_in != TM__NONE)
        tm__wait_set_remove(&model->entities, thread);
    if (waits && model->intervals.wakes_count)
        tm__await_left(model, thread);
}

void tm__must_run(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];

    if (!thread->interval_count) {
        tm__run(model, fact->thread, fact->time_ns, TM__NONE);
        return;
    }
    switch (thread->blocking_state) {
    case TM_STATE_BLOCKED:
        model->diagnostics[TM_DIAGNOSTIC_ENTER_WITHOUT_ENTERED]++;
        break;
    case TM_STATE_WAITING:
    case TM_STATE_REENTERING:
        model->diagnostics[TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED]++;
        tm__bind_unseen_return(model, fact);
        break;
    case TM_STATE_JOINING:
        if (thread->waits_in != TM__NONE)
            model->diagnostics[TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED]++;
        else
            model->diagnostics[TM_DIAGNOSTIC_BEGIN_WITHOUT_END]++;
        tm__bind_unseen_return(model, fact);
        break;
    case TM_STATE_SLEEPING:
    case TM_STATE_PARKED:
    case TM_STATE_RUNNABLE:
    case TM_STATE_IO:
    case TM_STATE_NATIVE: model->diagnostics[TM_DIAGNOSTIC_BEGIN_WITHOUT_END]++; break;
    default: return;
    }
    tm__end_unseen(thread);
    tm__blocking_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, TM__NONE);
}
