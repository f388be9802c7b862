/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors. Few producers report them; those that do report each switch, so an
 * event costs one load beside the thread's own.
 *
 *     BLOCKED ─────────── runnable ─── on_cpu ─ entered ──
 *             BLOCKED             RUNNABLE      RUNNING
 *
 * A wake-up does not end a block: the thread may find the lock taken again. So it is
 * noted, and becomes a state of its own once the block's end is reported.
 */
#include "base/error.h"
#include "model/entities/fact.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

int tm__wake_reserve(tm_model *model)
{
    static const tm__wake unseen = {.runnable_ns = INT64_MIN,
                                    .on_cpu_ns = INT64_MIN,
                                    .waker = TM__NONE,
                                    .post = TM__NONE};

    if (tm__reserve(&model->memory, &model->intervals.wakes,
                    &model->intervals.wakes_capacity, model->entities.threads_count,
                    sizeof(*model->intervals.wakes)) < 0)
        return tm__failure();
    while (model->intervals.wakes_count < model->entities.threads_count)
        model->intervals.wakes[model->intervals.wakes_count++] = unseen;
    return TM_OK;
}

int tm__cpu_uses_reserve(tm_model *model)
{
    static const tm__cpu_use unknown = {.ran_ns = -1, .waited_ns = -1};

    if (tm__reserve(&model->memory, &model->intervals.cpu_uses,
                    &model->intervals.cpu_uses_capacity, model->entities.threads_count,
                    sizeof(*model->intervals.cpu_uses)) < 0)
        return tm__failure();
    while (model->intervals.cpu_uses_count < model->entities.threads_count)
        model->intervals.cpu_uses[model->intervals.cpu_uses_count++] = unknown;
    return TM_OK;
}

int tm__on_cpu_use(tm_model *model, const tm__fact *fact)
{
    tm__cpu_use *use;
    int64_t *counter;

    if (tm__cpu_uses_reserve(model) < 0)
        return tm__failure();
    use = &model->intervals.cpu_uses[fact->thread];
    counter = fact->kind == TM_EVENT_CPU_TIME ? &use->ran_ns : &use->waited_ns;
    if (fact->value > *counter)
        *counter = fact->value;
    return TM_OK;
}

int64_t tm__cpu_time_ns(const tm__intervals *intervals, uint32_t thread)
{
    return thread < intervals->cpu_uses_count ? intervals->cpu_uses[thread].ran_ns : -1;
}

int64_t tm__cpu_wait_ns(const tm__intervals *intervals, uint32_t thread)
{
    return thread < intervals->cpu_uses_count ? intervals->cpu_uses[thread].waited_ns
                                              : -1;
}

/* Blocked in any way, or not begun: a wake-up alone does not end that. */
static int is_held_back(const tm__thread *thread)
{
    return tm__is_blocked(thread) || thread->state == TM_STATE_NEW;
}

/* It has left its processor: it may run and does not, or waits. */
static void leave_processor(tm_model *model, const tm__fact *fact, int state)
{
    tm__begin(model, fact->thread, fact->time_ns,
              (tm__interval){.state = (uint8_t)state,
                             .object = TM__NONE,
                             .stack = fact->stack,
                             .peer = TM__NONE,
                             .cause = TM__NONE});
}

/* It runs, or could. */
static inline tm__interval active(int state, uint32_t cause)
{
    return (tm__interval){.state = (uint8_t)state,
                          .object = TM__NONE,
                          .stack = TM__NONE,
                          .peer = TM__NONE,
                          .cause = cause};
}

/* It begins to run: since its wake-up it was runnable. Most producers report no
 * wake-ups: tm__run() is shorter without this. */
static __attribute__((noinline)) void run_woken(tm_model *model, uint32_t thread,
                                                int64_t time_ns, uint32_t cause)
{
    tm__wake *wake = &model->intervals.wakes[thread];
    tm__thread *it = &model->entities.threads[thread];
    int64_t since_ns = wake->runnable_ns;

    wake->runnable_ns = INT64_MIN;
    if (since_ns != INT64_MIN && is_held_back(it) && since_ns <= time_ns &&
        since_ns >= tm__blocked_since_ns(it)) {
        tm__begin(model, thread, since_ns, active(TM_STATE_RUNNABLE, cause));
        cause = TM__NONE;
        if (wake->on_cpu_ns != INT64_MIN && wake->on_cpu_ns < time_ns)
            time_ns = wake->on_cpu_ns;
    }
    tm__begin(model, thread, time_ns, active(TM_STATE_RUNNING, cause));
}

void tm__run(tm_model *model, uint32_t thread, int64_t time_ns, uint32_t cause)
{
    if (thread < model->intervals.wakes_count)
        run_woken(model, thread, time_ns, cause);
    else
        tm__begin(model, thread, time_ns, active(TM_STATE_RUNNING, cause));
}

void tm__on_runnable(tm_model *model, const tm__fact *fact)
{
    tm__wake *wake = &model->intervals.wakes[fact->thread];
    const tm__thread *thread = &model->entities.threads[fact->thread];

    if (!is_held_back(thread)) {
        if (thread->state != TM_STATE_RUNNABLE)
            leave_processor(model, fact, TM_STATE_RUNNABLE);
        return;
    }
    /* Woken twice before it ran: the first time counts. */
    if (wake->runnable_ns >= thread->since_ns && wake->on_cpu_ns == INT64_MIN)
        return;
    wake->runnable_ns = fact->time_ns;
    wake->on_cpu_ns = INT64_MIN;
    wake->waker = fact->peer;
}

void tm__on_cpu(tm_model *model, const tm__fact *fact)
{
    tm__wake *wake = &model->intervals.wakes[fact->thread];
    const tm__thread *thread = &model->entities.threads[fact->thread];

    if (is_held_back(thread)) {
        if (wake->runnable_ns != INT64_MIN && wake->on_cpu_ns == INT64_MIN)
            wake->on_cpu_ns = fact->time_ns;
    } else if (thread->state != TM_STATE_RUNNING) {
        tm__run(model, fact->thread, fact->time_ns, TM__NONE);
    }
}

void tm__off_cpu(tm_model *model, const tm__fact *fact)
{
    const tm__thread *thread = &model->entities.threads[fact->thread];
    int state = fact->flags & TM_EVENT_VOLUNTARY ? TM_STATE_NATIVE : TM_STATE_RUNNABLE;

    if (is_held_back(thread)) /* it had not got to what it was woken for */
        model->intervals.wakes[fact->thread].on_cpu_ns = INT64_MIN;
    else if (thread->state != state)
        leave_processor(model, fact, state);
    else
        model->diagnostics[TM_DIAGNOSTIC_BEGIN_WITHOUT_END]++;
}

uint32_t tm__waker(const tm_model *model, uint32_t thread)
{
    const tm__wake *wake;

    if (thread >= model->intervals.wakes_count)
        return TM__NONE;
    wake = &model->intervals.wakes[thread];
    return wake->runnable_ns >= tm__blocked_since_ns(&model->entities.threads[thread])
               ? wake->waker
               : TM__NONE;
}
