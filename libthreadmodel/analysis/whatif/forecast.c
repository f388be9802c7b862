/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One march forward over the run, which carries for each thread the times at which
 * it would have been where it was: a lane for each what-if, so that the march, the
 * dearer part, is shared by 32 of them.
 *
 *     A  ──s·········e───      new(e) = max(new(s), new(w)) + e - max(s, w)
 *     B  ──────────w────       own work moves on by its length, or by the factor
 *                              times its length where a scaled hold is on
 *
 * Sleeps, time limits, and hold-ups that nothing explains take as long as they took.
 */
#include "analysis/whatif/forecast.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/whatif/clocks.h"
#include "model/interval.h"
#include "model/thread.h"

typedef struct run {
    const tm_model *model;
    tm__memory *memory;
    tm__time_merge *merge;
    tm__forecast *forecast;
    uint32_t lanes;
    tm__clocks clocks;
    int64_t *wakeups_ns; ///< slots: lanes of an act that was done, until it is used
    uint32_t *slots;     ///< one of the march's acts[]: its slot + 1, or 0
    uint32_t slot_free;  ///< head of a list through the slots' first lane
    uint32_t slot_count;
    uint32_t wakeups_ns_capacity; ///< in slots
    int failed;
} run;

static int is_inert_now(const run *r, uint32_t thread)
{
    uint32_t begun = r->merge->threads[thread].interval;

    return begun > 0 &&
           tm__is_inert(r->model->threads[thread].intervals[begun - 1].state);
}

/* Lanes of a thread at an instant of the march, and the instant that they are of. */
static const int64_t *lanes_at(run *r, uint32_t thread, int64_t time_ns, int64_t *of_ns)
{
    const tm__clock *it = &r->clocks.items[thread];

    tm__clock_begin(&r->clocks, thread, time_ns);
    if (time_ns > it->at_ns && !is_inert_now(r, thread))
        tm__clock_pass(&r->clocks, thread, time_ns, 1);
    *of_ns = it->at_ns < time_ns ? it->at_ns : time_ns;
    return tm__clock_lanes(&r->clocks, thread);
}

static void keep_wakeup(run *r, const tm__time_merge_point *point)
{
    uint32_t wakeup = tm__time_merge_wakeup(r->merge, point->number);
    const int64_t *lanes;
    uint32_t index = r->slot_free;
    int64_t of_ns;

    if (index != TM__NONE) {
        r->slot_free = (uint32_t)r->wakeups_ns[(size_t)index * r->lanes];
    } else if (tm__reserve(r->memory, &r->wakeups_ns, &r->wakeups_ns_capacity,
                           (size_t)r->slot_count + 1, r->lanes * sizeof(int64_t)) < 0) {
        r->failed = 1;
        return;
    } else {
        index = r->slot_count++;
    }
    lanes = lanes_at(r, point->thread, point->time_ns, &of_ns);
    for (uint32_t l = 0; l < r->lanes; l++)
        r->wakeups_ns[(size_t)index * r->lanes + l] =
            lanes[l] + (point->time_ns - of_ns);
    r->slots[wakeup] = index + 1;
}

static void forget_wakeup(run *r, uint32_t wakeup)
{
    uint32_t *slot = &r->slots[wakeup];

    r->wakeups_ns[(size_t)(*slot - 1) * r->lanes] = r->slot_free;
    r->slot_free = *slot - 1;
    *slot = 0;
}

/* The thread goes on at time_ns because of what another did at act_ns. */
static void wait_for(run *r, uint32_t thread, const int64_t *wakeup, int64_t wakeup_ns,
                     int64_t time_ns, int begins)
{
    tm__clock *it = &r->clocks.items[thread];
    int64_t *now_ns = tm__clock_lanes(&r->clocks, thread);
    int64_t since_ns = !begins && it->at_ns > wakeup_ns ? it->at_ns : wakeup_ns;

    for (uint32_t l = 0; l < r->lanes; l++) {
        int64_t from_ns = begins || wakeup[l] > now_ns[l] ? wakeup[l] : now_ns[l];

        now_ns[l] = from_ns + (time_ns - since_ns);
    }
    if (begins)
        it->at_ns = time_ns;
    else
        tm__clock_pass(&r->clocks, thread, time_ns, 0);
}

/* By what a link names; 0 when that is to come first. */
static int follow(run *r, const tm__time_merge_point *point,
                  const tm__wakeup_edge *edge, int begins)
{
    const int64_t *lanes;
    int64_t wakeup_ns = edge->from_ns;
    uint32_t wakeup = edge->row == TM__NONE || wakeup_ns == INT64_MIN
                          ? TM__NONE
                          : tm__time_merge_wakeup(r->merge, edge->row);

    if (wakeup != TM__NONE && !r->slots[wakeup] && wakeup_ns == point->time_ns &&
        tm__time_merge_defer(r->merge))
        return 0;
    if (wakeup != TM__NONE && r->slots[wakeup]) {
        lanes = r->wakeups_ns + (size_t)(r->slots[wakeup] - 1) * r->lanes;
        wait_for(r, point->thread, lanes, wakeup_ns, point->time_ns, begins);
        forget_wakeup(r, wakeup);
        return 1;
    }
    lanes = lanes_at(r, edge->from, point->time_ns, &wakeup_ns);
    wait_for(r, point->thread, lanes, wakeup_ns, point->time_ns, begins);
    return 1;
}

/* What an interval's beginning hangs on. */
static tm__wakeup_edge link_of(const run *r, const tm__time_merge_point *point)
{
    tm__wakeup_edge edge = tm__wakeup_edge_to(r->model, point->thread, point->number);

    if (point->number == 0 && !edge.kind && point->thread == r->forecast->last_thread)
        edge =
            (tm__wakeup_edge){.from = tm__thread_predecessor(r->model, point->thread),
                              .row = TM__NONE,
                              .from_ns = INT64_MIN,
                              .kind = TM_INTERACTION_START};
    if (edge.from == point->thread)
        edge.from = TM__NONE;
    return edge;
}

static void read_beginning(run *r, const tm__time_merge_point *point)
{
    const tm__thread *thread = &r->model->threads[point->thread];
    const tm__interval *it = &thread->intervals[point->number];
    tm__wakeup_edge edge = link_of(r, point);
    int stopped = point->number > 0 && tm__is_stopped(it[-1].state);
    uint32_t awaited, behind;

    if (it->flags & TM__INTERVAL_CONTINUES)
        return;
    behind = tm__reentry_behind(r->model, point->thread, point->number);
    awaited = behind != TM__NONE          ? behind
              : edge.from_ns == INT64_MIN ? edge.from
                                          : TM__NONE;
    if (awaited != TM__NONE && awaited != point->thread &&
        tm__time_merge_is_coming(r->merge, awaited, point->time_ns) &&
        tm__time_merge_defer(r->merge))
        return;
    if (edge.kind == TM_INTERACTION_START && edge.from != TM__NONE && !stopped) {
        if (!follow(r, point, &edge, 1))
            return;
    } else if (stopped && edge.from != TM__NONE &&
               it[-1].state != TM_STATE_REENTERING) {
        if (!follow(r, point, &edge, 0))
            return;
    } else {
        tm__clock_begin(&r->clocks, point->thread, point->time_ns);
        if (!stopped || it[-1].state != TM_STATE_REENTERING)
            tm__clock_pass(&r->clocks, point->thread, point->time_ns, 1);
    }
    if (!stopped || it[-1].state != TM_STATE_REENTERING)
        return;
    /* To enter again it had to wait for whoever had the monitor then. */
    if (behind != TM__NONE) {
        edge = (tm__wakeup_edge){.from = behind, .row = TM__NONE, .from_ns = INT64_MIN};
        follow(r, point, &edge, 0);
    } else {
        tm__clock_pass(&r->clocks, point->thread, point->time_ns, 1);
    }
}

static int is_program(const tm__thread *thread)
{
    return !(thread->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT));
}

/* The end is when the last thread of the program has done its last. */
static void find_gains(run *r)
{
    int64_t *gain_ns = r->forecast->gain_ns;
    int64_t old_ns = INT64_MIN, new_ns[TM__FORECAST_LANES], of_ns;
    int daemons = 1;

    for (uint32_t i = 0; i < r->model->threads_count; i++)
        if (is_program(&r->model->threads[i]) && r->model->threads[i].interval_count)
            daemons = 0;
    for (uint32_t l = 0; l < r->lanes; l++)
        new_ns[l] = INT64_MIN;
    for (uint32_t i = 0; i < r->model->threads_count; i++) {
        const tm__thread *it = &r->model->threads[i];
        const int64_t *lanes;

        if (!it->interval_count || (!daemons && !is_program(it)))
            continue;
        lanes = lanes_at(r, i, it->last_ns, &of_ns);
        if (of_ns > old_ns)
            old_ns = of_ns;
        for (uint32_t l = 0; l < r->lanes; l++)
            if (lanes[l] > new_ns[l])
                new_ns[l] = lanes[l];
    }
    for (uint32_t l = 0; l < r->forecast->lane_count; l++)
        gain_ns[l] = old_ns == INT64_MIN ? 0 : old_ns - new_ns[l];
}

static int open_all(run *r)
{
    size_t wakeups = (size_t)r->merge->wakeup_count + 1;

    r->slots = tm__zalloc(r->memory, wakeups * sizeof(*r->slots));
    if (tm__clocks_open(&r->clocks) < 0 || !r->slots)
        return TM_ENOMEM;
    return TM_OK;
}

static void close_all(run *r)
{
    size_t wakeups = (size_t)r->merge->wakeup_count + 1;

    tm__clocks_close(&r->clocks);
    tm__free(r->memory, r->slots, wakeups * sizeof(*r->slots));
    tm__free(r->memory, r->wakeups_ns,
             (size_t)r->wakeups_ns_capacity * r->lanes * sizeof(int64_t));
}

int tm__forecast_run(tm__forecast *forecast, const tm_model *model, tm__memory *memory,
                     tm__time_merge *merge)
{
    run r = {.model = model,
             .memory = memory,
             .merge = merge,
             .forecast = forecast,
             .lanes = forecast->lane_count,
             .slot_free = TM__NONE,
             .clocks = {.holds = forecast->holds,
                        .masks = forecast->masks,
                        .memory = memory,
                        .factor = forecast->factor,
                        .lanes = forecast->lane_count,
                        .thread_count = model->threads_count}};
    tm__time_merge_point point;

    r.failed = open_all(&r) < 0;
    tm__time_merge_start(merge, 0);
    while (!r.failed && !r.clocks.failed && tm__time_merge_next(merge, &point)) {
        if (point.is_wakeup)
            keep_wakeup(&r, &point);
        else
            read_beginning(&r, &point);
    }
    if (!r.failed && !r.clocks.failed)
        find_gains(&r);
    close_all(&r);
    return r.failed || r.clocks.failed ? TM_ENOMEM : TM_OK;
}
