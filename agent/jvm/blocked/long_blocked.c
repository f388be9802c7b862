/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that have been blocked for long: blocked, waiting or parked. A monitor
 * that was taken without contention was never reported, so a deadlock of two such
 * monitors would not be seen; only the VM knows who has them.
 *
 * To ask what a thread holds stops that thread, not the others, for 3 to 40 us by
 * the depth of its stack. It is asked once a blocking interval, and only when that has
 * lasted for longer than most ever do; what it then holds it goes on holding until it
 * gets on. So the answer is kept until all events up to it have been merged, and
 * is true if the thread is in the same blocking interval then, and dropped otherwise:
 *
 *      ──Enter────────────── asked ──────── horizon ──▶ no Entered: it holds these
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

/* The time for questions in one round, some 3 % of one core at worst. */
static const int64_t ASKING_NS = INT64_C(1500000);
enum { AGAIN_A_ROUND = 64, MEMBERS = 64, ATTEMPTS = 4 };

typedef struct list {
    tm__long_blocked *first, *last;
} list;

static list lists[TM__LONG_BLOCKED_KNOWN + 1]; /* the oldest first; KNOWN: may change */
static uint64_t last_serial;
static uint64_t closer; /* of a cycle whose members are to be asked; 0: none */
static int attempts;    /* to do so */

static void append(list *to, tm__long_blocked *it)
{
    it->previous = to->last;
    it->next = NULL;
    if (to->last)
        to->last->next = it;
    else
        to->first = it;
    to->last = it;
}

/* One that is in no list is as one that is alone in it. */
static void unlink_entry(list *from, tm__long_blocked *it)
{
    if (it->previous)
        it->previous->next = it->next;
    else if (from->first == it)
        from->first = it->next;
    if (it->next)
        it->next->previous = it->previous;
    else if (from->last == it)
        from->last = it->previous;
    it->previous = NULL;
    it->next = NULL;
}

static void move(tm__long_blocked *it, int stage)
{
    unlink_entry(&lists[it->stage], it);
    it->stage = (uint8_t)stage;
    if (stage != TM__LONG_BLOCKED_KNOWN || tm__long_blocked_may_change(it))
        append(&lists[stage], it);
}

/* It is blocked no more. */
static void end(JNIEnv *jni, tm__long_blocked *it)
{
    if (!it->kind)
        return;
    if (it->is_fed)
        tm__deadlock_watch_end(it);
    unlink_entry(&lists[it->stage], it);
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
    append(&lists[it->stage], it);
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

/* What has not been asked again for longest comes first. */
static void ask_again(JNIEnv *jni, tm__buffer *own, int64_t until_ns)
{
    tm__long_blocked *it = lists[TM__LONG_BLOCKED_KNOWN].first;
    tm__long_blocked *last = lists[TM__LONG_BLOCKED_KNOWN].last;

    for (int i = 0; it && i < AGAIN_A_ROUND && tm__now_ns() < until_ns; i++) {
        tm__long_blocked *next = it == last ? NULL : it->next;

        if (!it->is_unanswered)
            tm__owner_poll_ask(jni, it);
        if (tm__long_blocked_query_again(jni, own, it)) {
            it->asked_ns = tm__now_ns();
            move(it, TM__LONG_BLOCKED_ASKED);
        } else {
            move(it, TM__LONG_BLOCKED_KNOWN);
        }
        it = next;
    }
}

static void ask_one(JNIEnv *jni, tm__buffer *own, tm__long_blocked *it)
{
    int answered = tm__long_blocked_query(jni, own, it);

    /* Of platform threads their buffers tell whose stack is missing. */
    if (it->weak_is_ours)
        tm__missing_stacks_ask_virtual(jni, own, it->thread, it->object, it->kind,
                                       it->since_ns, it->weak);
    it->asked_ns = tm__now_ns();
    move(it, answered ? TM__LONG_BLOCKED_ASKED : TM__LONG_BLOCKED_KNOWN);
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
        ask_first(jni, own, lists[TM__LONG_BLOCKED_FRESH].first, INT64_MAX, until_ns);
    if (is_whole || ++attempts == ATTEMPTS)
        closer = 0;
    return 1;
}

void tm__long_blocked_ask(JNIEnv *jni, tm__buffer *own, int final)
{
    int64_t now_ns = tm__now_ns();
    int64_t before_ns = final ? INT64_MAX : now_ns - LONG_NS;
    int64_t until_ns = final ? INT64_MAX : now_ns + ASKING_NS;

    /* What a deadlock can wait for comes after it, in the rounds to come. */
    if ((!ask_cycle(jni, own, until_ns) && !tm__deadlock_watch_is_near()) || final) {
        ask_first(jni, own, lists[TM__LONG_BLOCKED_FRESH].first, before_ns, until_ns);
        ask_first(jni, own, lists[TM__LONG_BLOCKED_CALM].first, before_ns, until_ns);
        ask_again(jni, own, until_ns);
    }
    tm__deadlock_watch_verify(jni);
}

int64_t tm__long_blocked_due_ns(int64_t now_ns)
{
    const tm__long_blocked *fresh = lists[TM__LONG_BLOCKED_FRESH].first;

    if (closer || lists[TM__LONG_BLOCKED_ASKED].first || tm__deadlock_watch_is_near())
        return now_ns + 2 * TM__MEMBARRIER_SLACK_MS * INT64_C(1000000);
    /* Each round has its price, so those that are due by then are asked together; whom
     * nobody is known to hold up can wait for the next one that comes anyway. */
    return fresh ? tm__on_grid_ns(fresh->since_ns + LONG_NS, LONG_NS) : INT64_MAX;
}

static int emit_answer(const tm__long_blocked *it, int64_t time_ns)
{
    const tm_sink *sink = tm__the_recording.sink;
    int rc = TM_OK;

    if (!it->is_held_known)
        return TM_OK;
    /* Who holds nothing and is not blocked tells nothing new. */
    if (it->state != TM_STATE_BLOCKED && !it->held_count)
        return TM_OK;
    /* The first, without an object, says that those which follow are all. */
    for (uint32_t i = 0; i <= it->held_count && rc >= 0; i++) {
        tm_event event = {
            .time_ns = time_ns,
            .thread = it->thread,
            .object = i > 0 ? it->held[i - 1] : 0,
            .kind = TM_EVENT_HELD,
            .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
        };

        rc = sink->events(sink->payload, &event, 1);
    }
    return rc;
}

int tm__long_blocked_emit(JNIEnv *jni, int64_t horizon_ns)
{
    tm__long_blocked *it = lists[TM__LONG_BLOCKED_ASKED].first;
    int rc = TM_OK;

    while (it && rc >= 0) {
        tm__long_blocked *next = it->next;

        if (it->asked_ns < horizon_ns) {
            if (!it->is_fed)
                rc = emit_answer(it, horizon_ns - 1);
            tm__deadlock_watch_feed(it);
            it->is_fed = it->state != TM_STATE_WAITING;
            move(it, TM__LONG_BLOCKED_KNOWN);
        }
        it = next;
    }
    return rc >= 0 ? tm__deadlock_watch_report(jni, horizon_ns) : rc;
}

void tm__long_blocked_close(JNIEnv *jni)
{
    tm__long_blocked_forget_all(jni);
    tm__long_blocked_table_close();
    tm__deadlock_watch_close();
}
