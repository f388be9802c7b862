/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's timeline: a run of intervals, and how events make it longer. */
#ifndef TM_MODEL_INTERVAL_H
#define TM_MODEL_INTERVAL_H

#include "model/entities/fact.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

/** Bits of tm__interval.flags. */
enum {
    TM__INTERVAL_CONTINUES =
        1, ///< the same blocking interval as the interval before it
    TM__INTERVAL_TIMED_OUT = 2,   ///< ended because its time was up
    TM__INTERVAL_INTERRUPTED = 4, ///< ended by an interrupt
    TM__INTERVAL_SNAPSHOT = 8,    ///< had begun before it was first seen
    TM__INTERVAL_UNSPLIT = 16,    ///< a wait that may hide queueing for the monitor
    TM__INTERVAL_SAMPLED =
        32, ///< its stack is that of another blocking interval like it
    TM__INTERVAL_END_UNSEEN = 64, ///< its end was not reported: the next one came later
    TM__INTERVAL_NOT_OWNED = 128  ///< a wait for what no thread owns
};

/** Facts of a block when it begins: bits of `traits`. */
enum {
    TM__TRAIT_TIMED = 1, ///< a wait, join, park or sleep with a timeout
    TM__TRAIT_IDLE = 2,  ///< I/O that others begin of their own accord
    TM__TRAIT_OWNS = 4,  ///< the thread shares the lock that it parks for
    TM__TRAIT_SHARED = 8 ///< it wants to be one of several owners
};

/**
 * A thread is in `state` from start_ns to the start of its next interval; the
 * last one is open until the thread's next event.
 */
typedef struct tm__interval {
    int64_t start_ns;
    uint32_t object;    ///< objects[]: wanted, waited for or parked for
    uint32_t stack;     ///< stacks[]
    uint32_t peer;      ///< threads[]: owner when it began, or joined thread
    uint32_t cause;     ///< interactions, by number, that began it; TM__NONE
    uint8_t state;      ///< enum tm_state
    uint8_t provenance; ///< enum tm_provenance of peer
    uint8_t flags;
    uint8_t traits;  ///< of the block: bits of TM__TRAIT_
    uint32_t tenure; ///< of a block: the object's last record when it began; 0: none
} tm__interval;

_Static_assert(sizeof(tm__interval) == 32, "an interval is 32 bytes");

/** A thread's timeline begins with room for these, as much as most threads need where
 * there are very many. */
enum { TM__FIRST_INTERVALS = 12 };

/** It is I/O that others begin of their own accord. */
static inline int tm__interval_is_idle(const tm__interval *it)
{
    return (it->traits & TM__TRAIT_IDLE) != 0;
}

/** When an interval ends; the last event's time for an open one. */
int64_t tm__interval_end_ns(const tm_model *model, const tm__thread *thread,
                            uint32_t interval);

/** objects[] that an interval is about: a join's is the joined thread's own. */
uint32_t tm__interval_object(const tm_model *model, const tm__interval *interval);

/** How many of a thread's intervals begin at or before an instant. */
uint32_t tm__intervals_until(const tm__thread *thread, int64_t time_ns);

/** The interval of a thread at an instant. @return TM__NONE: before all that are kept
 */
uint32_t tm__interval_at(const tm__thread *thread, int64_t time_ns);

/** The same, looked for from an interval on that may be near, or from TM__NONE. */
uint32_t tm__interval_near(const tm__thread *thread, int64_t time_ns, uint32_t near);

/**
 * How long a thread did not run in a stretch: it was blocked, waited, slept, was parked
 * or had no processor.
 * @param[out] state  enum tm_state that most of it was, or UNKNOWN; NULL: not wanted
 */
int64_t tm__not_running_ns(const tm_model *model, uint32_t thread, int64_t from_ns,
                           int64_t to_ns, int *state);

/** The thread's present interval; NULL before its first. */
static inline tm__interval *tm__now(const tm__thread *thread)
{
    return thread->interval_count ? &thread->intervals[thread->interval_count - 1]
                                  : NULL;
}

/** Index of the interval with which the present blocking interval began. */
static inline uint32_t tm__blocking_index(const tm__thread *thread)
{
    return thread->blocking - thread->interval_first;
}

/** The same, but for a notified waiter, the interval of its wait. */
static inline uint32_t tm__blocking_first(const tm__thread *thread)
{
    uint32_t index = tm__blocking_index(thread);

    if (thread->blocking_state == TM_STATE_REENTERING && index &&
        thread->intervals[index - 1].state == TM_STATE_WAITING)
        index--;
    return index;
}

/** When that began. */
static inline int64_t tm__blocked_since_ns(const tm__thread *thread)
{
    return thread->intervals[tm__blocking_first(thread)].start_ns;
}

/** A thread in this state waits for something that is to happen. */
static inline int tm__is_stopped(int state)
{
    enum { LAST_IN_ROW = TM_STATE_DEADLOCKED - TM_STATE_BLOCKED };
    const unsigned stopped =
        ((2u << LAST_IN_ROW) - 1) << TM_STATE_BLOCKED | 1u << TM_STATE_IO;

    return (int)(stopped >> state & 1);
}

/** Its time is the clock's or the outside world's: no thread of the run shortens it. */
static inline int tm__is_delay(int state)
{
    return state == TM_STATE_SLEEPING || state == TM_STATE_IO ||
           state == TM_STATE_NATIVE;
}

/** It does what it has to do, as far as its processors let it. */
static inline int tm__is_active(int state)
{
    return state == TM_STATE_RUNNING || state == TM_STATE_RUNNABLE;
}

static inline int tm__is_blocked(const tm__thread *thread)
{
    return tm__is_stopped(thread->blocking_state);
}

/** More room for a thread's intervals; see tm__interval_reserve(). */
int tm__interval_grow(tm_model *model, tm__thread *thread, size_t needed);

/** Room for a few more intervals. @return TM_OK or TM_ENOMEM */
static inline int tm__interval_reserve(tm_model *model, uint32_t thread, uint32_t more)
{
    tm__thread *it = &model->entities.threads[thread];
    size_t needed = (size_t)it->interval_count + more;

    return needed <= it->interval_capacity ? TM_OK
                                           : tm__interval_grow(model, it, needed);
}

/** TM__TRAIT_TIMED where a block that an event begins ends by itself when the event's
 * time is up, else 0. */
static inline uint8_t tm__timeout_trait(const tm__fact *fact)
{
    return fact->value > 0 && fact->value < INT64_MAX / 2 ? TM__TRAIT_TIMED : 0;
}

/** The interval that begins with a fact, with its object and stack. */
static inline tm__interval tm__interval_of(int state, const tm__fact *fact)
{
    return (tm__interval){.state = (uint8_t)state,
                          .object = fact->object,
                          .stack = fact->stack,
                          .peer = TM__NONE,
                          .cause = TM__NONE,
                          .flags = fact->flags & TM_EVENT_SAMPLED ? TM__INTERVAL_SAMPLED
                                                                  : 0};
}

/** Begin an interval; `next` need not hold start_ns. */
static inline void tm__begin(tm_model *model, uint32_t thread, int64_t time_ns,
                             tm__interval next)
{
    tm__thread *it = &model->entities.threads[thread];

    /* Another thread's event may act on this one, and be late. */
    next.start_ns = it->since_ns > time_ns ? it->since_ns : time_ns;
    it->since_ns = next.start_ns;
    it->state = next.state;
    if (!(next.flags & TM__INTERVAL_CONTINUES)) {
        it->blocking = it->interval_first + it->interval_count;
        it->blocking_state = next.state;
        /* A notified waiter is as blocked as before. */
        if (next.state != TM_STATE_REENTERING)
            it->is_stated = 0;
    }
    it->intervals[it->interval_count++] = next;
}

/** Take back all intervals but the first `count`. */
void tm__revoke(tm__thread *thread, uint32_t count);
/** Note until when a blocking interval lasts at most; its timeout is the fact's value.
 */
void tm__set_deadline(tm_model *model, const tm__fact *fact);
/** A blocking interval that began without a stack gets that of a later event. */
void tm__blocking_stack(tm_model *model, const tm__fact *fact);
/** So does one whose object was not known get that of its end. Ends that name another
 * one are counted. */
void tm__blocking_object(tm_model *model, const tm__fact *end);
/** The thread goes on, and since when nothing tells. */
void tm__end_unseen(tm__thread *thread);

#endif
