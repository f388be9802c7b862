/* SPDX-License-Identifier: Apache-2.0 */
/* The reason why one thread did not run at one instant. A few look-ups, a few times. */
#include "analysis/explain/explain_state.h"
#include "analysis/explain/explain_step.h"

#include "analysis/locks/shares.h"
#include "analysis/path/path_why.h"
#include "analysis/timeline/wakeup_edge.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/intervals/interval.h"
#include "model/wakeups/worker_loops.h"

int tm__explain_is_idle(const tm_model *model, uint32_t stack)
{
    return tm__frame_waits_for_work(model, tm__stack_caller(model, stack));
}

/* ---- owners ---- */

/** The share of a block at the instant. */
typedef struct found {
    int64_t at_ns;
    int has_share;
    tm__share share;
} found;

static int find_share(void *payload, const tm__share *share)
{
    found *f = payload;

    if (share->from_ns <= f->at_ns && f->at_ns <= share->to_ns) {
        f->share = *share;
        f->has_share = 1;
    }
    return TM_OK;
}

static int explain_block(tm__explanation *it, tm__step_of_chain *step, uint32_t first,
                         int64_t end_ns)
{
    found f = {.at_ns = it->at_ns};
    tm__dealer dealer = {.model = it->model,
                         .scope = &it->whole,
                         .add_share = find_share,
                         .payload = &f,
                         .short_holds_ns = it->short_holds_ns};
    int rc = tm__deal_block(&dealer, step->thread, first, end_ns, 1);

    step->reason = TM__REASON_NO_OWNER;
    if (rc < 0 || !f.has_share)
        return rc;
    step->provenance = f.share.provenance;
    if (f.share.kind == TM__SHARE_LATENCY)
        step->reason = TM__REASON_WAKEUP;
    if (f.share.kind == TM__SHARE_OWNER && f.share.owner != TM__NONE) {
        step->reason = TM__REASON_OWNER;
        step->next = f.share.owner;
    }
    return TM_OK;
}

/* In a deadlock the next member owns what this one wants. @return 0: it is in none */
static int explain_deadlock(const tm__explanation *it, tm__step_of_chain *step)
{
    const tm_model *model = it->model;

    for (uint32_t d = 0; d < model->deadlocks.cycles_count; d++) {
        const tm__deadlock *deadlock = &model->deadlocks.cycles[d];
        const tm__deadlock_member *members =
            &model->deadlocks.members[deadlock->member_first];

        if (deadlock->withdrawn || deadlock->time_ns > it->at_ns ||
            (deadlock->resolved_ns != INT64_MIN && deadlock->resolved_ns <= it->at_ns))
            continue;
        for (uint32_t i = 0; i < deadlock->member_count; i++) {
            if (members[i].thread != step->thread)
                continue;
            step->reason = TM__REASON_OWNER;
            step->next = members[(i + 1) % deadlock->member_count].thread;
            step->provenance = deadlock->suspected && !deadlock->confirmed
                                   ? TM_PROVENANCE_INFERRED
                                   : TM_PROVENANCE_REPORTED;
            return 1;
        }
    }
    return 0;
}

/* ---- waits ---- */

static void explain_wait(tm__explanation *it, tm__step_of_chain *step, uint32_t first,
                         uint32_t end)
{
    const tm_model *model = it->model;
    const tm__interval *wait = &model->entities.threads[step->thread].intervals[first];
    tm__wakeup_edge edge = tm__wakeup_edge_out(model, step->thread, first, end);

    if (wait->state == TM_STATE_JOINING && wait->peer != TM__NONE) {
        step->reason = TM__REASON_JOINED;
        step->next = wait->peer;
        step->provenance = wait->provenance;
        return;
    }
    if (tm__interval_is_idle(wait) || tm__explain_is_idle(model, wait->stack)) {
        step->reason = TM__REASON_IDLE;
        return;
    }
    if (wait->state == TM_STATE_IO && edge.from == TM__NONE) {
        step->reason = TM__REASON_IO;
        return;
    }
    if (wait->flags & TM__INTERVAL_TIMED_OUT) {
        step->reason = TM__REASON_TIMEOUT;
        return;
    }
    if (edge.from != TM__NONE && edge.from != step->thread) {
        step->reason = TM__REASON_WAKER;
        step->next = edge.from;
        step->provenance = edge.provenance;
        return;
    }
    step->reason = TM__REASON_NO_WAKER;
    step->why = tm__why_name(tm__path_why(model, step->thread, first, end));
}

/* ---- a step ---- */

static int explain_stopped(tm__explanation *it, tm__step_of_chain *step)
{
    const tm_model *model = it->model;
    const tm__thread *thread = &model->entities.threads[step->thread];
    uint32_t first = tm__interval_first_blocking(thread, step->interval);
    uint32_t end = tm__interval_after_blocking(thread, step->interval);
    int has_ended = end < thread->interval_count;
    int64_t end_ns = has_ended ? thread->intervals[end].start_ns : model->last_ns;

    step->end_ns = has_ended ? end_ns : INT64_MIN;
    if (explain_deadlock(it, step))
        return TM_OK;
    if (tm__is_block(model, &thread->intervals[first]))
        return explain_block(it, step, first, end_ns);
    explain_wait(it, step, first, end);
    return TM_OK;
}

static void explain_absence(const tm__explanation *it, tm__step_of_chain *step)
{
    const tm__thread *thread = &it->model->entities.threads[step->thread];
    uint32_t starter = tm__thread_starter(it->model, step->thread);

    if (thread->start_ns == INT64_MIN || thread->start_ns <= it->at_ns) {
        step->reason = TM__REASON_NOT_RECORDED;
    } else if (starter == TM__NONE) {
        step->reason = TM__REASON_NOT_STARTED;
    } else {
        step->reason = TM__REASON_STARTER;
        step->next = starter;
        step->provenance = TM_PROVENANCE_REPORTED;
    }
}

int tm__explain_step(tm__explanation *it, uint32_t thread, tm__step_of_chain *step)
{
    const tm__thread *at = &it->model->entities.threads[thread];

    *step = (tm__step_of_chain){.thread = thread,
                                .interval = tm__interval_at(at, it->at_ns),
                                .next = TM__NONE,
                                .end_ns = INT64_MIN,
                                .provenance = TM_PROVENANCE_UNKNOWN};
    if (step->interval == TM__NONE) {
        explain_absence(it, step);
        return TM_OK;
    }
    if (step->interval + 1 < at->interval_count)
        step->end_ns = at->intervals[step->interval + 1].start_ns;
    switch (at->intervals[step->interval].state) {
    case TM_STATE_RUNNING: step->reason = TM__REASON_RUNNING; return TM_OK;
    case TM_STATE_RUNNABLE: step->reason = TM__REASON_NO_PROCESSOR; return TM_OK;
    case TM_STATE_SLEEPING: step->reason = TM__REASON_ASLEEP; return TM_OK;
    case TM_STATE_NATIVE: step->reason = TM__REASON_NATIVE; return TM_OK;
    case TM_STATE_NEW: step->reason = TM__REASON_NOT_STARTED; return TM_OK;
    case TM_STATE_DEAD: step->reason = TM__REASON_ENDED; return TM_OK;
    case TM_STATE_UNKNOWN: step->reason = TM__REASON_NOT_RECORDED; return TM_OK;
    default: return explain_stopped(it, step);
    }
}
