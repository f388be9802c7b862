/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of threads that wait for one another, found while the program runs. A
 * model of its own is fed with what the VM said of blocked threads, and with
 * nothing else, so that a busy program costs it nothing. Its answer is a suspicion:
 * the owner of a synchronizer may have changed since it was read. So the VM is
 * asked again, and the cycle is reported when it agreed and, by all events up to
 * then, no member has moved:
 *
 *      suspected ──▶ verified at t ──▶ horizon > t, same blocking intervals: reported
 *              └ the VM says no: withdrawn, and found again if it comes to be
 */
#include "blocked/deadlock_watch.h"

#include <stdlib.h>

#include <threadmodel/deadlock.h>
#include <threadmodel/error.h>

#include "blocked/deadlock_message.h"
#include "blocked/long_blocked_ask.h"
#include "blocked/long_blocked_table.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/vm.h"

/* Facts about threads that have continued are useless: beyond this size the model is
 * built anew, from the blocked threads as they are asked again. */
static const size_t MODEL_BYTES = 512 * 1024;

enum { CANDIDATES = 8, MEMBERS = 64 };

typedef struct candidate {
    int32_t number; ///< in the model; < 0: this slot is free
    size_t count;
    uint64_t threads[MEMBERS];
    uint64_t serials[MEMBERS]; ///< of their blocking intervals, once verified
    int64_t verified_ns;       ///< 0: not yet
} candidate;

static tm_model *model;
static candidate candidates[CANDIDATES];
static int near_count;

static void drop(candidate *c)
{
    c->number = -1;
    near_count--;
}

static int found(void *payload, const tm_deadlock_member *members, size_t count,
                 int32_t number)
{
    (void)payload;
    for (candidate *c = candidates; c < candidates + CANDIDATES; c++) {
        if (c->number >= 0 || count > MEMBERS)
            continue;
        *c = (candidate){.number = number, .count = count};
        for (size_t i = 0; i < count; i++)
            c->threads[i] = members[i].thread;
        near_count++;
        break;
    }
    return TM_OK;
}

static void forget_candidates(void)
{
    for (candidate *c = candidates; c < candidates + CANDIDATES; c++)
        c->number = -1;
    near_count = 0;
}

int tm__deadlock_watch_open(void)
{
    tm_model_options options = {
        .size = sizeof(options),
        .memory_limit_bytes = MODEL_BYTES / 2,
    };
    int rc = tm_model_new(&model, &options);

    forget_candidates();
    if (rc == TM_OK)
        tm_deadlock_watch(model, found, NULL);
    return rc;
}

/* A model without memory finds nothing for now: the trace has all facts. */
static void ingest(tm_event event)
{
    if (model)
        tm_model_ingest(model, &event, 1);
}

static void read_beginning(const tm__long_blocked *it)
{
    tm_event event = {
        .time_ns = it->since_ns,
        .thread = it->thread,
        .object = it->object,
        .kind = TM_EVENT_CONTENDED_ENTER,
    };

    if (it->state == TM_STATE_PARKED) {
        event.kind = TM_EVENT_PARK;
    } else if (it->state == TM_STATE_JOINING) {
        event.kind = TM_EVENT_JOIN;
        event.object = 0;
        event.peer = it->owner;
    }
    ingest(event);
}

static void note_held(uint64_t thread, uint64_t object, int64_t time_ns, int is_shared)
{
    ingest((tm_event){
        .time_ns = time_ns,
        .thread = thread,
        .object = object,
        .kind = TM_EVENT_HELD,
        .flags = TM_EVENT_PEER_REPORTED | (is_shared ? TM_EVENT_SHARED : 0),
    });
}

void tm__deadlock_watch_feed(const tm__long_blocked *it)
{
    const tm_sink *sink;

    if (model && tm_model_memory_bytes(model) > MODEL_BYTES) {
        tm__deadlock_watch_close();
        tm__deadlock_watch_open();
    }
    if (!model || it->state == TM_STATE_WAITING)
        return;
    sink = tm_model_sink(model);
    if (it->state == TM_STATE_PARKED)
        /* Otherwise it would be taken for a monitor, and its owner would seem to have
         * released it when that states which monitors it holds. */
        sink->define_object(sink->payload,
                            &(tm_object){.size = sizeof(tm_object),
                                         .id = it->object,
                                         .flags = TM_OBJECT_SYNCHRONIZER});
    if (!it->is_fed) {
        read_beginning(it);
        if (it->is_held_known)
            note_held(it->thread, 0, it->asked_ns, 0);
        for (uint32_t i = 0; i < it->held_count; i++)
            note_held(it->thread, it->held[i], it->asked_ns, 0);
    }
    if (tm__long_blocked_has_owner(it) && it->owner)
        note_held(it->owner, it->object, it->asked_ns, it->is_shared);
}

void tm__deadlock_watch_end(const tm__long_blocked *it)
{
    static const uint16_t ends[TM_STATE_END] = {
        [TM_STATE_BLOCKED] = TM_EVENT_CONTENDED_ENTERED,
        [TM_STATE_REENTERING] = TM_EVENT_CONTENDED_ENTERED,
        [TM_STATE_JOINING] = TM_EVENT_JOINED,
        [TM_STATE_PARKED] = TM_EVENT_UNPARKED,
    };

    ingest((tm_event){
        .time_ns = it->asked_ns,
        .thread = it->thread,
        .kind = ends[it->state],
    });
}

static int holds(const tm__long_blocked *it, uint64_t object)
{
    for (uint32_t i = 0; i < it->held_count; i++)
        if (it->held[i] == object)
            return 1;
    return 0;
}

/* Whether a thread waits for the next one, by the VM's present answer. The monitors
 * that a blocked thread holds cannot have changed since it was asked. */
static int waits_for(JNIEnv *jni, const tm__long_blocked *it,
                     const tm__long_blocked *next)
{
    int is_shared;

    if (it->state == TM_STATE_JOINING)
        return it->owner == next->thread;
    if (tm__long_blocked_has_owner(it))
        return tm__long_blocked_owner(jni, it, &is_shared) == next->thread;
    return holds(next, it->object);
}

/* @return 0: one of them has gone on */
static int find_members(const candidate *c, tm__long_blocked **members)
{
    for (size_t i = 0; i < c->count; i++) {
        members[i] = tm__long_blocked_find(c->threads[i]);
        if (!members[i] || !members[i]->is_fed)
            return 0;
    }
    return 1;
}

static int all_reported(tm__long_blocked *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!members[i]->is_reported)
            return 0;
    return 1;
}

static int agrees(JNIEnv *jni, candidate *c)
{
    tm__long_blocked *members[MEMBERS];

    if (!find_members(c, members) || all_reported(members, c->count))
        return 0;
    for (size_t i = 0; i < c->count; i++) {
        if (!waits_for(jni, members[i], members[(i + 1) % c->count]))
            return 0;
        c->serials[i] = members[i]->serial;
    }
    return 1;
}

void tm__deadlock_watch_verify(JNIEnv *jni)
{
    for (candidate *c = candidates; near_count && c < candidates + CANDIDATES; c++) {
        if (c->number < 0 || c->verified_ns)
            continue;
        if (agrees(jni, c)) {
            c->verified_ns = tm__now_ns();
        } else {
            tm_deadlock_confirm(model, c->number, 0);
            drop(c);
        }
    }
}

/* Write to the trace which thread owned which lock when the VM confirmed the deadlock,
 * unless the locks that a thread holds were reported with its blocking interval. */
static int emit_owners(tm__long_blocked *const *members, size_t count, int64_t time_ns)
{
    const tm_sink *sink = tm__the_recording.sink;
    int rc = TM_OK;

    for (size_t i = 0; i < count && rc >= 0; i++) {
        tm_event event = {
            .time_ns = time_ns,
            .thread = members[(i + 1) % count]->thread,
            .object = members[i]->object,
            .kind = TM_EVENT_HELD,
            .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
        };

        if (members[i]->is_shared)
            event.flags |= TM_EVENT_SHARED;
        if (tm__long_blocked_has_owner(members[i]))
            rc = sink->events(sink->payload, &event, 1);
    }
    return rc;
}

static int still_stand(const candidate *c, tm__long_blocked **members)
{
    if (!find_members(c, members))
        return 0;
    for (size_t i = 0; i < c->count; i++)
        if (members[i]->serial != c->serials[i])
            return 0;
    return 1;
}

/* Threads that try for one another's locks time and again are in a new circle with each
 * try: the message is for the first. */
static int is_printed_before(tm__long_blocked *const *members, size_t count)
{
    static uint64_t printed[CANDIDATES];
    static size_t next;
    uint64_t print = 0;
    int is_timed = 0;

    for (size_t i = 0; i < count; i++) {
        print += members[i]->thread * UINT64_C(0x9E3779B97F4A7C15) ^ members[i]->object;
        is_timed |= members[i]->timeout_ns > 0;
    }
    for (size_t i = 0; is_timed && i < CANDIDATES; i++)
        if (printed[i] == print)
            return 1;
    printed[next] = print;
    next = (next + 1) % CANDIDATES;
    return 0;
}

int tm__deadlock_watch_report(JNIEnv *jni, int64_t horizon_ns)
{
    int rc = TM_OK;

    for (candidate *c = candidates; near_count && c < candidates + CANDIDATES; c++) {
        tm__long_blocked *members[MEMBERS];

        if (c->number < 0 || !c->verified_ns || c->verified_ns >= horizon_ns)
            continue;
        /* The model may have found the same one twice before the first was reported. */
        if (still_stand(c, members) && !all_reported(members, c->count)) {
            tm_deadlock_confirm(model, c->number, 1);
            rc = emit_owners(members, c->count, horizon_ns - 1);
            if (!is_printed_before(members, c->count))
                tm__deadlock_message_print(jni, members, c->count);
            for (size_t i = 0; i < c->count; i++)
                members[i]->is_reported = 1;
        }
        drop(c);
    }
    return rc;
}

int tm__deadlock_watch_is_near(void)
{
    return near_count > 0;
}

void tm__deadlock_watch_close(void)
{
    tm_model_free(model);
    model = NULL;
    forget_candidates();
}
