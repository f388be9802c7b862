/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take their steps by the time at which each comes to its next one. A step that
 * touches no other thread is taken at once, unless threads share processors.
 *
 * Runs have millions of steps, hundreds of threads and as many locks as they like.
 */
#include "analysis/whatif/simulation.h"

#include "analysis/whatif/simulation_locks.h"
#include "analysis/whatif/simulation_play.h"
#include "analysis/whatif/simulation_turns.h"
#include "base/prefetch.h"
#include "base/saturate.h"

/* A replay in which more threads block one another tells nothing. */
enum { FORCED_MAX = 1000 };

/* ---- steps ---- */

static int64_t scaled(const tm__play *r, const tm__actor *a, int64_t ns)
{
    if (a->gone)
        return 0;
    if (!a->chosen || r->it->factor == 1)
        return ns;
    return (int64_t)((double)ns * r->it->factor + 0.5);
}

/* How long the work of a step or before it takes. */
static int64_t work_ns(const tm__play *r, const tm__actor *a, const tm__step *step)
{
    int64_t ns = scaled(r, a, step->length_ns);

    if (!step->part || !r->it->scales_method)
        return ns;
    return tm__whole((double)ns *
                         (1 + (r->it->factor - 1) * ((double)step->part / TM__WHOLE)) +
                     0.5);
}

static void note_saved(tm__play *r, uint32_t thread, int64_t ns)
{
    if (r->it->saved_ns && !r->actors[thread].gone)
        r->it->saved_ns[thread] = tm__sum(r->it->saved_ns[thread], ns);
}

static void pass(tm__play *r, uint32_t thread, int64_t was_ns, int64_t replayed_ns)
{
    tm__actor *a = &r->actors[thread];

    a->now_ns = tm__sum(a->now_ns, replayed_ns);
    note_saved(r, thread, was_ns - replayed_ns);
}

/* A thread has come to its step: the work before that is done. */
static void come(tm__play *r, uint32_t thread)
{
    const tm__step *step = tm__play_is_over(r, thread) ? NULL : tm__step_of(r, thread);

    if (!step)
        return;
    tm__ask_for(step + 2);
    if (!r->works && tm__step_follows_work(step) && step->length_ns)
        pass(r, thread, step->length_ns, work_ns(r, &r->actors[thread], step));
    r->actors[thread].has_worked = 0;
}

/* Where processors are shared, what a thread takes depends on what others do by then.
 * @return 1: it works, or has its turn later */
static int is_busy(tm__play *r, uint32_t thread)
{
    tm__actor *a = &r->actors[thread];
    const tm__step *step = tm__step_of(r, thread);
    int has_work = step->kind == TM__STEP_WORK || tm__step_follows_work(step);
    int64_t length_ns;

    if ((double)a->now_ns > r->now_ns) {
        tm__play_turn(r, thread);
        return 1;
    }
    if (!has_work || a->has_worked)
        return 0;
    length_ns = work_ns(r, a, step);
    a->has_worked = 1;
    note_saved(r, thread, step->length_ns - length_ns);
    if (length_ns == 0)
        return 0;
    if (tm__takes_processor(&r->script->model->entities.threads[thread])) {
        tm__play_work(r, thread, length_ns);
    } else {
        a->now_ns = tm__sum(a->now_ns, length_ns);
        tm__play_turn(r, thread);
    }
    return 1;
}

/* A blocked thread goes on with what comes after its step. */
static void go_on(tm__play *r, uint32_t thread, int64_t time_ns)
{
    tm__play_unblock(r, thread, time_ns);
    r->actors[thread].step++;
    come(r, thread);
    tm__play_turn(r, thread);
}

static void change_place(tm__play *r, tm__actor *a, uint32_t place, int begins)
{
    int scaling = place == TM__NONE ? TM__SCALING_NONE : r->it->scalings[place];
    uint32_t *count = scaling == TM__SCALING_CHOSEN ? &a->chosen
                      : scaling == TM__SCALING_GONE ? &a->gone
                                                    : NULL;

    if (count && begins)
        ++*count;
    else if (count && *count)
        --*count;
}

static int64_t method_ns(const tm__play *r, const tm__actor *a, const tm__step *step,
                         int64_t ns)
{
    if (((step->flags & TM__STEP_METHOD && r->it->scales_method) ||
         (step->flags & TM__STEP_SERVICE && r->it->scales_service)) &&
        !a->gone)
        return (int64_t)((double)ns * r->it->factor + 0.5);
    return scaled(r, a, ns);
}

/* Whether a wait takes as long as the hold's scaling says, whatever it is for. */
static int is_scaled_wait(const tm__play *r, const tm__actor *a)
{
    return a->gone || (a->chosen && r->it->scales_waits && r->it->factor != 1);
}

static void wait_until(tm__play *r, uint32_t thread, const tm__step *step)
{
    tm__actor *a = &r->actors[thread];

    if (is_scaled_wait(r, a) || (step->flags & TM__STEP_METHOD && r->it->scales_method))
        pass(r, thread, step->length_ns, method_ns(r, a, step, step->length_ns));
    else if (r->it->moves_unknown && !(step->flags & TM__STEP_IDLE))
        pass(r, thread, 0, step->length_ns);
    else if (a->now_ns < step->until_ns) {
        r->it->until_ns = tm__sum(r->it->until_ns, step->until_ns - a->now_ns);
        a->now_ns = step->until_ns;
    }
}

/* @return 0: it has to wait */
static int await(tm__play *r, uint32_t thread, const tm__step *step)
{
    tm__actor *a = &r->actors[thread];

    if (is_scaled_wait(r, a)) {
        pass(r, thread, step->length_ns, scaled(r, a, step->length_ns));
        return 1;
    }
    if (r->waiters[step->what] != TM__SIGNALLED) {
        r->waiters[step->what] = thread;
        tm__play_block(r, thread);
        return 0;
    }
    if (!(step->flags & TM__STEP_QUEUED))
        pass(r, thread, 0, step->latency_ns);
    return 1;
}

static void signal(tm__play *r, const tm__actor *a, uint32_t row)
{
    uint32_t waiter = r->waiters[row];
    int64_t ns;

    r->waiters[row] = TM__SIGNALLED;
    if (waiter == TM__NONE || waiter == TM__SIGNALLED)
        return;
    ns = tm__play_latency_ns(r, waiter);
    go_on(r, waiter, tm__sum(a->now_ns, ns));
}

/* @return 0: it has to wait */
static int run_step(tm__play *r, uint32_t thread)
{
    tm__actor *a = &r->actors[thread];
    const tm__step *step = tm__step_of(r, thread);
    int scales_hidden = r->it->scales_hidden && step->kind == TM__STEP_HIDDEN &&
                        r->it->scalings[step->place] == TM__SCALING_CHOSEN;

    switch (step->kind) {
    case TM__STEP_WORK:
        if (!r->works)
            pass(r, thread, step->length_ns, work_ns(r, a, step));
        break;
    case TM__STEP_REST:
        pass(r, thread, step->length_ns, method_ns(r, a, step, step->length_ns));
        break;
    case TM__STEP_HIDDEN:
        pass(r, thread, step->length_ns,
             scales_hidden ? (int64_t)((double)step->length_ns * r->it->factor + 0.5)
                           : step->length_ns);
        break;
    case TM__STEP_UNTIL: wait_until(r, thread, step); break;
    case TM__STEP_AWAIT:
        if (!await(r, thread, step))
            return 0;
        break;
    case TM__STEP_SIGNAL: signal(r, a, step->what); break;
    case TM__STEP_ACQUIRE:
        if (!tm__play_acquire(r, thread))
            return 0;
        change_place(r, a, step->place, 1);
        break;
    case TM__STEP_RELEASE:
        change_place(r, a, step->place, 0);
        tm__play_release(r, thread);
        break;
    default: change_place(r, a, step->place, step->kind == TM__STEP_ENTER); break;
    }
    a->step++;
    come(r, thread);
    return 1;
}

static int touches_others(const tm__step *step)
{
    return step->kind == TM__STEP_AWAIT || step->kind == TM__STEP_SIGNAL ||
           step->kind == TM__STEP_ACQUIRE || step->kind == TM__STEP_RELEASE;
}

/* A thread takes its steps, until it has to wait or another is to go before it. */
static void advance(tm__play *r, uint32_t thread)
{
    int is_its_turn = 1;

    for (; !tm__play_is_over(r, thread); is_its_turn = 0) {
        if (r->works && is_busy(r, thread))
            return;
        if (!is_its_turn && touches_others(tm__step_of(r, thread))) {
            tm__play_turn(r, thread);
            if (r->turns[1].thread != thread)
                return;
        }
        if (!run_step(r, thread))
            return;
    }
    tm__play_no_turn(r, thread);
    if (r->it->finished_ns)
        r->it->finished_ns[thread] = r->actors[thread].now_ns;
    if (r->it->ends[thread]) {
        if (r->actors[thread].now_ns > r->it->length_ns)
            r->it->length_ns = r->actors[thread].now_ns;
        r->ends_left--;
    }
}

/* Nobody can go on: who went on first in the recording does so here. */
static void force(tm__play *r, int64_t now_ns)
{
    uint32_t thread = r->blocked;
    const tm__step *step;

    for (uint32_t i = thread; i != TM__NONE; i = r->actors[i].next)
        if (tm__step_of(r, i)->until_ns < tm__step_of(r, thread)->until_ns)
            thread = i;
    step = tm__step_of(r, thread);
    r->it->forced++;
    if (step->kind == TM__STEP_ACQUIRE) {
        thread = tm__play_force(r, step->what);
        change_place(r, &r->actors[thread], tm__step_of(r, thread)->place, 1);
    } else {
        r->waiters[step->what] = TM__SIGNALLED;
    }
    if (r->actors[thread].now_ns > now_ns)
        now_ns = r->actors[thread].now_ns;
    go_on(r, thread, now_ns);
}

/* When the run is over the others may play on, as far as they can: what they wait for
 * longer is part of the answer. */
static void go(tm__play *r)
{
    int64_t now_ns = 0;

    while (r->ends_left || r->it->plays_on) {
        uint32_t thread = tm__play_next(r);

        if (thread != TM__NONE) {
            if (r->turns[1].time_ns > now_ns)
                now_ns = r->turns[1].time_ns;
            advance(r, thread);
        } else if (r->ends_left && r->blocked != TM__NONE &&
                   r->it->forced < FORCED_MAX) {
            force(r, now_ns);
        } else {
            return;
        }
    }
}

static void begin(tm__play *r)
{
    uint32_t threads = r->script->model->entities.threads_count;

    for (uint32_t i = 0; i < tm__script_lock_count(r->script); i++)
        r->locks[i] = (tm__play_lock){.waiting = TM__NONE, .owner = TM__NONE};
    for (uint32_t i = 0; i < tm__script_signal_count(r->script); i++)
        r->waiters[i] = TM__NONE;
    for (uint32_t i = 0; i < threads; i++) {
        r->actors[i] = (tm__actor){.step = r->script->first[i],
                                   .child = TM__NONE,
                                   .sibling = TM__NONE,
                                   .previous = TM__NONE,
                                   .next = TM__NONE};
        r->ends_left += r->it->ends[i] != 0;
    }
    for (uint32_t i = 0; i < 2 * r->leaves; i++) {
        r->turns[i] = (tm__turn){TM__NO_TURN, 0};
        if (r->works)
            r->works[i] = r->turns[i];
    }
    for (uint32_t i = 0; i < threads; i++) {
        come(r, i);
        tm__play_turn(r, i);
    }
}

int tm__simulate(tm__simulation *it)
{
    const tm_model *model = it->script->model;
    tm__play r = {.it = it, .script = it->script, .blocked = TM__NONE};
    size_t actors = ((size_t)model->entities.threads_count + 1) * sizeof(*r.actors);
    int shares = it->script->processors->most > 0;
    size_t turns;
    size_t locks = (size_t)tm__script_lock_count(it->script) * sizeof(*r.locks);
    size_t rows =
        ((size_t)tm__script_signal_count(it->script) + 1) * sizeof(*r.waiters);
    int rc = TM_ENOMEM;

    it->length_ns = 0;
    it->forced = 0;
    it->until_ns = 0;
    for (r.leaves = 2; r.leaves < model->entities.threads_count; r.leaves *= 2)
        continue;
    turns = 2 * (size_t)r.leaves * sizeof(*r.turns);
    r.actors = tm__resize(it->memory, NULL, 0, actors);
    r.turns = tm__resize(it->memory, NULL, 0, turns);
    r.works = shares ? tm__resize(it->memory, NULL, 0, turns) : NULL;
    r.locks = tm__resize(it->memory, NULL, 0, locks);
    r.waiters = tm__resize(it->memory, NULL, 0, rows);
    if (r.actors && r.turns && (r.works || !shares) && r.locks && r.waiters) {
        begin(&r);
        go(&r);
        rc = TM_OK;
    }
    tm__free(it->memory, r.actors, actors);
    tm__free(it->memory, r.turns, turns);
    tm__free(it->memory, r.works, turns);
    tm__free(it->memory, r.locks, locks);
    tm__free(it->memory, r.waiters, rows);
    return rc;
}
