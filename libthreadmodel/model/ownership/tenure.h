/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock's timeline: its owners, each from one time to another, as far as events show.
 * It is the dual of a thread's intervals, and every answer about owners reads it.
 *
 *     lock   ──[ A ·······]~~~[ B ····]~[ A ····       ~  no owner, or not known
 *     A      ══╗             ╔══════════╝
 *     B        ╚═════════════╝
 *
 * Facts are of instants: A had it when B was blocked by it, B had it when it entered.
 * So a record keeps the first and the last instant at which its owner is known to have
 * had the lock, and how far it may reach beyond them.
 */
#ifndef TM_MODEL_TENURE_H
#define TM_MODEL_TENURE_H

#include "model/entities/thread.h"
#include "model/state/model.h"

/** Bits of tm__tenure.flags. */
enum {
    TM__TENURE_OVER = 1, ///< it is known that the owner released it
    TM__TENURE_HANDED =
        2, ///< got after a block: the owner before released it for this one
    TM__TENURE_SEEN = 4,   ///< a block began while it was the last: it stays
    TM__TENURE_SHARED = 8, ///< one of several owners
    TM__TENURE_PROVISIONAL =
        16,                    ///< was woken to take it, and has not shown that it did
    TM__TENURE_CONTESTED = 32, ///< the producer contradicted itself about its end
    TM__TENURE_LOST = 64,      ///< events were lost after had_ns
    TM__TENURE_UNKNOWN = 128,  ///< somebody has it, and nobody knows who yet
    TM__TENURE_RELEASED = 256, ///< its release was reported, at had_ns
    TM__TENURE_UNREAD = 2048,  ///< and by an unpark without an owner read
    TM__TENURE_READS = 4096,   ///< its exclusive owner shares it besides
    TM__TENURE_SAMPLED = 8192, ///< its stack is that of another acquisition like it
    TM__TENURE_GOT_BLOCKED = 512, ///< at got_ns the owner was blocked already
    TM__TENURE_HAD_BLOCKED = 1024 ///< at had_ns it was
};

/** Slack that only the neighbours of a record limit. */
#define TM__UNLIMITED UINT32_MAX

/** How many records an event may add. */
enum { TM__TENURES_AN_EVENT = 4 };

/** 40 bytes, one a handoff. Numbers of records count from 1; 0: no record. */
typedef struct tm__tenure {
    int64_t got_ns;     ///< the first instant at which the owner is known to have it
    int64_t had_ns;     ///< the last one
    uint32_t before_ns; ///< it got it so long before got_ns at most, or TM__UNLIMITED
    uint32_t after_ns;  ///< released so long after had_ns at most, or TM__UNLIMITED
    uint32_t owner;     ///< threads[]; TM__NONE: nobody, or not known
    uint32_t stack;     ///< stacks[] where it got it; TM__NONE: not known
    uint32_t next;      ///< record of the same object; 0: it is the last
    uint8_t got_provenance; ///< enum tm_provenance of got_ns
    uint8_t had_provenance; ///< the same of had_ns
    uint16_t flags;
} tm__tenure;

_Static_assert(sizeof(tm__tenure) == 40, "a tenure is 40 bytes");

/** Whether the owner's release was reported, and not only that it must have been. */
static inline int tm__tenure_is_reported_over(const tm__tenure *it)
{
    return (it->flags & TM__TENURE_RELEASED) != 0;
}

/** stacks[] where the owner itself was when it got it; TM__NONE: not known. */
static inline uint32_t tm__tenure_own_stack(const tm__tenure *it)
{
    return it->flags & TM__TENURE_SAMPLED ? UINT32_MAX : it->stack;
}

/** Whether it is known when the owner got it: a hold without that has no length. */
static inline int tm__tenure_is_begun(const tm__tenure *it)
{
    return it->owner != UINT32_MAX &&
           ((it->flags & TM__TENURE_HANDED && !(it->flags & TM__TENURE_PROVISIONAL)) ||
            it->before_ns == 0);
}

/** A stretch in which a thread cannot have released or got anything: it was blocked. */
typedef struct tm__stay {
    int64_t from_ns;
    int64_t to_ns;
} tm__stay;

/** Bounds of a record by its neighbours and its owner's timeline: got between the first
 * two instants, released between the last two. */
typedef struct tm__bounds {
    int64_t got_earliest_ns;
    int64_t got_latest_ns;
    int64_t released_earliest_ns;
    int64_t released_latest_ns;
    int64_t released_ns; ///< the best estimate of its release
    uint32_t at;         ///< the owner's interval in which it got it, or TM__NONE
    tm__stay sure[2]; ///< stretches in which it surely had it; empty where from == to
    uint8_t sure_provenance[2];
} tm__bounds;

/** Room for what one event says of owners. @return TM_OK or TM_ENOMEM */
static inline int tm__tenure_reserve(tm_model *model)
{
    return tm__reserve(&model->memory, &model->ownership.tenures,
                       &model->ownership.tenures_capacity,
                       (size_t)model->ownership.tenures_count + TM__TENURES_AN_EVENT,
                       sizeof(tm__tenure));
}

/** A record by its number; NULL for 0 and for one that a memory limit dropped. */
static inline tm__tenure *tm__tenure_at(const tm_model *model, uint32_t number)
{
    return number > model->ownership.tenures_first
               ? &model->ownership.tenures[number - model->ownership.tenures_first - 1]
               : NULL;
}

/** The records of a lock by rising number, NULL after the last. */
static inline const tm__tenure *tm__tenure_next(const tm_model *model,
                                                const tm__tenure *record)
{
    return tm__tenure_at(model, record->next);
}

#endif
