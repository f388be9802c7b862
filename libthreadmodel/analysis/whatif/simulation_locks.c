/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks in a simulation. The waiters of a lock lie in a pairing heap by the time at
 * which each had it in the recording: mostly who comes last goes last, which costs
 * nothing.
 *
 *     lock   [ A ····]~[ B ··]      A gives it up, and who had it first in the
 *     B        ······w~════         recording is woken. It has the lock a wake-up
 *     C             ·····w~══       later, unless another has taken it by then
 */
#include "analysis/whatif/simulation_locks.h"
#include "analysis/whatif/simulation_play.h"
#include "analysis/whatif/simulation_turns.h"

#include "base/saturate.h"

/* ---- who waits ---- */

static uint32_t meld(tm__play *r, uint32_t left, uint32_t right)
{
    uint32_t above = left, below = right;

    if (left == TM__NONE || right == TM__NONE)
        return left == TM__NONE ? right : left;
    if (tm__step_of(r, right)->until_ns < tm__step_of(r, left)->until_ns) {
        above = right;
        below = left;
    }
    r->actors[below].sibling = r->actors[above].child;
    r->actors[above].child = below;
    return above;
}

static void queue(tm__play *r, tm__play_lock *it, uint32_t thread)
{
    r->actors[thread].child = r->actors[thread].sibling = TM__NONE;
    it->waiting = meld(r, it->waiting, thread);
}

/* Take the first out: its children are melded in pairs, and the pairs from the last. */
static uint32_t unqueue(tm__play *r, tm__play_lock *it)
{
    uint32_t first = it->waiting, child = r->actors[first].child, pairs = TM__NONE;

    while (child != TM__NONE) {
        uint32_t left = child, right = r->actors[left].sibling, pair;

        child = right == TM__NONE ? TM__NONE : r->actors[right].sibling;
        r->actors[left].sibling = TM__NONE;
        if (right != TM__NONE)
            r->actors[right].sibling = TM__NONE;
        pair = meld(r, left, right);
        r->actors[pair].sibling = pairs;
        pairs = pair;
    }
    it->waiting = TM__NONE;
    while (pairs != TM__NONE) {
        uint32_t next = r->actors[pairs].sibling;

        r->actors[pairs].sibling = TM__NONE;
        it->waiting = meld(r, it->waiting, pairs);
        pairs = next;
    }
    return first;
}

/* ---- locks ---- */

/* Permits of a resource are handed on; a lock is for the first that comes. */
static int is_resource(const tm__play *r, uint32_t number)
{
    return number >= r->script->model->entities.objects_count;
}

static int64_t more_of(const tm__play *r, uint32_t number)
{
    return r->it->more_permits && tm__script_is_asked(r->script, number, r->it->group)
               ? r->it->more_permits
               : 0;
}

static int64_t capacity_of(const tm__play *r, uint32_t number)
{
    return tm__script_capacity(r->script, number) + more_of(r, number);
}

static int is_shared_step(const tm__play *r, uint32_t thread)
{
    return tm__step_of(r, thread)->flags & TM__STEP_SHARED;
}

static int can_acquire(const tm__play *r, uint32_t number, uint32_t thread)
{
    const tm__play_lock *it = &r->locks[number];
    int is_heir = r->actors[thread].is_heir;
    int64_t more = more_of(r, number);

    if (is_shared_step(r, thread))
        /* A reader goes behind a writer that waits. */
        return it->in_use <= more &&
               (is_heir || (!it->heirs && (it->waiting == TM__NONE ||
                                           is_shared_step(r, it->waiting))));
    if (it->shared > more)
        return 0;
    return it->in_use + (is_resource(r, number) && !is_heir ? (int64_t)it->heirs : 0) <
           capacity_of(r, number);
}

int64_t tm__play_latency_ns(const tm__play *r, uint32_t thread)
{
    const tm__step *it = tm__step_of(r, thread);

    if (it->flags & TM__STEP_QUEUED)
        return it->latency_ns;
    return tm__script_wakeup_ns(r->script, it);
}

static void let_in(tm__play *r, uint32_t number, int64_t now_ns)
{
    tm__play_lock *it = &r->locks[number];

    while (it->waiting != TM__NONE) {
        uint32_t thread = it->waiting;

        if (is_shared_step(r, thread)) {
            if (it->in_use > more_of(r, number) || it->heirs)
                return;
            it->shared_heirs++;
        } else {
            if ((int64_t)it->shared + it->shared_heirs > more_of(r, number) ||
                it->in_use + (int64_t)it->heirs >= capacity_of(r, number))
                return;
            it->heirs++;
        }
        unqueue(r, it);
        r->actors[thread].is_heir = 1;
        tm__play_unblock(r, thread, tm__sum(now_ns, tm__play_latency_ns(r, thread)));
        tm__play_turn(r, thread);
    }
}

static void hold(tm__play *r, tm__play_lock *it, uint32_t thread)
{
    tm__actor *a = &r->actors[thread];
    int is_shared = is_shared_step(r, thread) != 0;

    if (a->is_heir && is_shared)
        it->shared_heirs--;
    else if (a->is_heir)
        it->heirs--;
    a->is_heir = 0;
    if (is_shared) {
        it->shared++;
    } else {
        it->in_use++;
        it->owner = thread;
    }
}

/* @return 0: it has to wait */
int tm__play_acquire(tm__play *r, uint32_t thread)
{
    uint32_t number = tm__step_of(r, thread)->what;
    tm__play_lock *it = &r->locks[number];
    tm__actor *a = &r->actors[thread];

    if (it->owner == thread && it->in_use > 0 && !is_resource(r, number)) {
        it->nested++;
        return 1;
    }
    if (can_acquire(r, number, thread)) {
        hold(r, it, thread);
        return 1;
    }
    if (a->is_heir) { /* it was overtaken */
        if (is_shared_step(r, thread))
            it->shared_heirs--;
        else
            it->heirs--;
        a->is_heir = 0;
    }
    queue(r, it, thread);
    tm__play_block(r, thread);
    return 0;
}

void tm__play_release(tm__play *r, uint32_t thread)
{
    const tm__step *step = tm__step_of(r, thread);
    tm__play_lock *it = &r->locks[step->what];

    if (it->owner == thread && it->nested && !is_resource(r, step->what)) {
        it->nested--;
        return;
    }
    if (step->flags & TM__STEP_SHARED) {
        it->shared -= it->shared > 0;
    } else {
        it->in_use--;
        if (it->owner == thread)
            it->owner = TM__NONE;
    }
    let_in(r, step->what, r->actors[thread].now_ns);
}

uint32_t tm__play_force(tm__play *r, uint32_t number)
{
    uint32_t thread = unqueue(r, &r->locks[number]);

    hold(r, &r->locks[number], thread);
    return thread;
}
