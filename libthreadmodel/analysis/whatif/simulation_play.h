/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation while it goes on: whose turn it is, and who has which lock. */
#ifndef TM_ANALYSIS_WHATIF_SIMULATION_PLAY_H
#define TM_ANALYSIS_WHATIF_SIMULATION_PLAY_H

#include "analysis/whatif/simulation_state.h"

/** A thread's turn. */
typedef struct tm__turn {
    int64_t time_ns; ///< TM__NO_TURN: it has none
    uint32_t thread;
} tm__turn;

#define TM__NO_TURN INT64_MAX

/** A lock, or the permits of a resource. */
typedef struct tm__play_lock {
    int32_t in_use; ///< less than 0: permits given before they are taken
    uint32_t shared;
    uint32_t heirs; ///< woken, and not there yet
    uint32_t shared_heirs;
    uint32_t waiting; ///< threads: root of a pairing heap, or TM__NONE
    uint32_t owner;   ///< threads, or TM__NONE
    uint32_t nested;
} tm__play_lock;

typedef struct tm__actor {
    int64_t now_ns;
    uint32_t step;
    uint32_t chosen; ///< scaled holds and uses that it is in
    uint32_t gone;
    uint32_t child; ///< in the heap of a lock
    uint32_t sibling;
    uint32_t previous; ///< in the list of the blocked
    uint32_t next;
    uint8_t is_heir;
    uint8_t has_worked; ///< what comes before its step, where processors are shared
} tm__actor;

typedef struct tm__play {
    tm__simulation *it;
    const tm__script *script;
    tm__actor *actors;
    tm__play_lock *locks;
    uint32_t *waiters; ///< a signal: who awaits it; TM__NONE, or TM__SIGNALLED
    tm__turn
        *turns; ///< nodes of a tree: [1] is the first of all, [leaves + i] a thread's
    tm__turn *works;  ///< the same of those that share processors, by what each will
                      ///< have done; NULL: all have one
    double now_ns;    ///< while processors are shared
    double done_ns;   ///< what one that works since the begin has done
    uint32_t running; ///< how many work
    uint32_t leaves;  ///< a power of two
    uint32_t blocked; ///< head of a list through the actors
    uint32_t ends_left;
} tm__play;

#define TM__SIGNALLED (TM__NONE - 1)

static inline const tm__step *tm__step_of(const tm__play *r, uint32_t thread)
{
    return &r->script->steps[r->actors[thread].step];
}

static inline int tm__play_is_over(const tm__play *r, uint32_t thread)
{
    return r->actors[thread].step >= r->script->first[thread + 1];
}

#endif
