/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether others can end a wait is answered by the verdict on the trace. It is asked
 * only while a thread of the program has waited for long at a place where no worker
 * waits for work, and so seldom that this takes a thousandth of a processor. The
 * answer is true if each member still waits as it did:
 *
 *      a wait has lasted for 5 s ──▶ asked at t ──▶ same waits as at t: reported
 *                                                      └ one goes on: no longer stuck
 */
#include "blocked/part_watch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blocked/class_wait.h"
#include "blocked/long_blocked_table.h"
#include "blocked/own_trace.h"
#include "blocked/standstill_watch.h"
#include "blocked/thread_place.h"
#include "rings/clock.h"
#include "vm/message.h"
#include "vm/options.h"

static const int64_t LOOK_NS = INT64_C(1000000000);
/* The same waits are asked about again, as others may have ended or shown what they do.
 */
static const int64_t AGAIN_NS = INT64_C(2000000000);
/* A look asks the VM for so many stacks, each once a wait. */
enum { COST_PARTS = 1000, STACKS_A_LOOK = 8, MEMBERS_KEPT = 64 };

/** A thread that waits, and the number of that wait. */
typedef struct member {
    uint64_t thread, serial;
} member;

static int64_t looked_ns;
static int64_t ask_ns;   ///< nothing is asked before
static int64_t again_ns; ///< nor are the same waits
static uint64_t asked;   ///< stands for the waits that were asked about
static int64_t since_ns; ///< the last of the members waits since
static size_t kept;      ///< members of what is reported; 0: nothing is
static member members[MEMBERS_KEPT];

void tm__part_watch_reset(void)
{
    tm__own_trace_done();
    looked_ns = ask_ns = again_ns = since_ns = 0;
    asked = 0;
    kept = 0;
}

void tm__part_watch_forget(void)
{
    kept = 0;
}

static int64_t stuck_ns(void)
{
    return (int64_t)tm__the_options.stuck * 1000000000;
}

/* ---- is there a reason to ask? ---- */

/* A thread that waits for the end of another goes on when that one does. */
static int is_join_of_another(const tm__long_blocked *it)
{
    return it->state == TM_STATE_JOINING && it->owner != it->thread;
}

static int is_long(const tm__long_blocked *it, int64_t before_ns)
{
    return it->kind && it->since_ns <= before_ns && !it->timeout_ns &&
           !it->is_reported && !is_join_of_another(it);
}

/* A worker that waits for work is no reason, nor is a thread of the VM. */
static uint8_t place_of(JNIEnv *jni, const tm__long_blocked *it)
{
    jthread thread = tm__long_blocked_thread(jni, it);
    enum tm__place place = TM__PLACE_IDLE;

    if (thread && tm__thread_membership(jni, thread) == TM__OF_THE_PROGRAM)
        place = tm__thread_place(jni, thread);
    (*jni)->DeleteLocalRef(jni, thread);
    return (uint8_t)place;
}

/* @return a number that stands for all waits that are a reason to ask; 0: none is */
static uint64_t print_of_waits(JNIEnv *jni, int64_t before_ns)
{
    uint64_t print = 0;
    int stacks = 0;

    for (tm__long_blocked *it = tm__long_blocked_any(); it;
         it = (tm__long_blocked *)it->hh.next) {
        if (!is_long(it, before_ns))
            continue;
        if (it->place == TM__PLACE_UNSEEN && stacks < STACKS_A_LOOK) {
            it->place = place_of(jni, it);
            stacks++;
        }
        if (it->place == TM__PLACE_OTHER)
            print += it->serial * UINT64_C(0x9E3779B97F4A7C15);
    }
    return print;
}

static void ask(JNIEnv *jni, const char *path, int64_t now_ns)
{
    uint64_t print;

    if (now_ns < ask_ns || !tm__standstill_watch_has_looked(now_ns - stuck_ns()))
        return;
    print = print_of_waits(jni, now_ns - stuck_ns());
    if (!print || (print == asked && now_ns < again_ns) ||
        tm__own_trace_ask(path, now_ns) < 0)
        return;
    asked = print;
    again_ns = now_ns + AGAIN_NS;
}

/* ---- the answer ---- */

/* Circles of owners and of initialisers have their own messages. */
static int is_known_deadlock(const tm__long_blocked *it)
{
    const tm__class_wait *class_wait = tm__class_wait_of(it->thread);

    return it->is_reported || (class_wait && class_wait->is_deadlocked);
}

/* Whether each member still waits, and has for long enough. */
static int keep_members(const tm__live_verdict *it, int64_t now_ns)
{
    size_t count = 0;

    since_ns = INT64_MIN;
    for (size_t i = 0; i < it->count; i++) {
        const tm__long_blocked *blocked = tm__long_blocked_find(it->threads[i]);

        if (!blocked || is_known_deadlock(blocked) ||
            now_ns - blocked->since_ns < stuck_ns())
            return 0;
        if (blocked->since_ns > since_ns)
            since_ns = blocked->since_ns;
        if (count < MEMBERS_KEPT)
            members[count++] = (member){blocked->thread, blocked->serial};
    }
    kept = count;
    return 1;
}

static void take_answer(int64_t now_ns)
{
    const tm__live_verdict *it;
    int64_t cost_ns;
    char *text = NULL;

    if (!tm__own_trace_answer(&it, &cost_ns))
        return;
    ask_ns = now_ns + cost_ns * COST_PARTS;
    if (it && !tm__standstill_watch_has_reported() && keep_members(it, now_ns))
        text = tm__live_verdict_text(it, now_ns - since_ns, 0);
    if (text)
        tm__message_lines(text, strlen(text));
    free(text);
    tm__own_trace_done();
}

static void look_for_end(int64_t now_ns)
{
    for (size_t i = 0; i < kept; i++) {
        const tm__long_blocked *it = tm__long_blocked_find(members[i].thread);

        if (it && it->serial == members[i].serial)
            continue;
        tm__message("no longer stuck: a thread of these goes on, after %lld s",
                    (long long)((now_ns - since_ns) / 1000000000));
        kept = 0;
        return;
    }
}

void tm__part_watch_round(JNIEnv *jni, const char *path)
{
    int64_t now_ns = tm__now_ns();

    if (!tm__the_options.stuck || !path)
        return;
    if (kept) {
        look_for_end(now_ns);
        return;
    }
    take_answer(now_ns);
    if (kept || now_ns - looked_ns < LOOK_NS)
        return;
    looked_ns = now_ns;
    ask(jni, path, now_ns);
}
