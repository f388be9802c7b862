/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There may be a million virtual threads, parked nearly all. So they are not asked
 * at once, while events accumulate in the rings: for a few ms each time, and half of
 * the time, until all have been or as many as are worth the memory. To ask one stops at
 * most that one.
 *
 * A blocked thread may be asked long before its monitor's owner is. So when all have
 * stated what they hold, those whose owner was not known are reported once more: a
 * reader knows it by then.
 *
 *      asked ──▶ "wants A", owner unknown ──▶ ... another "holds A" ──▶ "wants A"
 */
#include "blocked/catch_up_virtual.h"

#include <inttypes.h>
#include <stdio.h>

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "base/memory.h"
#include "blocked/catch_up_ask.h"
#include "ident/thread_id.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "virtual/enumerate.h"
#include "vm/thread_snapshot.h"

static const int64_t ASKING_NS = INT64_C(5000000);

/* Some 300 bytes are kept of each thread while it stays parked. */
enum { ASKED_MAX = 100000 };

static enum { IDLE, ASKING, REPORTING_AGAIN } stage;
static uint64_t newest;
static int (*has_spoken)(uint64_t thread);
static uint64_t found, asked;
static int64_t due_ns;
static int is_unlisted; /* the JDK's account of them was not to be had */
static int is_partial;  /* it has those of executors and scopes alone */

static tm__memory memory;
static tm__catch_up_state *ownerless; /* blocked by it is not known whom */
static uint32_t ownerless_count, ownerless_capacity, reported_again;

void tm__catch_up_virtual_begin(JNIEnv *jni, uint64_t last,
                                int (*spoken)(uint64_t thread))
{
    has_spoken = spoken;
    tm__memory_init(&memory, NULL);
    found = asked = 0;
    due_ns = 0;
    newest = last;
    stage = ASKING;
    is_unlisted = is_partial = 0;
    if (!tm__virtual_exist(jni))
        return;
    is_unlisted = tm__virtual_walk_open(jni) != 0;
    is_partial = !is_unlisted && !tm__virtual_walk_is_whole(jni);
}

void tm__catch_up_virtual_note(const tm__catch_up_state *seen)
{
    if ((seen->state != TM_STATE_BLOCKED && seen->state != TM_STATE_REENTERING) ||
        !seen->object || seen->owner)
        return;
    if (tm__reserve(&memory, &ownerless, &ownerless_capacity,
                    (size_t)ownerless_count + 1, sizeof(*ownerless)) == TM_OK)
        ownerless[ownerless_count++] = *seen;
}

static void ask(JNIEnv *jni, tm__buffer *own, jthread thread)
{
    uint64_t id = tm__thread_id(jni, thread);
    tm__catch_up_state seen;

    if (id > newest)
        return;
    found++;
    if (asked >= ASKED_MAX || has_spoken(id))
        return;
    asked++;
    if (tm__catch_up_ask(&seen, own, jni, thread, NULL) == 0)
        tm__catch_up_virtual_note(&seen);
}

/* @return 1: there are no more */
static int ask_some(JNIEnv *jni, tm__buffer *own, int64_t until_ns)
{
    while (!tm__thread_ring_is_half_full(&own->ring) && tm__now_ns() < until_ns) {
        jthread thread = tm__virtual_walk_next(jni);

        if (!thread)
            return 1;
        ask(jni, own, thread);
        (*jni)->DeleteLocalRef(jni, thread);
    }
    return 0;
}

/* @return 1: there are no more */
static int report_again(tm__buffer *own)
{
    for (;
         reported_again < ownerless_count && !tm__thread_ring_is_half_full(&own->ring);
         reported_again++) {
        const tm__catch_up_state *it = &ownerless[reported_again];
        tm__record *record = tm__thread_ring_reserve(&own->ring, 0);

        if (!record)
            return 0;
        record->kind = TM_EVENT_SNAPSHOT;
        record->event.fact = (tm_event){
            .time_ns = tm__now_ns(),
            .thread = it->thread,
            .object = it->object,
            .value = it->state,
            .kind = TM_EVENT_SNAPSHOT,
        };
        tm__thread_ring_commit(&own->ring, record, 0);
    }
    return reported_again == ownerless_count;
}

static int emit_caveat(const char *sentence)
{
    const tm_sink *sink = tm__the_recording.sink;

    return sink->caveat(sink->payload, sentence);
}

int tm__catch_up_virtual_report(void)
{
    char sentence[240];
    int rc = TM_OK;

    if (stage == IDLE)
        return TM_OK;
    if (is_unlisted)
        rc = emit_caveat("Virtual threads that existed when recording began could not "
                         "be listed: each appears with its first event.");
    if (rc >= 0 && is_partial)
        rc = emit_caveat("The JDK does not list virtual threads that no executor "
                         "started (jdk.trackAllThreads): those that existed when "
                         "recording began appear with their first event.");
    if (rc >= 0 && found && !tm__thread_snapshot_is_open())
        rc =
            emit_caveat("Which monitors virtual threads held and wanted when recording "
                        "began is not known: the JDK reports it from release 25 on.");
    if (rc >= 0 && (found > ASKED_MAX || (found && stage == ASKING))) {
        snprintf(sentence, sizeof(sentence),
                 "%" PRIu64 " of %s%" PRIu64 " virtual threads that existed when "
                 "recording began were queried: the others appear with their first "
                 "event.",
                 asked, stage == ASKING ? "more than " : "", found);
        rc = emit_caveat(sentence);
    }
    return rc;
}

int tm__catch_up_virtual_round(JNIEnv *jni, tm__buffer *own)
{
    int64_t now_ns = tm__now_ns();
    int rc;

    if (stage == IDLE || now_ns < due_ns)
        return TM_OK;
    if (stage == ASKING && ask_some(jni, own, now_ns + ASKING_NS)) {
        is_unlisted |= tm__virtual_walk_close(jni) != 0;
        stage = REPORTING_AGAIN;
    }
    due_ns = tm__now_ns() + ASKING_NS;
    if (stage == ASKING || !report_again(own))
        return TM_OK;
    rc = tm__catch_up_virtual_report();
    tm__catch_up_virtual_end(jni);
    return rc;
}

int64_t tm__catch_up_virtual_due_ns(void)
{
    return stage == IDLE ? INT64_MAX : due_ns;
}

void tm__catch_up_virtual_end(JNIEnv *jni)
{
    tm__virtual_walk_close(jni);
    tm__free(&memory, ownerless, ownerless_capacity * sizeof(*ownerless));
    ownerless = NULL;
    ownerless_count = ownerless_capacity = reported_again = 0;
    stage = IDLE;
}
