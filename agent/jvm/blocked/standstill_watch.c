/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the whole program stands still, asked once a second while the process uses
 * next to no processor. The VM's own states are looked at, since they are there for any
 * primitive: as soon as one thread runs, is in native code, sleeps or waits with a
 * timeout, the program can go on. For nearly every program the look ends at its first
 * thread or two. Virtual threads are not visible here: where they run, nothing is
 * reported. A thread that waits for a class counts as one that waits, though the VM
 * calls it runnable; a circle of such threads is reported also where others go on.
 */
#include "blocked/standstill_watch.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "blocked/class_wait.h"
#include "blocked/long_blocked_table.h"
#include "blocked/standstill_message.h"
#include "blocked/thread_place.h"
#include "ident/thread_id.h"
#include "rings/clock.h"
#include "vm/message.h"
#include "vm/options.h"
#include "vm/vm.h"

static const int64_t LOOK_NS = INT64_C(1000000000);
/* A standstill that is due to be reported is looked at again within this. */
static const int64_t DUE_NS = INT64_C(100000000);
/* Between two looks there is no more, unless the process did not run. */
static const int64_t GAP_NS = INT64_C(4000000000);
/* A process that runs for more of a second than this does not stand still. Its
 * compilers run on for a while. */
static const int64_t BUSY_NS = INT64_C(500000000);
enum { THREADS_AT_MOST = 4096, SHOWN = 12 };

static int64_t looked_ns;
static int64_t due_ns;       ///< the last look at a standstill that was due
static int64_t used_ns;      ///< processor time of the process by then
static int64_t since_ns;     ///< it has stood still since; 0: it does not
static uint64_t fingerprint; ///< of all blocking intervals
static int64_t gap_ns;       ///< the end of the last gap between two looks
static int is_reported;

void tm__standstill_watch_open(void)
{
    looked_ns = due_ns = used_ns = since_ns = gap_ns = 0;
    fingerprint = 0;
    is_reported = 0;
    tm__class_waits_open();
}

int tm__standstill_watch_has_looked(int64_t from_ns)
{
    return gap_ns <= from_ns;
}

int tm__standstill_watch_has_reported(void)
{
    return is_reported;
}

static int64_t processor_time_ns(void)
{
    struct timespec used;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
        return 0;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

enum sight { SIGHT_MOVES, SIGHT_IDLE, SIGHT_WAITS, SIGHT_NONE };

/* The activity of a thread that waits without a timeout. */
static enum sight look_at_wait(JNIEnv *jni, jthread thread)
{
    switch (tm__thread_place(jni, thread)) {
    case TM__PLACE_OUTSIDE: return SIGHT_MOVES;
    case TM__PLACE_OTHER: return SIGHT_WAITS;
    default: return SIGHT_IDLE;
    }
}

static enum sight look_at(JNIEnv *jni, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    enum tm__membership membership;
    jint bits = 0;

    if ((*jvmti)->GetThreadState(jvmti, thread, &bits) != JVMTI_ERROR_NONE ||
        !(bits & JVMTI_THREAD_STATE_ALIVE))
        return SIGHT_NONE;
    membership = tm__thread_membership(jni, thread);
    /* A reaper that has no child process waits for one in a pool. */
    if (membership == TM__REAPER && bits & JVMTI_THREAD_STATE_RUNNABLE)
        return SIGHT_MOVES;
    if (membership != TM__OF_THE_PROGRAM)
        return SIGHT_NONE;
    if (tm__is_carrier(jni, thread))
        return SIGHT_MOVES;
    if (tm__class_wait_of(tm__thread_id(jni, thread)))
        return SIGHT_WAITS;
    if (bits & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return SIGHT_WAITS;
    if (!(bits & JVMTI_THREAD_STATE_WAITING) || bits & JVMTI_THREAD_STATE_SLEEPING)
        return SIGHT_MOVES;
    if (bits & JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT)
        return tm__thread_place(jni, thread) == TM__PLACE_IDLE ? SIGHT_IDLE
                                                               : SIGHT_MOVES;
    return look_at_wait(jni, thread);
}

/** A thread that waits, and a number of that wait. */
typedef struct member {
    uint64_t thread;
    uint64_t print;
} member;

/* The print of an unknown wait. */
enum { PRINT_UNKNOWN = 1 };

/** The state of all threads at one instant. */
typedef struct standstill {
    jthread waiting[SHOWN];
    member members[SHOWN];
    jint count;       ///< threads that wait; 0: one can go on, or all are idle
    int is_known;     ///< some were reported as a deadlock
    uint64_t print;   ///< of their blocking intervals
    int64_t since_ns; ///< when the last of them began to wait; INT64_MAX: not known
} standstill;

static uint64_t print_of(const tm__class_wait *class_wait,
                         const tm__long_blocked *blocked)
{
    return class_wait ? (uint64_t)class_wait->since_ns
           : blocked  ? blocked->serial
                      : PRINT_UNKNOWN;
}

/* @return how many threads wait; 0: one can go on, or all are idle */
static jint look(JNIEnv *jni, const jthread *threads, jint count, standstill *seen)
{
    for (jint i = 0; i < count; i++) {
        enum sight sight = look_at(jni, threads[i]);
        const tm__class_wait *class_wait;
        tm__long_blocked *blocked;
        int64_t began_ns;
        uint64_t id;

        if (sight == SIGHT_MOVES)
            return 0;
        if (sight != SIGHT_WAITS)
            continue;
        id = tm__thread_id(jni, threads[i]);
        blocked = tm__long_blocked_find(id);
        class_wait = tm__class_wait_of(id);
        if ((blocked && blocked->is_reported) ||
            (class_wait && class_wait->is_deadlocked)) {
            seen->is_known = 1;
            return 0;
        }
        began_ns = class_wait ? class_wait->since_ns
                   : blocked  ? blocked->since_ns
                              : INT64_MAX;
        seen->print = seen->print * 31 + print_of(class_wait, blocked);
        if (began_ns > seen->since_ns)
            seen->since_ns = began_ns;
        if (seen->count < SHOWN) {
            seen->waiting[seen->count] = threads[i];
            seen->members[seen->count] = (member){id, print_of(class_wait, blocked)};
        }
        seen->count++;
    }
    return seen->count;
}

static int64_t stuck_ns(void)
{
    return (int64_t)tm__the_options.stuck * 1000000000;
}

/* The members of what is reported. */
static member reported[SHOWN];
static jint reported_count;

static void over(int64_t now_ns)
{
    if (is_reported)
        tm__message("no longer stuck: the program goes on, after %lld s",
                    (long long)((now_ns - since_ns) / 1000000000));
    since_ns = 0;
    is_reported = 0;
}

/* A reported standstill is over when one of its threads goes on, and not when another
 * thread comes: a hook of the shutdown, for instance. @return -1: not known */
static int is_any_gone_on(void)
{
    for (jint i = 0; i < reported_count; i++) {
        uint64_t id = reported[i].thread;

        if (reported[i].print == PRINT_UNKNOWN)
            return -1;
        if (print_of(tm__class_wait_of(id), tm__long_blocked_find(id)) !=
            reported[i].print)
            return 1;
    }
    return 0;
}

static void judge(JNIEnv *jni, const jthread *threads, jint count, int64_t now_ns)
{
    standstill seen = {.count = 0};
    jint waits;

    if (is_reported && is_any_gone_on() == 0)
        return;
    waits = look(jni, threads, count, &seen);
    if (seen.is_known)
        return;
    if (!waits || (since_ns && seen.print != fingerprint))
        over(now_ns);
    if (waits && !since_ns) {
        since_ns = seen.since_ns < now_ns ? seen.since_ns : now_ns;
        fingerprint = seen.print;
    }
    if (!waits || is_reported || now_ns - since_ns < stuck_ns() ||
        !tm__standstill_watch_has_looked(now_ns - stuck_ns()))
        return;
    is_reported = 1;
    reported_count = waits < SHOWN ? waits : SHOWN;
    memcpy(reported, seen.members, sizeof(reported));
    tm__standstill_message_print(jni, seen.waiting,
                                 waits < SHOWN ? (size_t)waits : SHOWN, (size_t)waits,
                                 now_ns - since_ns);
}

/* Threads that wait for one another to initialise classes. */
static void look_for_circle(JNIEnv *jni, const jthread *threads, jint count,
                            int64_t now_ns)
{
    const tm__class_wait *members[SHOWN];
    jthread waiting[SHOWN];
    size_t found = tm__class_waits_circle(members, SHOWN, now_ns - stuck_ns());
    int64_t last_ns = 0;
    size_t shown = 0;

    for (size_t i = 0; i < found; i++) {
        if (members[i]->since_ns > last_ns)
            last_ns = members[i]->since_ns;
        for (jint k = 0; k < count; k++)
            if (tm__thread_id(jni, threads[k]) == members[i]->thread)
                waiting[shown++] = threads[k];
    }
    if (found && shown == found)
        tm__class_circle_message_print(jni, waiting, shown, now_ns - last_ns);
}

/* Whether a standstill has lasted for as long as it has to by now. */
static int is_due(int64_t now_ns)
{
    return tm__the_options.stuck && since_ns && !is_reported &&
           now_ns - since_ns >= stuck_ns() &&
           tm__standstill_watch_has_looked(now_ns - stuck_ns()) &&
           now_ns - due_ns >= DUE_NS;
}

static void free_threads(JNIEnv *jni, jthread *threads, jint count)
{
    for (jint i = 0; i < count; i++)
        (*jni)->DeleteLocalRef(jni, threads[i]);
    tm__deallocate((char *)threads);
}

static void look_when_due(JNIEnv *jni, int64_t now_ns)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread *threads = NULL;
    jint count = 0;

    due_ns = now_ns;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    if (count <= THREADS_AT_MOST) {
        look_for_circle(jni, threads, count, now_ns);
        judge(jni, threads, count, now_ns);
    }
    free_threads(jni, threads, count);
}

void tm__standstill_watch_last(JNIEnv *jni, tm__buffer *own)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread *threads = NULL;
    jint count = 0;

    if (!looked_ns || tm__now_ns() - looked_ns < DUE_NS ||
        (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    if (count <= THREADS_AT_MOST)
        tm__class_waits_round(jni, own, threads, count);
    free_threads(jni, threads, count);
}

void tm__standstill_watch_round(JNIEnv *jni, tm__buffer *own)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    int64_t now_ns = tm__now_ns(), used;
    jthread *threads = NULL;
    jint count = 0;
    int is_busy;

    if (now_ns - looked_ns < LOOK_NS) {
        if (is_due(now_ns))
            look_when_due(jni, now_ns);
        return;
    }
    /* Stopped by a signal, or a machine that slept: the others have not run either. */
    if (looked_ns && now_ns - looked_ns > GAP_NS)
        gap_ns = now_ns;
    used = processor_time_ns();
    is_busy = looked_ns && used - used_ns > (now_ns - looked_ns) / LOOK_NS * BUSY_NS;
    looked_ns = now_ns;
    used_ns = used;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    if (count <= THREADS_AT_MOST) {
        tm__class_waits_round(jni, own, threads, count);
        if (tm__the_options.stuck)
            look_for_circle(jni, threads, count, now_ns);
    }
    if (!tm__the_options.stuck || (is_busy && !is_reported) || count > THREADS_AT_MOST)
        over(now_ns);
    else
        judge(jni, threads, count, now_ns);
    free_threads(jni, threads, count);
}
