/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that have been blocked for long: blocked, waiting or parked. A monitor
 * that was taken without contention was never reported, so a deadlock of two such
 * monitors would not be seen; only the VM knows who has them.
 *
 * To ask what a thread holds stops that thread, not the others, for 3 to 40 us by
 * the depth of its stack. It is asked once a blocking interval, and only when that has
 * lasted for longer than most ever do; what it then holds it goes on holding until it
 * gets on. So the answer is kept until all events up to it have been merged, emitted in
 * its place among them if the thread is in the same blocking interval there, and
 * dropped otherwise:
 *
 *      ──Enter────────────── asked ──────── event of a later time: it held these
 *                              └ may be between two blocks
 *
 * The workload: every blocking interval of the program comes by here, and nearly all
 * end within a round.
 */
#include "blocked/long_blocked.h"

#include <stdlib.h>

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "blocked/deadlock_watch.h"
#include "blocked/long_blocked_answers.h"
#include "blocked/long_blocked_ask.h"
#include "blocked/long_blocked_table.h"
#include "blocked/owner_poll.h"
#include "blocked/part_watch.h"
#include "capture/missing_stacks.h"
#include "capture/wait_for.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "rings/membarrier.h"
#include "ring/recording_state.h"
#include "vm/vm.h"

/* Longer is worth a question. Two rounds after that a deadlock is reported. */
static const int64_t LONG_NS = INT64_C(25000000);

/* The time for questions in one round. Over many they take a thousandth of a
 * processor; who has asked little for a while may ask at once for more. */
static const int64_t ASKING_NS = INT64_C(1500000), SAVED_NS = INT64_C(3000000);
enum { PART = 1000 };
enum { AGAIN_A_ROUND = 64, MEMBERS = 64, ATTEMPTS = 4 };

static uint64_t last_serial;
static uint64_t closer; /* of a cycle whose members are to be asked; 0: none */
static int attempts;    /* to do so */
static int64_t settled_ns, saved_ns;

/* It is blocked no more. */
static void end(JNIEnv *jni, tm__long_blocked *it)
{
    if (!it->kind)
        return;
    if (it->is_fed)
        tm__deadlock_watch_end(it);
    tm__long_blocked_unlist(it);
    if (it->weak_is_ours)
        (*jni)->DeleteWeakGlobalRef(jni, it->weak);
    free(it->held);
    free(it->depths);
    it->kind = 0;
}

static void forget(JNIEnv *jni, tm__long_blocked *it)
{
    end(jni, it);
    tm__long_blocked_release(it);
}

static void begin(JNIEnv *jni, tm__long_blocked *it, const tm_event *event,
                  uint16_t kind, jweak weak, int weak_is_ours)
{
    UT_hash_handle place;

    if (!it)
        it = tm__long_blocked_make(event->thread);
    /* Without memory this one is not asked for; that is all. */
    if (!it) {
        if (weak_is_ours)
            (*jni)->DeleteWeakGlobalRef(jni, weak);
        return;
    }
    place = it->hh;
    *it = (tm__long_blocked){.thread = event->thread,
                             .object = event->object,
                             .owner = event->peer,
                             .serial = ++last_serial,
                             .since_ns = event->time_ns,
                             .timeout_ns =
                                 event->kind == TM_EVENT_SNAPSHOT ? 0 : event->value,
                             .weak = weak,
                             .weak_is_ours = weak_is_ours,
                             .kind = kind,
                             .stage = kind == TM_EVENT_CONTENDED_ENTER || event->peer
                                          ? TM__LONG_BLOCKED_FRESH
                                          : TM__LONG_BLOCKED_CALM,
                             .is_older = event->kind == TM_EVENT_SNAPSHOT,
                             .hh = place};
    tm__long_blocked_list(it);
}

void tm__long_blocked_forget(JNIEnv *jni, uint64_t thread)
{
    tm__long_blocked *it = tm__long_blocked_entry(thread);

    if (it)
        forget(jni, it);
}

void tm__long_blocked_forget_all(JNIEnv *jni)
{
    for (tm__long_blocked *it; (it = tm__long_blocked_any());)
        forget(jni, it);
    tm__owner_poll_forget();
    tm__part_watch_forget();
}

/* The kind of event with which a thread's blocking interval began, where this is one.
 */
static uint16_t beginning(const tm_event *event)
{
    switch (event->kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_WAIT:
    case TM_EVENT_JOIN:
    case TM_EVENT_PARK: return event->kind;
    case TM_EVENT_SNAPSHOT:
        switch (event->value) {
        case TM_STATE_BLOCKED: return TM_EVENT_CONTENDED_ENTER;
        case TM_STATE_WAITING:
        case TM_STATE_REENTERING: return TM_EVENT_WAIT;
        case TM_STATE_PARKED: return TM_EVENT_PARK;
        default: return 0;
        }
    default: return 0;
    }
}

void tm__long_blocked_follow(JNIEnv *jni, const tm_event *event, jweak weak,
                             int weak_is_ours)
{
    tm__long_blocked *known = tm__long_blocked_entry(event->thread);
    uint16_t kind = beginning(event);

    /* A stack that came later: it is in what it was in (missing_stacks.c). */
    if (known && !weak && event->kind == TM_EVENT_SNAPSHOT && known->kind == kind)
        return;
    if (known)
        end(jni, known);
    if (known && (weak_is_ours || !weak || event->kind == TM_EVENT_THREAD_END)) {
        forget(jni, known);
        known = NULL;
    }
    if (kind && weak)
        begin(jni, known, event, kind, weak, weak_is_ours);
    else if (weak_is_ours)
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    /* One that was lost may have been the end of any. */
    if (event->kind == TM_EVENT_LOST)
        tm__long_blocked_forget_all(jni);
}

void tm__long_blocked_note_held(const tm_event *event)
{
    tm__long_blocked *it = tm__long_blocked_find(event->thread);
    size_t count = it ? (size_t)it->held_count + 1 : 0;
    uint64_t *held;
    int32_t *depths;

    if (!it)
        return;
    if (event->object == 0) {
        it->held_count = 0;
        it->held_due = (uint32_t)event->value;
        it->is_held_known = it->held_due == 0;
        return;
    }
    held = realloc(it->held, count * sizeof(*held));
    it->held = held ? held : it->held;
    depths = realloc(it->depths, count * sizeof(*depths));
    it->depths = depths ? depths : it->depths;
    if (!held || !depths)
        return;
    it->held[it->held_count] = event->object;
    it->depths[it->held_count++] = (int32_t)event->value;
    it->is_held_known = it->held_count == it->held_due;
}

/* The thread that was asked longest ago comes first. */
static void ask_again(JNIEnv *jni, tm__buffer *own, int64_t until_ns)
{
    tm__long_blocked *it = tm__long_blocked_first(TM__LONG_BLOCKED_KNOWN);
    tm__long_blocked *last = tm__long_blocked_last(TM__LONG_BLOCKED_KNOWN);

    for (int i = 0; it && i < AGAIN_A_ROUND && tm__now_ns() < until_ns; i++) {
        tm__long_blocked *next = it == last ? NULL : it->next;

        if (!it->is_unanswered)
            tm__owner_poll_ask(jni, it);
        tm__long_blocked_answered(it, tm__long_blocked_query_again(jni, own, it));
        it = next;
    }
}

static void ask_one(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it)
{
    int answered = tm__long_blocked_query(jni, own, it);

    /* The buffers of platform threads show whose stack is missing. */
    if (it->weak_is_ours)
        tm__missing_stacks_ask_virtual(jni, own, it->thread, it->object, it->kind,
                                       it->since_ns, it->weak);
    tm__long_blocked_answered(it, answered);
}

static void ask_first(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it,
                      int64_t before_ns, int64_t until_ns)
{
    while (it && it->since_ns <= before_ns && tm__now_ns() < until_ns) {
        tm__long_blocked *next = it->next;

        ask_one(jni, own, it);
        if (!closer)
            tm__owner_poll_ask(jni, it);
        it = next;
    }
}

/* The members of a cycle that may just have been closed are not left to be blocked for
 * long. Where an owner is not known, any that is fresh may be one. Events of some may
 * not be merged yet: then those are asked in the next round. */
static int ask_cycle(JNIEnv *jni, tm__buffer *own, int64_t until_ns)
{
    uint64_t last = tm__wait_for_closed(), thread;
    int is_whole = 1;

    if (last) {
        closer = last;
        attempts = 0;
    }
    if (!closer)
        return 0;
    thread = closer;
    for (int i = 0; thread && i < MEMBERS; i++) {
        tm__long_blocked *it = tm__long_blocked_find(thread);

        if (!it)
            is_whole = 0;
        else if (it->stage == TM__LONG_BLOCKED_FRESH ||
                 it->stage == TM__LONG_BLOCKED_CALM)
            ask_one(jni, own, it);
        thread = tm__wait_for_owner(thread);
        if (thread == closer)
            break;
    }
    if (!thread)
        ask_first(jni, own, tm__long_blocked_first(TM__LONG_BLOCKED_FRESH), INT64_MAX,
                  until_ns);
    if (is_whole || ++attempts == ATTEMPTS)
        closer = 0;
    return 1;
}

/* @return what was saved for questions by now */
static int64_t save(int64_t now_ns)
{
    saved_ns += (now_ns - settled_ns) / PART;
    if (saved_ns > SAVED_NS)
        saved_ns = SAVED_NS;
    settled_ns = now_ns;
    return saved_ns;
}

/* A first question loads classes; the part of its cost beyond a round's is not counted.
 */
static void spend(int64_t used_ns)
{
    saved_ns -= used_ns;
    if (saved_ns < -ASKING_NS)
        saved_ns = -ASKING_NS;
}

static void ask_long(JNIEnv *jni, tm__buffer *own, int64_t before_ns, int64_t until_ns)
{
    ask_first(jni, own, tm__long_blocked_first(TM__LONG_BLOCKED_FRESH), before_ns,
              until_ns);
    ask_first(jni, own, tm__long_blocked_first(TM__LONG_BLOCKED_CALM), before_ns,
              until_ns);
    ask_again(jni, own, until_ns);
}

void tm__long_blocked_ask(JNIEnv *jni, tm__buffer *own, int final)
{
    int64_t now_ns = tm__now_ns();
    int64_t room_ns = save(now_ns);

    if (room_ns > ASKING_NS)
        room_ns = ASKING_NS;
    /* Questions less urgent than a deadlock come later, in the next rounds. */
    if (final) {
        ask_cycle(jni, own, INT64_MAX);
        ask_long(jni, own, INT64_MAX, INT64_MAX);
    } else if (!ask_cycle(jni, own, now_ns + ASKING_NS) &&
               !tm__deadlock_watch_is_near() && room_ns > 0) {
        int64_t used_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);

        ask_long(jni, own, now_ns - LONG_NS, now_ns + room_ns);
        spend(tm__clock_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns);
    }
    tm__deadlock_watch_verify(jni);
}

int64_t tm__long_blocked_due_ns(int64_t now_ns)
{
    return closer || tm__long_blocked_is_urgent() || tm__deadlock_watch_is_near()
               ? now_ns + 2 * TM__MEMBARRIER_SLACK_MS * INT64_C(1000000)
               : INT64_MAX;
}

void tm__long_blocked_close(JNIEnv *jni)
{
    tm__long_blocked_forget_all(jni);
    tm__long_blocked_table_close();
    tm__deadlock_watch_close();
}
