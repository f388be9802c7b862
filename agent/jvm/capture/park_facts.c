/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object that a park is for, its owner, and why the park is over: from fields of
 * the thread object and of its blocker. A lock of java.util.concurrent is released
 * without a call that a hook could see. But the releasing thread then unparks the first
 * in its queue:
 *
 *     A   ═══ owner = null ── unpark(B) ──▶      nobody has it: A released it
 *     B   ··· parked for it ·············
 *
 * So both threads read the owner, the one before it unparks and the other when it goes
 * on. A synchronizer without an exclusive owner may be shared, by readers for instance,
 * or be about to be another's: then its state is not 0.
 */
#include "capture/park_facts.h"

#include "capture/event_report.h"

#include "ident/object_identity.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "vm/java_fields.h"
#include "vm/thread_state.h"

static int is_free(JNIEnv *jni, jobject lock, int kind)
{
    const jfieldID *state = tm__the_java.queued_state;

    return kind == TM__BLOCKER_QUEUED_LONG
               ? (*jni)->GetLongField(jni, lock, state[1]) == 0
               : (*jni)->GetIntField(jni, lock, state[0]) == 0;
}

static jobject owner_of(JNIEnv *jni, jobject lock)
{
    return (*jni)->GetObjectField(jni, lock, tm__the_java.synchronizer_owner);
}

/*
 * Whether the owner has it at an instant. One look before or after the clock is read is
 * not enough: on a busy machine the thread may lose its processor between the two, and
 * a thread that released or acquired meanwhile sleeps at the event's time, as if with
 * the lock.
 */
static int has_at(int64_t *time_ns, JNIEnv *jni, jobject lock, jobject owner)
{
    jobject again;
    int is_same;

    *time_ns = tm__now_ns();
    again = owner_of(jni, lock);
    is_same = (*jni)->IsSameObject(jni, owner, again);
    (*jni)->DeleteLocalRef(jni, again);
    return is_same;
}

/* An exclusive owner sets the state and then the owner field, and clears them in the
 * other order: an owner that is there by now, or a state of 0, shows one on its way. */
static int is_shared(JNIEnv *jni, jobject lock, int kind)
{
    jobject owner = owner_of(jni, lock);
    int has_owner = owner != NULL;

    (*jni)->DeleteLocalRef(jni, owner);
    return !has_owner && !is_free(jni, lock, kind);
}

tm__readers tm__readers_read(JNIEnv *jni, jobject lock)
{
    const tm__java_fields *java = &tm__the_java;
    tm__readers it = {0};
    jobject first, holds;
    uint64_t last;

    if (!java->first_reader || !(*jni)->IsInstanceOf(jni, lock, java->readers_class))
        return it;
    first = (*jni)->GetObjectField(jni, lock, java->first_reader);
    holds = (*jni)->GetObjectField(jni, lock, java->last_holds);
    it.first = tm__thread_id(jni, first);
    last = holds ? (uint64_t)(*jni)->GetLongField(jni, holds, java->holds_tid) : 0;
    if (last && (*jni)->GetIntField(jni, holds, java->holds_count) > 0)
        it.last = last;
    else
        it.gone = last;
    (*jni)->DeleteLocalRef(jni, holds);
    (*jni)->DeleteLocalRef(jni, first);
    return it;
}

/* A reader may read again at any time. Nothing is known of a reader between the first
 * and the last. */
uint64_t tm__reader_before(JNIEnv *jni, jobject lock, uint64_t thread)
{
    tm__readers readers = tm__readers_read(jni, lock);

    if (thread == readers.first || thread == readers.last)
        return thread;
    return readers.first ? readers.first : readers.last;
}

/* A thread that parks for a lock that it already reads wants to write. */
static int is_reader(JNIEnv *jni, jobject lock, jthread thread)
{
    uint64_t id = tm__thread_id(jni, thread);

    return id && tm__reader_before(jni, lock, id) == id;
}

/* The owner first, and then the state: both are empty only where nobody has it. */
static void read_owner(tm__parked *it, JNIEnv *jni, jthread thread, jobject lock,
                       int kind, int64_t *time_ns)
{
    jobject owner = owner_of(jni, lock);

    if (owner) {
        if (!time_ns || has_at(time_ns, jni, lock, owner))
            it->owner = tm__thread_id(jni, owner);
        it->flags = it->owner ? TM_EVENT_OWNER_READ : 0;
        (*jni)->DeleteLocalRef(jni, owner);
    } else if (kind != TM__BLOCKER_OWNABLE) {
        if (is_free(jni, lock, kind))
            it->flags = TM_EVENT_OWNER_READ;
        else if (is_shared(jni, lock, kind)) {
            it->flags = TM_EVENT_OWNER_READ | TM_EVENT_SHARED;
            it->is_reader = it->lock == it->object && is_reader(jni, lock, thread);
        }
    }
}

static void read_lock(tm__parked *it, tm__buffer *buffer, JNIEnv *jni, jthread thread,
                      jobject blocker, int kind, int64_t *time_ns)
{
    jobject lock;

    if (kind == TM__BLOCKER_OTHER)
        return;
    if (kind < TM__BLOCKER_CONDITION) {
        it->lock = it->object;
        read_owner(it, jni, thread, blocker, kind, time_ns);
        return;
    }
    lock = (*jni)->GetObjectField(
        jni, blocker, tm__the_java.condition_lock[kind - TM__BLOCKER_CONDITION]);
    if (!lock)
        return;
    it->lock = tm__parked_for_id(buffer, jni, lock, &kind);
    if (it->lock)
        read_owner(it, jni, thread, lock, kind, time_ns);
    (*jni)->DeleteLocalRef(jni, lock);
}

static jobject blocker_of(JNIEnv *jni, jthread thread)
{
    if (!thread || !tm__the_java.thread_blocker)
        return NULL;
    return (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
}

tm__parked tm__parked_read(tm__buffer *buffer, JNIEnv *jni, jthread thread,
                           int64_t *time_ns)
{
    tm__parked it = {0};
    jobject blocker = blocker_of(jni, thread);
    int kind;

    if (!blocker)
        return it;
    it.object = tm__parked_for_id(buffer, jni, blocker, &kind);
    read_lock(&it, buffer, jni, thread, blocker, kind, time_ns);
    (*jni)->DeleteLocalRef(jni, blocker);
    return it;
}

/* Another owner by now, or an earlier unpark that reported the same, does not matter: a
 * thread that is not known as the owner releases nothing. */
void tm__park_report_release(tm__event_report *report, const tm__parked *parked)
{
    if (parked->lock && parked->lock != parked->object &&
        parked->owner != report->thread)
        tm__event_report_add(
            report, TM__NO_STACK,
            (tm_event){.kind = TM_EVENT_RELEASED, .object = parked->lock});
}

tm_event tm__park_event(const tm__parked *parked)
{
    tm_event event = {.kind = TM_EVENT_PARK, .object = parked->object};

    if (parked->lock == parked->object && parked->owner) {
        event.peer = parked->owner;
        event.flags = TM_EVENT_PEER_REPORTED;
    } else if (parked->is_reader) {
        event.flags = TM_EVENT_SHARED;
    }
    return event;
}

void tm__park_settle(tm_event *park, void *parking)
{
    const tm__parking *it = parking;
    jobject blocker, owner;
    uint64_t id;

    if (!park->peer)
        return;
    blocker = blocker_of(it->jni, it->thread);
    owner = blocker ? owner_of(it->jni, blocker) : NULL;
    id = owner ? tm__thread_id(it->jni, owner) : 0;
    if (id != park->peer) {
        park->peer = id;
        park->flags &= (uint16_t)~TM_EVENT_PEER_REPORTED;
        park->flags |= id ? TM_EVENT_PEER_INFERRED : 0;
    }
    (*it->jni)->DeleteLocalRef(it->jni, owner);
    (*it->jni)->DeleteLocalRef(it->jni, blocker);
}

tm_event tm__unpark_event(const tm__parked *parked, uint64_t thread)
{
    return (tm_event){
        .kind = TM_EVENT_UNPARK_CALLED,
        .peer = thread,
        .object = parked->lock ? parked->lock : parked->object,
        .value = (int64_t)parked->owner,
        .flags = parked->flags,
    };
}

/* A condition has no owner; its lock concerns the park that follows where another has
 * it. */
tm_event tm__park_end_event(tm__event_report *report, JNIEnv *jni, jthread thread,
                            int64_t timeout_ns, int64_t began_ns)
{
    int64_t parked_ns = report->time_ns - began_ns;
    tm__parked parked = tm__parked_read(report->buffer, jni, thread, &report->time_ns);
    tm_event event = {.kind = TM_EVENT_UNPARKED, .object = parked.object};

    if (parked.lock == parked.object) {
        event.value = (int64_t)parked.owner;
        event.flags = parked.flags;
    }
    if (thread && tm__thread_is_interrupted(jni, thread))
        event.flags |= TM_EVENT_BY_INTERRUPT;
    else if (timeout_ns > 0 && parked_ns >= timeout_ns)
        event.flags |= TM_EVENT_TIMED_OUT;
    return event;
}
