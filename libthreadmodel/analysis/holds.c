/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One march over the run, with the holder of each monitor at hand. A producer tells
 * neither enters that did not block nor exits: a hold ends where another thread got
 * the monitor from it, and one of which nothing shows the end is not counted.
 */
#include "analysis/holds.h"

static tm__change none(void)
{
    return (tm__change){TM__NONE, TM__NONE, TM__NONE, TM__NONE, TM__NONE};
}

/* The thread's wait for an object is over, and it has it now. */
static tm__change got(tm__holder *holders, uint32_t thread, const tm__interval *wait,
                      const tm__link *link, int64_t time_ns)
{
    tm__change change = none();
    tm__holder *holder;

    if (wait->object == TM__NONE)
        return change;
    holder = &holders[wait->object];
    switch (wait->state) {
    case TM_STATE_BLOCKED: change.released = link->from; break;
    case TM_STATE_REENTERING: change.released = holder->thread; break;
    case TM_STATE_WAITING:
    case TM_STATE_JOINING:
        /* Who ran out of time comes back without it where another has it. */
        if (link->kind == TM_INTERACTION_TIMEOUT && holder->thread != TM__NONE)
            return change;
        break;
    case TM_STATE_PARKED:
        if (wait->peer == TM__NONE || link->kind != TM_INTERACTION_UNPARK)
            return change;
        change.released = link->from;
        break;
    default: return change;
    }
    if (change.released == thread)
        change.released = TM__NONE;
    if (change.released != TM__NONE && change.released == holder->thread)
        change.hold = holder->hold;
    change.object = wait->object;
    change.gained = thread;
    change.stack = wait->stack;
    *holder = (tm__holder){thread, TM__NONE, time_ns};
    return change;
}

/* Who has what the thread begins to wait for. */
static uint32_t owner_of(const tm_model *model, uint32_t thread, uint32_t interval)
{
    const tm__thread *it = &model->threads[thread];
    const tm__interval *wait = &it->intervals[interval];
    uint32_t end;

    if (wait->peer != TM__NONE || wait->state != TM_STATE_BLOCKED)
        return wait->peer;
    end = tm__link_hold_up_end(it, interval);
    return end < it->interval_count ? tm__link_to(model, thread, end).from : TM__NONE;
}

static tm__change want(tm__holder *holders, const tm_model *model, uint32_t thread,
                       uint32_t interval)
{
    const tm__interval *wait = &model->threads[thread].intervals[interval];
    tm__change change = none();
    tm__holder *holder;
    uint32_t owner;

    if (wait->object == TM__NONE)
        return change;
    holder = &holders[wait->object];
    switch (wait->state) {
    case TM_STATE_WAITING:
    case TM_STATE_JOINING:
        if (holder->thread != thread)
            return change;
        change.released = thread;
        change.hold = holder->hold;
        *holder = (tm__holder){TM__NONE, TM__NONE, INT64_MIN};
        break;
    case TM_STATE_BLOCKED:
    case TM_STATE_REENTERING:
    case TM_STATE_PARKED:
        owner = owner_of(model, thread, interval);
        if (owner == TM__NONE && holder->thread == thread)
            *holder = (tm__holder){TM__NONE, TM__NONE, INT64_MIN};
        if (owner == TM__NONE || owner == thread || owner == holder->thread)
            return change;
        /* What was said in the instant of a handover was said before it. */
        if (holder->got_ns == wait->start_ns && holder->thread != thread)
            return change;
        change.gained = owner;
        *holder = (tm__holder){owner, TM__NONE, INT64_MIN};
        break;
    default: return change;
    }
    change.object = wait->object;
    return change;
}

tm__change tm__holders_follow(tm__holder *holders, const tm_model *model,
                              uint32_t thread, uint32_t interval, const tm__link *link)
{
    const tm__thread *it = &model->threads[thread];
    const tm__interval *now = &it->intervals[interval];

    if (now->flags & TM__INTERVAL_CONTINUES)
        return none();
    if (tm__is_stopped(now->state))
        return want(holders, model, thread, interval);
    if (now->state == TM_STATE_RUNNING && interval > 0 && tm__is_stopped(now[-1].state))
        return got(holders, thread,
                   &it->intervals[tm__link_hold_up_first(it, interval - 1)], link,
                   now->start_ns);
    return none();
}

static uint32_t find_place(tm__holds *holds, uint32_t object, uint32_t stack)
{
    const tm_model *model = holds->model;
    uint32_t class_index = model->objects[object].class_index;
    uint32_t caller = stack == TM__NONE ? TM__NONE : holds->callers[stack];
    tm__place place = {.class_name = TM__NONE, .method = TM__NONE};
    uint32_t *value;

    if (class_index != TM__NONE)
        place.class_name = model->classes[class_index].name;
    if (caller != TM__NONE && model->frames[caller].method != TM__NONE)
        place.method = model->methods[model->frames[caller].method].full_name;
    place.is_chosen = holds->chosen && holds->chosen[object];
    value = tm__triples_at(&holds->by_place, holds->memory, place.class_name,
                           place.method, place.is_chosen);
    if (!value)
        return TM__NONE;
    if (!*value) {
        if (tm__reserve(holds->memory, &holds->places, &holds->places_capacity,
                        (size_t)holds->places_count + 1, sizeof(place)) < 0)
            return TM__NONE;
        holds->places[holds->places_count++] = place;
        *value = holds->places_count;
    }
    return *value - 1;
}

/* Room for one hold more. There are millions: to grow an array would double them. */
static int reserve_hold(tm__holds *holds)
{
    tm__hold *chunk;

    if (holds->count < holds->chunks_count * TM__HOLD_CHUNK)
        return TM_OK;
    if (tm__reserve(holds->memory, &holds->chunks, &holds->chunks_capacity,
                    (size_t)holds->chunks_count + 1, sizeof(*holds->chunks)) < 0)
        return TM_ENOMEM;
    chunk = tm__resize(holds->memory, NULL, 0, TM__HOLD_CHUNK * sizeof(*chunk));
    if (!chunk)
        return TM_ENOMEM;
    holds->chunks[holds->chunks_count++] = chunk;
    return TM_OK;
}

/* A hold begins; its thread's come by rising time, for the march does. */
static int open_hold(tm__holds *holds, const tm__change *change, int64_t time_ns)
{
    uint32_t place = find_place(holds, change->object, change->stack);
    uint32_t *last = &holds->last[change->gained];

    if (place == TM__NONE || reserve_hold(holds) < 0)
        return TM_ENOMEM;
    if (*last == TM__NONE)
        holds->first[change->gained] = holds->count;
    else
        tm__hold_at(holds, *last)->next = holds->count;
    *last = holds->count;
    holds->holders[change->object].hold = holds->count;
    *tm__hold_at(holds, holds->count++) =
        (tm__hold){time_ns, INT64_MIN, place, TM__NONE};
    return TM_OK;
}

static void close_hold(tm__holds *holds, uint32_t hold, int64_t end_ns)
{
    tm__hold *it = tm__hold_at(holds, hold);

    if (end_ns <= it->start_ns)
        return;
    it->end_ns = end_ns;
    holds->places[it->place].holds++;
    holds->places[it->place].hold_ns += end_ns - it->start_ns;
}

uint32_t tm__holders_awaited(const tm__holder *holders, const tm_model *model,
                             uint32_t thread, uint32_t interval, const tm__link *link)
{
    const tm__interval *it = &model->threads[thread].intervals[interval];

    if (interval > 0 && it[-1].state == TM_STATE_REENTERING)
        return it[-1].object == TM__NONE ? TM__NONE : holders[it[-1].object].thread;
    return link->from_ns == INT64_MIN ? link->from : TM__NONE;
}

static int take(tm__holds *holds, tm__march *march, const tm__march_point *point)
{
    tm__link link = tm__link_to(holds->model, point->thread, point->number);
    uint32_t awaited = tm__holders_awaited(holds->holders, holds->model, point->thread,
                                           point->number, &link);
    int64_t end_ns = point->time_ns;
    tm__change change;

    if (awaited != TM__NONE && awaited != point->thread &&
        tm__march_is_coming(march, awaited, end_ns) && tm__march_defer(march))
        return TM_OK;
    change = tm__holders_follow(holds->holders, holds->model, point->thread,
                                point->number, &link);
    if (change.hold != TM__NONE) {
        if (change.released != point->thread)
            end_ns = link.from == change.released && link.from_ns != INT64_MIN &&
                             link.kind != TM_INTERACTION_NOTIFY &&
                             link.kind != TM_INTERACTION_NOTIFY_ALL
                         ? link.from_ns
                         : tm__march_able_ns(march, change.released, end_ns);
        close_hold(holds, change.hold, end_ns);
    }
    if (change.gained == TM__NONE)
        return TM_OK;
    return open_hold(holds, &change, point->time_ns);
}

static int open_all(tm__holds *holds, const tm__libraries *libraries)
{
    const tm_model *model = holds->model;
    size_t threads = (size_t)model->threads_count + 1;
    size_t objects = (size_t)model->objects_count + 1;

    holds->callers = tm__stack_callers(model, holds->memory, libraries);
    holds->first = tm__resize(holds->memory, NULL, 0, threads * sizeof(*holds->first));
    holds->last = tm__resize(holds->memory, NULL, 0, threads * sizeof(*holds->last));
    holds->holders =
        tm__resize(holds->memory, NULL, 0, objects * sizeof(*holds->holders));
    if (!holds->callers || !holds->first || !holds->last || !holds->holders)
        return TM_ENOMEM;
    for (size_t i = 0; i < threads; i++)
        holds->first[i] = holds->last[i] = TM__NONE;
    for (size_t i = 0; i < objects; i++)
        holds->holders[i] = (tm__holder){TM__NONE, TM__NONE, INT64_MIN};
    return TM_OK;
}

int tm__holds_gather(tm__holds *holds, const tm_model *model, tm__memory *memory,
                     tm__march *march, const uint8_t *chosen,
                     const tm__libraries *libraries)
{
    tm__march_point point;
    int rc;

    *holds = (tm__holds){.model = model, .memory = memory, .chosen = chosen};
    rc = open_all(holds, libraries);
    if (rc < 0)
        return rc;
    tm__march_start(march, 0);
    while (rc == TM_OK && tm__march_next(march, &point))
        if (!point.is_act)
            rc = take(holds, march, &point);
    return rc;
}

void tm__holds_free(tm__holds *holds)
{
    const tm_model *model = holds->model;
    size_t threads = (size_t)model->threads_count + 1;
    size_t objects = (size_t)model->objects_count + 1;

    tm__free(holds->memory, holds->callers,
             ((size_t)model->stacks_count + 1) * sizeof(*holds->callers));
    tm__free(holds->memory, holds->first, threads * sizeof(*holds->first));
    tm__free(holds->memory, holds->last, threads * sizeof(*holds->last));
    tm__free(holds->memory, holds->holders, objects * sizeof(*holds->holders));
    for (uint32_t i = 0; i < holds->chunks_count; i++)
        tm__free(holds->memory, holds->chunks[i], TM__HOLD_CHUNK * sizeof(tm__hold));
    tm__free(holds->memory, holds->chunks,
             holds->chunks_capacity * sizeof(*holds->chunks));
    tm__free(holds->memory, holds->places,
             holds->places_capacity * sizeof(*holds->places));
    tm__triples_free(&holds->by_place, holds->memory);
    *holds = (tm__holds){.model = model, .memory = holds->memory};
}
