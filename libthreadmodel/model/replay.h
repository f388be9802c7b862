/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the replay, as they call one another inside ingest. Whoever calls
 * has reserved memory (tm__replay_reserve), so none of these can fail unless it
 * says so.
 */
#ifndef TM_MODEL_REPLAY_H
#define TM_MODEL_REPLAY_H

#include <threadmodel/event.h>

#include "model/model.h"

/** Beyond this a difference of two times would not fit; 146 years. */
#define TM__TIME_LIMIT_NS ((INT64_C(1) << 62) - 1)

/** An event with its ids interned; TM__NONE where an id is 0. */
typedef struct tm__fact {
    int64_t time_ns;
    int64_t value;
    uint32_t thread;
    uint32_t object;
    uint32_t peer;
    uint32_t stack;
    uint16_t kind;
    uint16_t flags;
} tm__fact;

/* interval.c: what a thread is doing */

/** The thread's present interval; NULL before its first. */
static inline tm__interval *tm__now(const tm__thread *thread)
{
    return thread->interval_count ? &thread->intervals[thread->interval_count - 1]
                                  : NULL;
}

/** Index of the interval with which the present hold-up began. */
static inline uint32_t tm__hold_up(const tm__thread *thread)
{
    return thread->hold_up - thread->interval_first;
}

/** The same, but for a notified waiter, the interval of its wait. */
static inline uint32_t tm__hold_up_first(const tm__thread *thread)
{
    uint32_t index = tm__hold_up(thread);

    if (thread->hold_up_state == TM_STATE_REENTERING && index &&
        thread->intervals[index - 1].state == TM_STATE_WAITING)
        index--;
    return index;
}

/** When that began. */
static inline int64_t tm__held_up_since_ns(const tm__thread *thread)
{
    return thread->intervals[tm__hold_up_first(thread)].start_ns;
}

static inline int tm__is_held_up(const tm__thread *thread)
{
    return thread->hold_up_state >= TM_STATE_BLOCKED &&
           thread->hold_up_state <= TM_STATE_DEADLOCKED;
}

/** More room for a thread's intervals; see tm__interval_reserve(). */
int tm__interval_grow(tm_model *model, tm__thread *thread, size_t needed);

/** Room for a few more intervals. @return TM_OK or TM_ENOMEM */
static inline int tm__interval_reserve(tm_model *model, uint32_t thread, uint32_t more)
{
    tm__thread *it = &model->threads[thread];
    size_t needed = (size_t)it->interval_count + more;

    return needed <= it->interval_capacity ? TM_OK
                                           : tm__interval_grow(model, it, needed);
}

/** Begin an interval; `next` need not hold start_ns. */
static inline void tm__begin(tm_model *model, uint32_t thread, int64_t time_ns,
                             tm__interval next)
{
    tm__thread *it = &model->threads[thread];

    /* Another thread's event may act on this one, and be late. */
    next.start_ns = it->since_ns > time_ns ? it->since_ns : time_ns;
    it->since_ns = next.start_ns;
    it->state = next.state;
    if (!(next.flags & TM__INTERVAL_CONTINUES)) {
        it->hold_up = it->interval_first + it->interval_count;
        it->hold_up_state = next.state;
    }
    it->intervals[it->interval_count++] = next;
}

/** Take back all intervals but the first `count`. */
void tm__take_back(tm__thread *thread, uint32_t count);
/** Note until when a hold-up lasts at most; its timeout is the fact's value. */
void tm__set_deadline(tm_model *model, const tm__fact *fact);
/** Begin to run. @param cause  interactions[] or TM__NONE */
void tm__run(tm_model *model, uint32_t thread, int64_t time_ns, uint32_t cause);
/** A hold-up that began without a stack gets that of a later event. */
void tm__hold_up_stack(tm_model *model, const tm__fact *fact);
/** The thread's hold-up is over: it leaves its queue and its deadlock. */
void tm__hold_up_end(tm_model *model, uint32_t thread, int64_t time_ns);
/** The thread goes on, and since when nothing tells. */
void tm__end_unseen(tm__thread *thread);
/** The event proves that the thread runs; count an end that was missing. */
void tm__must_run(tm_model *model, const tm__fact *fact);
void tm__want(tm_model *model, uint32_t thread, uint32_t object);
void tm__want_end_of(tm_model *model, uint32_t thread, uint32_t joined);

/* interaction.c: who let whom go on */

/** Room for `more` interactions. @return TM_OK or TM_ENOMEM */
int tm__interaction_reserve(tm_model *model, size_t more);
/** A new row from a fact's thread, its to-side empty. @return its index */
uint32_t tm__interaction_new(tm_model *model, int kind, const tm__fact *from);
/** Fill the to-side: the thread goes on now, its present hold-up is over. */
void tm__interaction_woke(tm_model *model, uint32_t interaction, uint32_t thread,
                          const tm__fact *to);
/** A row whose from-side was not seen. @param from  threads[] or TM__NONE */
uint32_t tm__interaction_unseen(tm_model *model, int kind, uint32_t from,
                                int provenance, const tm__fact *to);

/* tenure.c: who has what */

/** That a thread had an object at an instant. */
typedef struct tm__had {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; ///< where it got it, or TM__NONE
    int provenance; ///< enum tm_provenance
} tm__had;

/** How sure it is what an event says of an owner. @return enum tm_provenance */
int tm__told_provenance(const tm__fact *fact);

/** An object after forgetting what a loss marker made doubtful. */
tm__object *tm__object_fresh(tm_model *model, uint32_t object);
/**
 * Whether the producer tells when the thread's hold-up is over: only then is it known
 * to be where it was seen. One that does not say what it tells is taken to tell the
 * ends of what it told the beginnings of.
 */
int tm__end_is_told(const tm_model *model, const tm__thread *thread);
/**
 * Whether who got an object at a stack must have let go of it by a hold-up of its.
 * @param taken  stacks[] or TM__NONE
 */
int tm__has_left(const tm_model *model, uint32_t object, uint32_t taken,
                 const tm__interval *blocked);
/** Room for what one event says of owners. @return TM_OK or TM_ENOMEM */
int tm__tenure_reserve(tm_model *model);
/** A thread begins to queue for an object. @return the record that is then the last */
uint32_t tm__tenure_wanted(tm_model *model, uint32_t object, int64_t time_ns);
/** Somebody has it, for a thread is blocked by it, and nobody is known to. */
void tm__tenure_unknown(tm_model *model, uint32_t object, int64_t time_ns);
/** A thread has it at an instant, and may have had it before. */
void tm__tenure_had(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread has it from now on. @param earliest_ns  or maybe since then; INT64_MIN:
 * since any time  @param flags  TM__TENURE_HANDED, _PROVISIONAL, _SHARED */
void tm__tenure_got(tm_model *model, uint32_t object, const tm__had *fact,
                    int64_t earliest_ns, int flags);
/** A thread lets go now. */
void tm__tenure_gave(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread that may have had it does not have it now. */
void tm__tenure_over(tm_model *model, uint32_t object, uint32_t thread,
                     int64_t time_ns);
/** The same, of all that it is thought to have. */
void tm__tenure_all_over(tm_model *model, uint32_t thread, int64_t time_ns);
/** A thread that was woken to take an object did not get it.
 * @param from  a record of that object from which on to look
 * @return who woke it, where that need not have been a release; or TM__NONE */
uint32_t tm__tenure_take_back(tm_model *model, uint32_t thread, uint32_t from);
/** Whether an owner, stated at the model's present time, is one of a thread dump. */
int tm__is_of_a_dump(const tm_model *model, const tm__object *object);

/** How sure it is that the owner still owns it. @return enum tm_provenance */
static inline int tm__owner_provenance(const tm_model *model, const tm__object *object)
{
    const tm__thread *owner;

    if (object->owner == TM__NONE)
        return TM_PROVENANCE_UNKNOWN;
    owner = &model->threads[object->owner];
    if (object->owner_interval == TM__NONE)
        return object->owner_ns == model->last_ns && tm__is_of_a_dump(model, object)
                   ? object->owner_provenance
                   : TM_PROVENANCE_INFERRED;
    /* That it is still held up was known before events were lost. */
    if (owner->losses != model->losses)
        return TM_PROVENANCE_INFERRED;
    /* A notified waiter goes from WAITING to REENTERING without running. */
    return object->owner_interval == owner->interval_first + tm__hold_up_first(owner)
               ? object->owner_provenance
               : TM_PROVENANCE_INFERRED;
}

void tm__on_held(tm_model *model, const tm__fact *fact);
/** What was said of the owner of what a thread is blocked by becomes the block's. */
void tm__name_owner(tm_model *model, uint32_t thread);

/* context.c: what went on beside */

/** Room for one more fact. @return TM_OK or TM_ENOMEM */
int tm__context_reserve(tm_model *model);
/** Keep a fact that was told at its end, its value how long it lasted. */
void tm__context_add(tm_model *model, const tm__fact *fact);

/* monitor.c, wait.c, thread_life.c, park_permit.c: one function an event */
void tm__on_enter(tm_model *model, const tm__fact *fact);
void tm__on_entered(tm_model *model, const tm__fact *fact);
void tm__on_acquired(tm_model *model, const tm__fact *fact);
void tm__on_released(tm_model *model, const tm__fact *fact);
void tm__on_wait(tm_model *model, const tm__fact *fact);
void tm__on_waited(tm_model *model, const tm__fact *fact);
int tm__on_notify(tm_model *model, const tm__fact *fact);
void tm__on_start_called(tm_model *model, const tm__fact *fact);
void tm__on_start(tm_model *model, const tm__fact *fact);
int tm__on_end(tm_model *model, const tm__fact *fact);
void tm__on_join(tm_model *model, const tm__fact *fact);
void tm__on_joined(tm_model *model, const tm__fact *fact);
void tm__on_sleep(tm_model *model, const tm__fact *fact);
void tm__on_slept(tm_model *model, const tm__fact *fact);
void tm__on_park(tm_model *model, const tm__fact *fact);
void tm__on_unparked(tm_model *model, const tm__fact *fact);
/** A virtual thread is on a carrier, or ended on it. */
void tm__on_mount(tm_model *model, const tm__fact *fact);
void tm__on_unpark_called(tm_model *model, const tm__fact *fact);
void tm__on_interrupt_called(tm_model *model, const tm__fact *fact);
void tm__on_interrupted(tm_model *model, const tm__fact *fact);
void tm__on_snapshot(tm_model *model, const tm__fact *fact);
/** Nothing is reported from here on, of any thread. @return TM_OK or TM_ENOMEM */
int tm__on_pause(tm_model *model, int64_t time_ns);
/**
 * The row for a hold-up that says it ended by time or interrupt.
 * @param provenance  how sure it is that nothing else ended it, enum tm_provenance
 * @return it, or TM__NONE where neither is said
 */
uint32_t tm__end_cause(tm_model *model, const tm__fact *fact, int provenance);

/* await.c: waits for what no thread owns. Ingest calls tm__wake_reserve() before. */
void tm__on_await(tm_model *model, const tm__fact *fact);
void tm__on_awaited(tm_model *model, const tm__fact *fact);
/** @return TM_OK or TM_ENOMEM, and then nobody got a permit */
int tm__on_post(tm_model *model, const tm__fact *fact);
/** A wait is over: the permit that the thread got for it is no other's. */
void tm__await_left(tm_model *model, uint32_t thread);

/* cpu.c: wake-ups and processors */

/** Room in wakes[] for every thread. @return TM_OK or TM_ENOMEM */
int tm__wake_reserve(tm_model *model);
void tm__on_runnable(tm_model *model, const tm__fact *fact);
void tm__on_cpu(tm_model *model, const tm__fact *fact);
void tm__off_cpu(tm_model *model, const tm__fact *fact);
/** Who made a blocked thread runnable. @return threads[] or TM__NONE */
uint32_t tm__waker(const tm_model *model, uint32_t thread);
/**
 * A thread of wakes[] begins to run: since its wake-up it was runnable.
 * @param[in,out] time_ns  when it runs
 * @param cause  of the end of its block, interactions[] or TM__NONE
 * @return the cause of its running
 */
uint32_t tm__wait_for_cpu(tm_model *model, uint32_t thread, int64_t *time_ns,
                          uint32_t cause);

/* wait_set.c: who waits, and who may be gone */

/** Put a thread at the end of an object's wait set. */
void tm__wait_set_add(tm_model *model, uint32_t object, uint32_t thread);
/** Put it at the beginning. */
void tm__wait_set_put_first(tm_model *model, uint32_t object, uint32_t thread);
/** Take it out, wherever it is. */
void tm__wait_set_remove(tm_model *model, uint32_t thread);
/** The policy in force, enum tm_policy. */
int tm__policy(const tm_model *model);
/** Whether waits and their ends, all that binding goes by, are in the events. */
int tm__sees_waits(const tm_model *model);
/** The same, and the notifies themselves. */
int tm__sees_notifies(const tm_model *model);
/** Whether time was up for a waiter by then, or an interrupt called. */
int tm__may_leave_by(const tm_model *model, const tm__thread *waiter, int64_t time_ns);
/** Whether the object may be that of a thread that ended since, which wakes it. */
int tm__may_have_joined(const tm_model *model, const tm__thread *waiter);
/** Whether it may be gone for a reason that its Waited will not tell from a notify. */
int tm__may_go_untold(const tm_model *model, const tm__thread *waiter);
/** Any of these, or not all that matters is in the events. */
int tm__may_have_left(const tm_model *model, const tm__thread *waiter, int64_t time_ns);

/* binding.c: which notify woke which waiter */

/** @return TM_OK or TM_ENOMEM, and then nothing has changed */
int tm__bind_notify(tm_model *model, const tm__fact *fact);
/** Wake all waiters of an object. @return TM_OK or TM_ENOMEM, nothing changed */
int tm__bind_all(tm_model *model, const tm__fact *fact, uint32_t object, int kind);
/**
 * A waiter came back.
 * @param[out] certain  whether it is certain, where no notify woke it, that none did
 * @return interactions[] that woke it, or TM__NONE
 */
uint32_t tm__bind_waited(tm_model *model, const tm__fact *fact, int *certain);
/** A woken waiter was seen to run without a Waited; settle what it was bound to. */
void tm__bind_unseen_return(tm_model *model, const tm__fact *fact);

/* binding_doubt.c: and which did where a waiter may have left before */

/** A notify takes the waiter out of the set, to queue for the monitor. */
void tm__bind_wake(tm_model *model, uint32_t waiter, uint32_t row);
/** It was not notified after all, or not by that: it only waits, out of the set. */
void tm__bind_unwake(tm_model *model, uint32_t waiter, int64_t time_ns);
/** A notify found nobody. */
void tm__bind_woke_nobody(tm_model *model, uint32_t row);
/** Nothing from here on will be sure, of those who wait since this notify or before. */
void tm__bind_raise_doubt(tm_model *model, uint32_t object, enum tm__doubt doubt,
                          uint32_t notify);
/** The notify that came last, of those in an object's list. @return interactions[] */
uint32_t tm__bind_last_listed(const tm_model *model, uint32_t object);
/**
 * The waiter of a listed notify had left before it: this and each later notify
 * gets the next one's waiter, as far as that was waiting then.
 */
void tm__bind_shift(tm_model *model, uint32_t object, uint32_t binding);
/** The binding of a notify is sure, and so is that its caller had the monitor. */
void tm__bind_make_exact(tm_model *model, tm__interaction *row);
/** What stands at the head of the list without a doubt is settled. */
void tm__bind_settle(tm_model *model, uint32_t object);
/** Whether a woken waiter comes back will not be seen. */
void tm__bind_forget(tm_model *model, uint32_t thread);
/** Forget what is unsettled; what was bound so far stays as inferred. */
void tm__bind_give_up(tm_model *model, uint32_t object);

/* binding_tptp.c, binding_reported.c: the other policies */
int tm__bind_notify_tptp(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_tptp(tm_model *model, const tm__fact *fact);
int tm__bind_notify_reported(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_reported(tm_model *model, const tm__fact *fact);

/* binding_list.c: an object's notifies that are not settled, oldest first */

/** Room for one more. @return TM_OK or TM_ENOMEM */
int tm__binding_reserve(tm_model *model);
/** Append one to an object's list. @return its index */
uint32_t tm__binding_append(tm_model *model, uint32_t object, tm__binding binding);
/** Put one before all others of an object's list. */
void tm__binding_prepend(tm_model *model, uint32_t object, tm__binding binding);
/** Unlink and free the one after `previous` (TM__NONE: the first). */
void tm__binding_drop(tm_model *model, uint32_t object, uint32_t previous);
/**
 * Bind a waiter that has come back to a listed notify, and drop the notify from
 * the list unless it may wake more.
 * @param previous  the one before it in the list, or TM__NONE
 * @return interactions[]
 */
uint32_t tm__binding_take(tm_model *model, uint32_t object, uint32_t binding,
                          uint32_t previous, const tm__fact *to, int provenance);

/* deadlock_search.c */

/** What searches may cost for each event; the usual one takes a step or two. */
enum { TM__SEARCH_STEPS = 256 };

/** Look for a cycle that goes through `thread`. @return TM_OK, TM_ENOMEM, or what
 * the callback said */
int tm__deadlock_check(tm_model *model, uint32_t thread);
/** An owner changed: a suspicion is now sure, or unfounded and taken back. */
void tm__deadlock_review(tm_model *model, uint32_t deadlock);
/** A member gets away: the cycle is resolved, or was a wrong suspicion. */
void tm__deadlock_leave(tm_model *model, uint32_t thread, int64_t time_ns);
/** A snapshot found the thread where it was: when a later one has of all members,
 * nobody moved, and what was suspected is sure. */
void tm__deadlock_seen_again(tm_model *model, const tm__fact *snapshot);

/* lock_nesting.c */

/** A block ends: note which locks its thread held meanwhile. */
void tm__order_note(tm_model *model, uint32_t thread);

/** Put what was noted into the nestings. To lack the memory for that is counted, and
 * nothing else fails. */
void tm__order_settle(tm_model *model);

/* fold.c */

/** Fold old intervals into sums until the memory limit is kept, if it can be. */
void tm__fold_old(tm_model *model);

/** Room for whatever one event may add. @return TM_OK or TM_ENOMEM */
int tm__replay_reserve(tm_model *model, uint32_t thread);

#endif
