/* SPDX-License-Identifier: Apache-2.0 */
/* The activities of the world's threads: a random program each. */
#include "world.h"

static bool holds(const struct thread *th, int object)
{
    for (int i = 0; i < th->held_count; i++)
        if (th->held[i] == object)
            return true;
    return false;
}

static void release_last(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int object = th->held[--th->held_count];

    if (w->objects[object].is_synchronizer)
        sync_release(w, t, object);
    else
        monitor_exit(w, t, object);
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

static void lock_some(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int first = w->thread_count;
    int object = first + (int)chance_below(w, w->lock_count - first);
    int last = th->held_count ? th->held[th->held_count - 1] : -1;

    if (th->held_count == MAX_HELD ||
        (!w->config.disorder && !holds(th, object) && object < last) ||
        (w->objects[object].is_synchronizer && holds(th, object))) {
        at(w, t, STEP, 1 + chance_below(w, 60), 0);
    } else if (w->objects[object].is_synchronizer) {
        sync_acquire(w, t, object, (int)chance_below(w, 3));
    } else {
        th->held[th->held_count++] = object;
        monitor_enter(w, t, object, true);
    }
}

static int some_thread(struct world *w, int t)
{
    int other = (int)chance_below(w, w->thread_count);

    return other == t ? (other + 1) % w->thread_count : other;
}

static bool is_alive(const struct world *w, int t)
{
    int state = w->threads[t].state;

    return state != TM_STATE_UNKNOWN && state != TM_STATE_NEW && state != TM_STATE_DEAD;
}

static void unpark_some(struct world *w, int t)
{
    int target = some_thread(w, t);

    if (is_alive(w, target))
        park_unpark(w, t, target);
    at(w, t, STEP, 1 + chance_below(w, 60), 0);
}

/* Where nothing races it takes effect in the order of the events of its instant. */
static void deliver_interrupt(struct world *w, int t, int64_t late_ns, int interrupter)
{
    struct timer_entry now = {.token = w->threads[t].token,
                              .thread = t,
                              .argument = interrupter,
                              .timer = INTERRUPT};

    if (w->config.full)
        world_dispatch(w, &now);
    else
        at(w, t, INTERRUPT, late_ns, interrupter);
}

static void interrupt_some(struct world *w, int t)
{
    int target = some_thread(w, t);
    struct thread *th = &w->threads[target];
    int64_t late_ns;
    bool seen;
    struct act a = {w->now_ns, TM_EVENT_INTERRUPT_CALLED, t, target, 0, false};

    late_ns = lag(w);
    at(w, t, STEP, late_ns + 1 + chance_below(w, 60), 0);
    if (!is_alive(w, target))
        return;
    seen = emit(w, t, TM_EVENT_INTERRUPT_CALLED, NONE, target, 0, 0);
    a.seen = seen;
    APPEND(w, act, a);
    if (late_ns > 0)
        at(w, target, STALE, late_ns, 0);
    if (th->interrupted)
        return;
    th->interrupted = true;
    if (monitor_interrupt(w, target) || th->state == TM_STATE_SLEEPING ||
        th->state == TM_STATE_JOINING)
        deliver_interrupt(w, target, late_ns, t);
    else if (th->state == TM_STATE_PARKED && !th->waking) {
        th->waking = true;
        truth_cause(w, target, CAUSE_INTERRUPT, t, seen);
        at(w, target, UNPARK, 1 + lag(w), CAUSE_INTERRUPT);
    }
}

static void start_some(struct world *w, int t)
{
    int child = 0;

    at(w, t, STEP, 1 + chance_below(w, 60), 0);
    while (child < w->thread_count && w->threads[child].state != TM_STATE_UNKNOWN)
        child++;
    if (child == w->thread_count)
        return;
    truth_hold(w, child, NONE, TM_STATE_NEW,
               emit(w, t, TM_EVENT_THREAD_START_CALLED, NONE, child, 0, 0));
    truth_cause(w, child, CAUSE_NONE, t, w->holds[w->threads[child].hold].begin_seen);
    truth_state(w, child, TM_STATE_NEW, SHOWN);
    at(w, child, BEGIN, 1 + chance_below(w, 100), t);
}

static void join_some(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int target = some_thread(w, t);

    if (!is_alive(w, target) || th->held_count == MAX_HELD) {
        at(w, t, STEP, 1 + chance_below(w, 60), 0);
    } else if (w->config.join_by_wait && !w->threads[target].is_virtual) {
        th->held[th->held_count++] = target;
        monitor_enter(w, t, target, false);
    } else {
        join_begin(w, t, target, chance(w, 80) ? 1 + chance_below(w, 600) : 0);
    }
}

/* In join: it owns the thread object, and waits while the thread lives. */
static void join_go_on(struct world *w, int t, int target)
{
    struct thread *th = &w->threads[t];

    if (w->threads[target].state == TM_STATE_DEAD || chance(w, 30)) {
        release_last(w, t);
        return;
    }
    th->target = NONE;
    monitor_wait(w, t, target, chance(w, 80) ? 1 + chance_below(w, 600) : 0, target);
}

static void end_thread(struct world *w, int t)
{
    emit(w, t, TM_EVENT_THREAD_END, NONE, NONE, 0, 0);
    truth_state(w, t, TM_STATE_DEAD, SHOWN);
    w->threads[t].token++;
    monitor_death(w, t);
    for (int i = 0; i < w->thread_count; i++) {
        struct thread *joiner = &w->threads[i];

        if (joiner->state != TM_STATE_JOINING || joiner->target != t ||
            w->holds[joiner->hold].object != NONE)
            continue;
        truth_cause(w, i, CAUSE_DEATH, t, true);
        joiner->waking = true;
        at(w, i, JOINEE, 1 + lag(w), 0);
    }
}

static void act_on_monitor(struct world *w, int t, int object)
{
    int64_t chosen = chance_below(w, 100);

    if (chosen < 40)
        monitor_wait(w, t, object, chance(w, 85) ? 1 + chance_below(w, 1200) : 0, NONE);
    else
        monitor_notify(w, t, object, chosen > 80);
}

/* Keeps the others from being stuck for good, and is never stuck itself. */
static void help(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int first = w->thread_count;
    int object = first + (int)chance_below(w, w->config.monitor_count);
    int64_t chosen = chance_below(w, 100);

    if (th->held_count > 0 && chosen < 60)
        monitor_notify(w, t, th->held[0], chosen < 15);
    else if (th->held_count > 0)
        release_last(w, t);
    else if (chosen < 70 && w->objects[object].owner == NONE) {
        th->held[th->held_count++] = object;
        monitor_enter(w, t, object, false);
    } else if (chosen < 85)
        unpark_some(w, t);
    else if (chosen < 90)
        interrupt_some(w, t);
    else
        start_some(w, t);
}

/* Threads that take locks and give them up, and do little else. */
static void step_among_locks(struct world *w, int t, int last, int64_t chosen)
{
    struct thread *th = &w->threads[t];
    enum lock_kind kind = last == NONE ? MONITOR : w->objects[last].kind;

    if (th->life <= 0 && last == NONE)
        end_thread(w, t);
    else if (th->life <= 0)
        release_last(w, t);
    else if (last != NONE && kind == MONITOR && chosen < 15)
        act_on_monitor(w, t, last);
    else if (kind == SYNCHRONIZER && chosen < 8)
        sync_await(w, t, last, chance(w, 70) ? 1 + chance_below(w, 1200) : 0);
    else if (kind == SYNCHRONIZER && chosen < 20)
        sync_signal(w, t, last);
    else if (last != NONE && chosen < 70)
        release_last(w, t);
    else if (chosen < 90)
        lock_some(w, t);
    else if (chosen < 92)
        sleep_begin(w, t, 1 + chance_below(w, 300));
    else if (chosen < 94)
        interrupt_some(w, t);
    else if (chosen < 97)
        start_some(w, t);
    else
        at(w, t, STEP, 1 + chance_below(w, 400), 0);
}

void program_step(struct world *w, int t)
{
    struct thread *th = &w->threads[t];
    int last = th->held_count ? th->held[th->held_count - 1] : NONE;
    int64_t chosen = chance_below(w, 100);

    if (sync_go_on(w, t))
        return;
    th->life--;
    w->steps_left--;
    if (w->config.locks)
        step_among_locks(w, t, last, chosen);
    else if (w->config.helper && t == 0)
        help(w, t);
    else if (last != NONE && last < w->thread_count)
        join_go_on(w, t, last);
    else if (th->life <= 0 && last != NONE)
        release_last(w, t);
    else if (th->life <= 0)
        end_thread(w, t);
    else if (last != NONE && !w->objects[last].is_synchronizer && chosen < 40)
        act_on_monitor(w, t, last);
    else if (last != NONE && chosen < 60)
        release_last(w, t);
    else if (chosen < 78)
        lock_some(w, t);
    else if (chosen < 82)
        sleep_begin(w, t, 1 + chance_below(w, 300));
    else if (chosen < 86)
        park_begin(w, t, NONE, chance(w, 90) ? 1 + chance_below(w, 300) : 0);
    else if (chosen < 90)
        unpark_some(w, t);
    else if (chosen < 93)
        interrupt_some(w, t);
    else if (chosen < 96)
        start_some(w, t);
    else if (chosen < 98)
        join_some(w, t);
    else
        at(w, t, STEP, 1 + chance_below(w, 200), 0);
}
