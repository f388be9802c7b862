/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has a monitor by which a thread has been blocked for long. One that was taken
 * without contention by a thread that runs on is in no event, and in no answer of JVM
 * TI but one for which all threads are stopped. The management interface reads it from
 * the monitor, and stops nobody. Asked twice, it says who had the monitor in between:
 *
 *      ──Enter─────── asked ─┬─ asked again          both the same, and until all up
 *                       T    │     T                 to here is merged no event about
 *                          said                      the monitor: T had it when said
 *
 * That is told in its place among the events, which the thread itself may be in. It is
 * told again where another has the monitor, or it has moved since.
 */
#include "blocked/owner_poll.h"

#include "blocked/long_blocked_table.h"
#include "ident/thread_id.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/thread_mxbean.h"
#include "vm/vm.h"

/* So often a monitor is asked for. */
static const int64_t AGAIN_NS = INT64_C(100000000);

/* A question takes 0.15 ms of the writer's time: so often, that is a thousandth. Who
 * has not asked for a while may ask at once for as many as he might have. */
static const int64_t QUESTION_NS = INT64_C(150000000);
static const int64_t SAVED_NS = INT64_C(1500000000);

enum { HOLDERS = 32 };

typedef struct holder {
    uint64_t object; ///< 0: the slot is free
    uint64_t owner;  ///< 0: not known, or it may have moved since
    int64_t asked_ns;
    int64_t read_ns;
    int is_reported;
} holder;

static holder holders[HOLDERS];
static int known;         /* that have an owner */
static int waiting;       /* that have an owner and are not told */
static int64_t rested_ns; /* no question before that */

static int is_waiting(const holder *it)
{
    return it->owner && !it->is_reported;
}

static void forget(holder *it)
{
    known -= it->owner != 0;
    waiting -= is_waiting(it);
    it->owner = 0;
}

/* The object's slot, or that which was asked for longest ago; NULL: all are in use. */
static holder *slot_of(uint64_t object)
{
    holder *oldest = NULL;

    for (holder *it = holders; it < holders + HOLDERS; it++) {
        if (it->object == object)
            return it;
        if (!is_waiting(it) && (!oldest || it->asked_ns < oldest->asked_ns))
            oldest = it;
    }
    if (oldest) {
        forget(oldest);
        *oldest = (holder){.object = object, .asked_ns = INT64_MIN / 2};
    }
    return oldest;
}

static void set_owner(holder *it, uint64_t owner, int64_t read_ns)
{
    if (owner == it->owner)
        return;
    known += !it->owner;
    it->owner = owner;
    it->read_ns = read_ns;
    it->is_reported = 0;
    waiting++;
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

void tm__owner_poll_ask(JNIEnv *jni, const tm__long_blocked *blocked)
{
    int64_t now_ns = tm__now_ns(), read_ns;
    uint64_t owner;
    holder *it;

    if (!blocked->object || rested_ns > now_ns || tm__thread_mxbean_open(jni) != 0)
        return;
    it = slot_of(blocked->object);
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
        set_owner(it, owner, read_ns);
}

/* Who enters waits for an owner that still has it, but for that owner itself. */
static int may_move(const holder *it, const tm_event *event)
{
    if (event->thread == it->owner && event->kind == TM_EVENT_THREAD_END)
        return 1;
    return event->object == it->object &&
           (event->kind != TM_EVENT_CONTENDED_ENTER || event->thread == it->owner);
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
    first->is_reported = 1;
    waiting--;
    *event = (tm_event){
        .time_ns = first->read_ns,
        .thread = first->owner,
        .object = first->object,
        .kind = TM_EVENT_HELD,
        .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
    };
    return 1;
}

void tm__owner_poll_forget(void)
{
    for (holder *it = holders; it < holders + HOLDERS; it++)
        *it = (holder){0};
    known = waiting = 0;
}
