/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of a monitor by which a thread has been blocked for long. An owner that
 * entered without contention and runs on is in no event, and in no answer of JVM TI but
 * one for which all threads are stopped. The management interface reads the owner from
 * the monitor, and stops no thread. Two equal answers show the owner in between:
 *
 *      ──Enter─────── asked ─┬─ asked again          both the same, and until all up
 *                       T    │     T                 to here is merged no event about
 *                          said                      the monitor: T had it when said
 *
 * The owner is emitted in its place among the events; some of these may be the owner's.
 * It is emitted again where another thread has the monitor, or the owner has moved
 * since.
 *
 * The same holds for the readers of a read-write lock for which a thread has been
 * parked for long: fields of the lock name the first reader, until that releases it,
 * and the last, until another comes.
 */
#include "blocked/owner_poll.h"

#include <threadmodel/model.h>

#include "blocked/long_blocked_ask.h"
#include "blocked/long_blocked_table.h"
#include "capture/park_facts.h"
#include "ident/thread_id.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/thread_mxbean.h"
#include "vm/vm.h"

/* So often a monitor is asked for. */
static const int64_t AGAIN_NS = INT64_C(100000000);

/* A question takes 0.15 ms of the writer's time: so often, that is a thousandth.
 * Questions that were not asked for a while may be made up at once. */
static const int64_t QUESTION_NS = INT64_C(150000000);
static const int64_t SAVED_NS = INT64_C(1500000000);

enum { HOLDERS = 32 };

enum role { OWNER, FIRST_READER, LAST_READER };

typedef struct holder {
    uint64_t object; ///< 0: the slot is free
    uint64_t owner;  ///< 0: not known, or it may have moved since
    uint64_t left;   ///< a reader that was reported and has released it; 0: none
    int64_t asked_ns;
    int64_t read_ns;
    uint8_t role; ///< enum role
    uint8_t is_reported;
} holder;

static holder holders[HOLDERS];
static int known;         /* that have an owner */
static int waiting;       /* that have an owner and are not emitted */
static int64_t rested_ns; /* no question before that */

static int is_waiting(const holder *it)
{
    return it->left || (it->owner && !it->is_reported);
}

static void forget(holder *it)
{
    known -= it->owner != 0;
    waiting -= is_waiting(it);
    it->owner = it->left = 0;
}

/* The object's slot, or that which was asked for longest ago; NULL: all are in use. */
static holder *slot_of(uint64_t object, enum role role)
{
    holder *oldest = NULL;

    for (holder *it = holders; it < holders + HOLDERS; it++) {
        if (it->object == object && it->role == role)
            return it;
        if (!is_waiting(it) && (!oldest || it->asked_ns < oldest->asked_ns))
            oldest = it;
    }
    if (oldest) {
        forget(oldest);
        *oldest = (holder){
            .object = object, .asked_ns = INT64_MIN / 2, .role = (uint8_t)role};
    }
    return oldest;
}

/* @param gone  a thread that is known to have it no more */
static void set_owner(holder *it, uint64_t owner, uint64_t gone, int64_t read_ns)
{
    if (owner == it->owner)
        return;
    waiting -= is_waiting(it);
    if (it->owner && it->owner == gone && it->is_reported)
        it->left = gone;
    known += !!owner - !!it->owner;
    it->owner = owner;
    it->read_ns = read_ns;
    it->is_reported = 0;
    waiting += is_waiting(it);
}

static int is_carrier(JNIEnv *jni, uint64_t thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread *all = NULL;
    jint count = 0;
    int is;

    if (!tm__the_java.virtual_class)
        return 0;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return 1;
    is = tm__carrier_has_id(jni, thread, all, count);
    for (jint i = 0; i < count; i++)
        (*jni)->DeleteLocalRef(jni, all[i]);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    return is;
}

static void ask_owner(JNIEnv *jni, const tm__long_blocked *blocked)
{
    int64_t now_ns = tm__now_ns(), read_ns;
    uint64_t owner;
    holder *it;

    if (rested_ns > now_ns || tm__thread_mxbean_open(jni) != 0)
        return;
    it = slot_of(blocked->object, OWNER);
    if (!it || is_waiting(it) || it->asked_ns > now_ns - AGAIN_NS)
        return;
    if (rested_ns < now_ns - SAVED_NS)
        rested_ns = now_ns - SAVED_NS;
    rested_ns += QUESTION_NS;
    it->asked_ns = now_ns;
    owner = tm__thread_mxbean_owner(jni, blocked->thread, NULL);
    read_ns = tm__now_ns();
    if (owner && tm__thread_mxbean_owner(jni, blocked->thread, NULL) == owner &&
        !is_carrier(jni, owner))
        set_owner(it, owner, 0, read_ns);
}

/* One that was there before and after had it in between. */
static uint64_t in_both(uint64_t before, uint64_t after)
{
    return before == after ? before : 0;
}

static void note_reader(uint64_t object, enum role role, uint64_t reader, uint64_t gone,
                        int64_t read_ns)
{
    holder *it = slot_of(object, role);

    if (!it || is_waiting(it) || it->asked_ns > read_ns - AGAIN_NS)
        return;
    it->asked_ns = read_ns;
    set_owner(it, reader, role == FIRST_READER ? it->owner : gone, read_ns);
}

static void ask_readers(JNIEnv *jni, const tm__long_blocked *blocked)
{
    jthread thread = tm__long_blocked_thread(jni, blocked);
    jobject lock = thread ? tm__synchronizer_of(jni, thread) : NULL;

    if (lock) {
        tm__readers before = tm__readers_read(jni, lock), after;
        int64_t read_ns = tm__now_ns();

        after = tm__readers_read(jni, lock);
        before.first = in_both(before.first, after.first);
        before.last = in_both(before.last, after.last);
        note_reader(blocked->object, FIRST_READER, before.first, 0, read_ns);
        note_reader(blocked->object, LAST_READER,
                    before.last == before.first ? 0 : before.last, after.gone, read_ns);
    }
    (*jni)->DeleteLocalRef(jni, lock);
    (*jni)->DeleteLocalRef(jni, thread);
}

void tm__owner_poll_ask(JNIEnv *jni, const tm__long_blocked *blocked)
{
    if (!blocked->object)
        return;
    if (blocked->state == TM_STATE_PARKED)
        ask_readers(jni, blocked);
    else if (blocked->state == TM_STATE_BLOCKED ||
             blocked->state == TM_STATE_REENTERING)
        ask_owner(jni, blocked);
}

/* A thread that queues waits for an owner that still has it, unless it is that owner.
 */
static int may_move(const holder *it, const tm_event *event)
{
    int queues =
        event->kind == TM_EVENT_CONTENDED_ENTER || event->kind == TM_EVENT_PARK;

    if (event->thread == it->owner && event->kind == TM_EVENT_THREAD_END)
        return 1;
    return event->object == it->object && (!queues || event->thread == it->owner);
}

void tm__owner_poll_follow(const tm_event *event)
{
    for (holder *it = holders; known && it < holders + HOLDERS; it++)
        if (it->owner && may_move(it, event))
            forget(it);
}

int tm__owner_poll_next(tm_event *event, int64_t until_ns)
{
    holder *first = NULL;

    if (!waiting)
        return 0;
    for (holder *it = holders; it < holders + HOLDERS; it++)
        if (is_waiting(it) && it->read_ns < until_ns &&
            (!first || it->read_ns < first->read_ns))
            first = it;
    if (!first)
        return 0;
    waiting--;
    *event = (tm_event){
        .time_ns = first->read_ns,
        .object = first->object,
        .flags = first->role == OWNER ? 0 : TM_EVENT_SHARED,
    };
    if (first->left) {
        event->thread = first->left;
        event->kind = TM_EVENT_RELEASED;
        first->left = 0;
        waiting += is_waiting(first);
        return 1;
    }
    first->is_reported = 1;
    event->thread = first->owner;
    event->kind = TM_EVENT_HELD;
    event->flags |= TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED;
    return 1;
}

void tm__owner_poll_forget(void)
{
    for (holder *it = holders; it < holders + HOLDERS; it++)
        *it = (holder){0};
    known = waiting = 0;
}
