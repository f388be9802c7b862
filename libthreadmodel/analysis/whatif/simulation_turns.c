/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread whose turn it is in a simulation. A tournament finds it: each thread has a
 * leaf of a tree, and each node is the first of those below it.
 *
 * Where processors limit the run, threads that work share them, and a second tournament
 * has these by what each of them will have done. All do as much in the same time, so
 * that who is first stays first, however many come and go.
 */
#include "analysis/whatif/simulation_play.h"
#include "analysis/whatif/simulation_turns.h"

#include "base/saturate.h"

/* The order of turns of one instant: those that let others go on come first, and among
 * those that want a lock the first owner in the recording. */
static int64_t rank_of(const tm__play *r, uint32_t thread)
{
    const tm__step *it = tm__play_is_over(r, thread) ? NULL : tm__step_of(r, thread);

    if (it && (it->kind == TM__STEP_SIGNAL || it->kind == TM__STEP_RELEASE))
        return -1;
    return it && it->kind == TM__STEP_ACQUIRE ? it->until_ns : 0;
}

static int goes_before(const tm__play *r, uint32_t left, uint32_t right)
{
    int64_t a = rank_of(r, left), b = rank_of(r, right);

    return a != b ? a < b : left < right;
}

/* Play a thread's turn off against the others on its way up. Which of two is earlier
 * cannot be foreseen, so nothing branches by it. */
static void play_off(const tm__play *r, tm__turn *turns, uint32_t thread,
                     int64_t time_ns)
{
    uint32_t at = r->leaves + thread;
    tm__turn it = {time_ns, thread};

    turns[at] = it;
    for (; at > 1; at /= 2) {
        const tm__turn *other = &turns[at ^ 1];
        int64_t loses = -(int64_t)(other->time_ns < it.time_ns);

        if (other->time_ns == it.time_ns && it.time_ns != TM__NO_TURN)
            loses = -(int64_t)goes_before(r, other->thread, it.thread);
        it.time_ns ^= (it.time_ns ^ other->time_ns) & loses;
        it.thread ^= (it.thread ^ other->thread) & (uint32_t)loses;
        if ((turns[at / 2].thread != thread) & (it.thread != thread))
            return;
        turns[at / 2] = it;
    }
}

void tm__play_turn(tm__play *r, uint32_t thread)
{
    int64_t now_ns = r->actors[thread].now_ns;

    play_off(r, r->turns, thread, now_ns < TM__NO_TURN ? now_ns : TM__NO_TURN - 1);
}

void tm__play_no_turn(tm__play *r, uint32_t thread)
{
    play_off(r, r->turns, thread, TM__NO_TURN);
}

void tm__play_block(tm__play *r, uint32_t thread)
{
    tm__actor *it = &r->actors[thread];

    tm__play_no_turn(r, thread);
    it->previous = TM__NONE;
    it->next = r->blocked;
    if (r->blocked != TM__NONE)
        r->actors[r->blocked].previous = thread;
    r->blocked = thread;
}

void tm__play_unblock(tm__play *r, uint32_t thread, int64_t time_ns)
{
    tm__actor *it = &r->actors[thread];

    if (it->previous != TM__NONE)
        r->actors[it->previous].next = it->next;
    else
        r->blocked = it->next;
    if (it->next != TM__NONE)
        r->actors[it->next].previous = it->previous;
    it->now_ns = time_ns;
}

/* ---- processors ---- */

void tm__play_work(tm__play *r, uint32_t thread, int64_t length_ns)
{
    int64_t done_ns = tm__whole(r->done_ns + (double)length_ns + 0.5);

    tm__play_no_turn(r, thread);
    play_off(r, r->works, thread, done_ns < TM__NO_TURN ? done_ns : TM__NO_TURN - 1);
    r->running++;
}

static double share_of(const tm__play *r)
{
    double most = r->script->processors->most * r->it->processors;

    return r->running <= most ? 1 : most / r->running;
}

static void stop_work(tm__play *r, uint32_t thread, double time_ns, double done_ns)
{
    play_off(r, r->works, thread, TM__NO_TURN);
    r->running--;
    r->now_ns = time_ns;
    if (done_ns > r->done_ns)
        r->done_ns = done_ns;
    r->actors[thread].has_worked = 1;
    r->actors[thread].now_ns = tm__whole(time_ns + 0.5);
    tm__play_turn(r, thread);
}

/* Works that are over before the next turn have a turn then. */
static void pass_time(tm__play *r)
{
    double next_ns;

    while (r->works[1].time_ns != TM__NO_TURN) {
        double done_ns = (double)r->works[1].time_ns, time_ns = r->now_ns;

        if (done_ns > r->done_ns)
            time_ns += (done_ns - r->done_ns) / share_of(r);
        if (r->turns[1].time_ns != TM__NO_TURN && time_ns > (double)r->turns[1].time_ns)
            break;
        stop_work(r, r->works[1].thread, time_ns, done_ns);
    }
    next_ns = (double)r->turns[1].time_ns;
    if (r->turns[1].time_ns != TM__NO_TURN && next_ns > r->now_ns) {
        r->done_ns += (next_ns - r->now_ns) * share_of(r);
        r->now_ns = next_ns;
    }
}

uint32_t tm__play_next(tm__play *r)
{
    if (r->works)
        pass_time(r);
    return r->turns[1].time_ns != TM__NO_TURN ? r->turns[1].thread : TM__NONE;
}
