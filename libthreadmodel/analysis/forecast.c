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
#include "analysis/forecast.h"

/** A scaled hold that its thread is in. */
typedef struct active {
    int64_t end_ns;
    uint32_t mask;
    uint32_t next; ///< actives[] of the same thread, or the next free one
} active;

/* A thread in more at once scales no further ones; programs have one or two. */
enum { ACTIVE_AT_MOST = 8 };

typedef struct clock {
    int64_t at_ns;   ///< lanes tell what this instant became; INT64_MIN: not begun
    uint32_t hold;   ///< the next to begin, or TM__NONE
    uint32_t active; ///< head of a list
    uint32_t active_count;
    uint32_t mask; ///< of all active ones
} clock;

typedef struct run {
    const tm_model *model;
    tm__memory *memory;
    tm__march *march;
    tm__forecast *forecast;
    uint32_t lanes;
    clock *clocks;      ///< a thread
    int64_t *now_ns;    ///< a thread's lanes
    int64_t *acts_ns;   ///< slots[]: lanes of an act that was done
    uint32_t *slots;    ///< an interaction: its slot + 1, or 0
    uint32_t slot_free; ///< head of a list through the slots' first lane
    uint32_t slot_count;
    uint32_t acts_ns_capacity; ///< in slots
    TM__ARRAY(active, actives);
    uint32_t active_free;
    tm__holder *holders; ///< an object
    int failed;
} run;

static int64_t *lanes_of(const run *r, uint32_t thread)
{
    return r->now_ns + (size_t)thread * r->lanes;
}

/* Move on by own time, scaled where a hold is on. */
static void work(const run *r, uint32_t thread, int64_t ns)
{
    int64_t *now_ns = lanes_of(r, thread);
    uint32_t mask = r->clocks[thread].mask;
    /* Exact for a factor of 1: whole numbers stay as they are. */
    int64_t scaled_ns = mask && r->forecast->factor != 1
                            ? (int64_t)((double)ns * r->forecast->factor + 0.5)
                            : ns;

    if (!mask)
        for (uint32_t l = 0; l < r->lanes; l++)
            now_ns[l] += ns;
    else
        for (uint32_t l = 0; l < r->lanes; l++)
            now_ns[l] += mask >> l & 1 ? scaled_ns : ns;
}

static uint32_t mask_of(const run *r, uint32_t hold)
{
    const tm__hold *it = &r->forecast->holds->items[hold];

    return it->end_ns == INT64_MIN ? 0 : r->forecast->masks[it->place];
}

static void find_next_hold(const run *r, clock *it)
{
    while (it->hold != TM__NONE && !mask_of(r, it->hold))
        it->hold = r->forecast->holds->items[it->hold].next;
}

static void begin_hold(run *r, clock *it)
{
    const tm__hold *hold = &r->forecast->holds->items[it->hold];
    uint32_t slot = r->active_free;

    if (it->active_count < ACTIVE_AT_MOST) {
        if (slot != TM__NONE) {
            r->active_free = r->actives[slot].next;
        } else if (tm__reserve(r->memory, &r->actives, &r->actives_capacity,
                               (size_t)r->actives_count + 1, sizeof(active)) < 0) {
            r->failed = 1;
            return;
        } else {
            slot = r->actives_count++;
        }
        r->actives[slot] = (active){hold->end_ns, mask_of(r, it->hold), it->active};
        it->active = slot;
        it->active_count++;
        it->mask |= r->actives[slot].mask;
    }
    it->hold = hold->next;
    find_next_hold(r, it);
}

static void end_holds(run *r, clock *it)
{
    uint32_t *link = &it->active;

    it->mask = 0;
    while (*link != TM__NONE) {
        uint32_t slot = *link;

        if (r->actives[slot].end_ns > it->at_ns) {
            it->mask |= r->actives[slot].mask;
            link = &r->actives[slot].next;
            continue;
        }
        *link = r->actives[slot].next;
        r->actives[slot].next = r->active_free;
        r->active_free = slot;
        it->active_count--;
    }
}

/* The next instant, up to `to_ns`, at which a hold of the thread begins or ends. */
static int64_t next_edge_ns(const run *r, const clock *it, int64_t to_ns)
{
    for (uint32_t i = it->active; i != TM__NONE; i = r->actives[i].next)
        if (r->actives[i].end_ns < to_ns)
            to_ns = r->actives[i].end_ns;
    if (it->hold != TM__NONE && r->forecast->holds->items[it->hold].start_ns < to_ns)
        to_ns = r->forecast->holds->items[it->hold].start_ns;
    return to_ns;
}

/* Bring a thread to a later instant, working or not. */
static void pass_time(run *r, uint32_t thread, int64_t to_ns, int works)
{
    clock *it = &r->clocks[thread];

    while (!r->failed) {
        int64_t edge_ns = next_edge_ns(r, it, to_ns);

        if (edge_ns > it->at_ns) {
            if (works)
                work(r, thread, edge_ns - it->at_ns);
            it->at_ns = edge_ns;
        }
        if (it->active != TM__NONE)
            end_holds(r, it);
        if (it->hold == TM__NONE ||
            r->forecast->holds->items[it->hold].start_ns > it->at_ns) {
            if (it->at_ns >= to_ns)
                return;
        } else {
            begin_hold(r, it);
        }
    }
}

static int is_inert_now(const run *r, uint32_t thread)
{
    uint32_t begun = r->march->threads[thread].interval;

    return begun > 0 &&
           tm__is_inert(r->model->threads[thread].intervals[begun - 1].state);
}

/* Lanes of a thread at an instant of the march, and the instant that they are of. */
static const int64_t *lanes_at(run *r, uint32_t thread, int64_t time_ns, int64_t *of_ns)
{
    clock *it = &r->clocks[thread];

    if (it->at_ns == INT64_MIN) { /* not yet seen: as early as it was */
        it->at_ns = time_ns;
        for (uint32_t l = 0; l < r->lanes; l++)
            lanes_of(r, thread)[l] = time_ns;
    }
    if (time_ns > it->at_ns && !is_inert_now(r, thread))
        pass_time(r, thread, time_ns, 1);
    *of_ns = it->at_ns < time_ns ? it->at_ns : time_ns;
    return lanes_of(r, thread);
}

static void keep_act(run *r, const tm__march_point *point)
{
    uint32_t *slot = &r->slots[point->number - r->model->interactions_first];
    const int64_t *lanes;
    uint32_t index = r->slot_free;
    int64_t of_ns;

    if (index != TM__NONE) {
        r->slot_free = (uint32_t)r->acts_ns[(size_t)index * r->lanes];
    } else if (tm__reserve(r->memory, &r->acts_ns, &r->acts_ns_capacity,
                           (size_t)r->slot_count + 1, r->lanes * sizeof(int64_t)) < 0) {
        r->failed = 1;
        return;
    } else {
        index = r->slot_count++;
    }
    lanes = lanes_at(r, point->thread, point->time_ns, &of_ns);
    for (uint32_t l = 0; l < r->lanes; l++)
        r->acts_ns[(size_t)index * r->lanes + l] = lanes[l];
    *slot = index + 1;
}

static void forget_act(run *r, uint32_t row)
{
    uint32_t *slot = &r->slots[row - r->model->interactions_first];

    r->acts_ns[(size_t)(*slot - 1) * r->lanes] = r->slot_free;
    r->slot_free = *slot - 1;
    *slot = 0;
}

/* The thread goes on at time_ns because of what another did at act_ns. */
static void wait_for(run *r, uint32_t thread, const int64_t *act, int64_t act_ns,
                     int64_t time_ns, int begins)
{
    clock *it = &r->clocks[thread];
    int64_t *now_ns = lanes_of(r, thread);
    int64_t since_ns = !begins && it->at_ns > act_ns ? it->at_ns : act_ns;

    for (uint32_t l = 0; l < r->lanes; l++) {
        int64_t from_ns = begins || act[l] > now_ns[l] ? act[l] : now_ns[l];

        now_ns[l] = from_ns + (time_ns - since_ns);
    }
    if (begins)
        it->at_ns = time_ns;
    else
        pass_time(r, thread, time_ns, 0);
}

/* By what a link names; 0 when that is to come first. */
static int follow(run *r, const tm__march_point *point, const tm__link *link,
                  int begins)
{
    const int64_t *lanes;
    int64_t act_ns = link->from_ns;

    if (link->row != TM__NONE && act_ns != INT64_MIN &&
        tm__march_has(tm__row(r->model, link->row))) {
        uint32_t slot = r->slots[link->row - r->model->interactions_first];

        if (!slot && act_ns == point->time_ns && tm__march_defer(r->march))
            return 0;
        if (slot) {
            lanes = r->acts_ns + (size_t)(slot - 1) * r->lanes;
            wait_for(r, point->thread, lanes, act_ns, point->time_ns, begins);
            forget_act(r, link->row);
            return 1;
        }
    }
    lanes = lanes_at(r, link->from, point->time_ns, &act_ns);
    wait_for(r, point->thread, lanes, act_ns, point->time_ns, begins);
    return 1;
}

static void begin_thread(run *r, uint32_t thread, int64_t time_ns)
{
    clock *it = &r->clocks[thread];

    if (it->at_ns != INT64_MIN)
        return;
    it->at_ns = time_ns;
    for (uint32_t l = 0; l < r->lanes; l++)
        lanes_of(r, thread)[l] = time_ns;
}

/* What an interval's beginning hangs on. */
static tm__link link_of(const run *r, const tm__march_point *point)
{
    tm__link link = tm__link_to(r->model, point->thread, point->number);

    if (point->number == 0 && !link.kind && point->thread == r->forecast->last_thread)
        link = (tm__link){.from = tm__link_predecessor(r->model, point->thread),
                          .row = TM__NONE,
                          .from_ns = INT64_MIN,
                          .kind = TM_INTERACTION_START};
    if (link.from == point->thread)
        link.from = TM__NONE;
    return link;
}

static void take_beginning(run *r, const tm__march_point *point)
{
    const tm__thread *thread = &r->model->threads[point->thread];
    const tm__interval *it = &thread->intervals[point->number];
    tm__link link = link_of(r, point);
    int stopped = point->number > 0 && tm__is_stopped(it[-1].state);
    uint32_t awaited;
    tm__change change;

    if (it->flags & TM__INTERVAL_CONTINUES)
        return;
    awaited =
        tm__holders_awaited(r->holders, r->model, point->thread, point->number, &link);
    if (awaited != TM__NONE && awaited != point->thread &&
        tm__march_is_coming(r->march, awaited, point->time_ns) &&
        tm__march_defer(r->march))
        return;
    if (link.kind == TM_INTERACTION_START && link.from != TM__NONE && !stopped) {
        if (!follow(r, point, &link, 1))
            return;
    } else if (stopped && link.from != TM__NONE &&
               it[-1].state != TM_STATE_REENTERING) {
        if (!follow(r, point, &link, 0))
            return;
    } else {
        begin_thread(r, point->thread, point->time_ns);
        if (!stopped || it[-1].state != TM_STATE_REENTERING)
            pass_time(r, point->thread, point->time_ns, 1);
    }
    change =
        tm__holders_follow(r->holders, r->model, point->thread, point->number, &link);
    if (!stopped || it[-1].state != TM_STATE_REENTERING)
        return;
    /* To enter again it had to wait for whoever had the monitor then. */
    if (change.released != TM__NONE) {
        link =
            (tm__link){.from = change.released, .row = TM__NONE, .from_ns = INT64_MIN};
        follow(r, point, &link, 0);
    } else {
        pass_time(r, point->thread, point->time_ns, 1);
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
    size_t threads = r->model->threads_count, objects = r->model->objects_count;

    r->clocks = tm__zalloc(r->memory, (threads + 1) * sizeof(clock));
    r->now_ns = tm__zalloc(r->memory, (threads + 1) * r->lanes * sizeof(int64_t));
    r->slots = tm__zalloc(r->memory, ((size_t)r->model->interactions_count + 1) *
                                         sizeof(*r->slots));
    r->holders = tm__resize(r->memory, NULL, 0, (objects + 1) * sizeof(tm__holder));
    if (!r->clocks || !r->now_ns || !r->slots || !r->holders)
        return TM_ENOMEM;
    for (size_t i = 0; i < threads; i++) {
        r->clocks[i] = (clock){.at_ns = INT64_MIN,
                               .hold = r->forecast->holds->first[i],
                               .active = TM__NONE};
        find_next_hold(r, &r->clocks[i]);
    }
    for (size_t i = 0; i < objects; i++)
        r->holders[i] = (tm__holder){TM__NONE, TM__NONE};
    return TM_OK;
}

static void free_all(run *r)
{
    size_t threads = r->model->threads_count, objects = r->model->objects_count;

    tm__free(r->memory, r->clocks, (threads + 1) * sizeof(clock));
    tm__free(r->memory, r->now_ns, (threads + 1) * r->lanes * sizeof(int64_t));
    tm__free(r->memory, r->slots,
             ((size_t)r->model->interactions_count + 1) * sizeof(*r->slots));
    tm__free(r->memory, r->holders, (objects + 1) * sizeof(tm__holder));
    tm__free(r->memory, r->acts_ns,
             (size_t)r->acts_ns_capacity * r->lanes * sizeof(int64_t));
    tm__free(r->memory, r->actives, r->actives_capacity * sizeof(active));
}

int tm__forecast_run(tm__forecast *forecast, const tm_model *model, tm__memory *memory,
                     tm__march *march)
{
    run r = {.model = model,
             .memory = memory,
             .march = march,
             .forecast = forecast,
             .lanes = forecast->lane_count,
             .slot_free = TM__NONE,
             .active_free = TM__NONE};
    tm__march_point point;

    r.failed = open_all(&r) < 0;
    tm__march_start(march, 0);
    while (!r.failed && tm__march_next(march, &point)) {
        if (point.is_act)
            keep_act(&r, &point);
        else
            take_beginning(&r, &point);
    }
    if (!r.failed)
        find_gains(&r);
    free_all(&r);
    return r.failed ? TM_ENOMEM : TM_OK;
}
