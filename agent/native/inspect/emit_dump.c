/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread is a Snapshot, with the owner of what it waits for as its peer: reported
 * where neither has moved while both were looked at, else inferred.
 */
#include "inspect/emit_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include <threadmodel/error.h>
#include <threadmodel/event.h>
#include <threadmodel/model.h>
#include <threadmodel/version.h>
#include <threadmodel/writer.h>

#include "inspect/dump_definitions.h"
#include "inspect/system_call.h"

/* A class, method, stack or object that has a number in the trace, by its text. */
/* A thread that was in the look before. */
typedef struct member {
    uint64_t tid;
    uint64_t look;
    UT_hash_handle hh;
} member;

struct tm__dump_writer {
    tm__dump_definitions definitions;
    member *members;
    uint64_t looks;
    int64_t first_ns, last_ns;
};
static int state_of(const tm__target *target, const tm__task *task)
{
    char text[512];

    if (task->wait.kind != TM__WAIT_NONE)
        return tm__dump_state_of(&task->wait);
    if (task->state == 'R')
        return TM_STATE_RUNNING;
    return tm__call_describe(target, task, text, sizeof(text)) == TM__CALL_SLEEP
               ? TM_STATE_SLEEPING
               : TM_STATE_UNKNOWN;
}

static void note_member(tm__dump_writer *it, uint64_t tid)
{
    member *known;

    HASH_FIND(hh, it->members, &tid, sizeof(tid), known);
    if (!known && (known = calloc(1, sizeof(*known)))) {
        known->tid = tid;
        HASH_ADD(hh, it->members, tid, sizeof(known->tid), known);
    }
    if (known)
        known->look = it->looks;
}

static void emit(tm__dump_writer *it, const tm_event *event)
{
    const tm_sink *sink = tm_writer_sink(it->definitions.writer);

    if (sink->events(sink->payload, event, 1) != TM_OK)
        it->definitions.has_failed = 1;
}

/* The owner, as the trace numbers threads. One that has ended is there no more. */
static uint64_t owner_of(tm__dump_writer *it, tm__target *target,
                         const tm__thread_wait *wait)
{
    const tm__task *owner = tm__target_inner(target, wait->owner);
    tm_event event = {
        .time_ns = it->last_ns, .thread = wait->owner, .kind = TM_EVENT_THREAD_END};
    char name[48];

    if (owner || !wait->owner)
        return owner ? owner->tid : 0;
    snprintf(name, sizeof(name), "thread %u, which has ended", wait->owner);
    tm__dump_define_thread(&it->definitions, wait->owner, name);
    emit(it, &event);
    return wait->owner;
}

static void add_acquired(tm__dump_writer *it, const tm__task *task, uint64_t object)
{
    tm_event event = {.time_ns = it->last_ns,
                      .thread = task->tid,
                      .object = object,
                      .kind = TM_EVENT_ACQUIRED};

    emit(it, &event);
}

static void add_task(tm__dump_writer *it, tm__target *target, const tm__task *task)
{
    tm_event event = {.time_ns = it->last_ns,
                      .thread = task->tid,
                      .value = state_of(target, task),
                      .kind = TM_EVENT_SNAPSHOT};

    tm__dump_define_thread(&it->definitions, task->tid, task->name);
    note_member(it, task->tid);
    event.stack = tm__dump_define_stack(&it->definitions, target, task);
    if (task->wait.kind != TM__WAIT_NONE) {
        event.object = tm__dump_define_object(&it->definitions, target, &task->wait);
        event.peer = owner_of(it, target, &task->wait);
    }
    /* A thread that waits for itself has acquired the lock before. */
    if (event.peer == task->tid) {
        if (task->wait.is_confirmed)
            add_acquired(it, task, event.object);
        event.peer = 0;
    }
    if (event.peer)
        event.flags =
            task->wait.is_confirmed ? TM_EVENT_PEER_REPORTED : TM_EVENT_PEER_INFERRED;
    if (task->wait.kind == TM__WAIT_RWLOCK_READ)
        event.flags |= TM_EVENT_SHARED;
    emit(it, &event);
}

/* The owner of a lock, while another thread waits for it. */
static void add_owner(tm__dump_writer *it, const tm__target *target,
                      const tm__task *task)
{
    const tm__task *owner = tm__target_inner(target, task->wait.owner);
    tm_event event = {.time_ns = it->last_ns,
                      .object = task->wait.object,
                      .kind = TM_EVENT_HELD,
                      .flags = TM_EVENT_CONFIRMED | TM_EVENT_PEER_REPORTED};

    if (!owner || !tm__dump_is_lock(&task->wait) || !task->wait.is_confirmed)
        return;
    event.thread = owner->tid;
    emit(it, &event);
}

static void add_gone(tm__dump_writer *it)
{
    member *known, *next;

    HASH_ITER(hh, it->members, known, next)
    {
        tm_event event = {
            .time_ns = it->last_ns, .thread = known->tid, .kind = TM_EVENT_THREAD_END};

        if (known->look == it->looks)
            continue;
        emit(it, &event);
        HASH_DEL(it->members, known);
        free(known);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

tm__dump_writer *tm__dump_writer_open(const char *path, const tm__target *target)
{
    tm__dump_writer *it = calloc(1, sizeof(*it));
    tm_run run = TM_RUN_INIT;
    struct timespec wall;
    char producer[64];

    if (!it)
        return NULL;
    if (tm_writer_open(&it->definitions.writer, path, NULL) != TM_OK) {
        free(it);
        return NULL;
    }
    clock_gettime(CLOCK_REALTIME, &wall);
    it->first_ns = it->last_ns = now_ns();
    snprintf(producer, sizeof(producer), "threadmodel-native-dump %d.%d.%d",
             TM_VERSION_MAJOR, TM_VERSION_MINOR, TM_VERSION_PATCH);
    run.producer = producer;
    run.command = target->command;
    run.pid = target->pid;
    run.start_ns = it->first_ns;
    run.start_wall_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
    run.kinds = UINT64_C(1) << TM_EVENT_SNAPSHOT | UINT64_C(1) << TM_EVENT_HELD |
                UINT64_C(1) << TM_EVENT_THREAD_END;
    run.identity = TM_IDENTITY_ADDRESS;
    run.policy = TM_POLICY_REPORTED;
    TM__DUMP_DEFINE(&it->definitions, run, &run);
    return it;
}

void tm__dump_writer_add(tm__dump_writer *it, tm__target *target)
{
    it->last_ns = now_ns();
    it->looks++;
    for (size_t i = 0; i < target->task_count; i++)
        if (target->tasks[i].state != 'Z')
            add_task(it, target, &target->tasks[i]);
    for (size_t i = 0; i < target->task_count; i++)
        add_owner(it, target, &target->tasks[i]);
    add_gone(it);
}

static void describe(tm__dump_writer *it, const tm__target *target)
{
    char text[512];

    if (it->looks == 1)
        TM__DUMP_DEFINE(&it->definitions, caveat,
                        "A thread dump is one instant: no state in it has a duration.");
    else {
        snprintf(
            text, sizeof(text),
            "%" PRIu64 " thread dumps in %" PRId64 " ms: between two of them each "
            "thread is shown as in the earlier one; anything that began and ended in "
            "between is not seen.",
            it->looks, (it->last_ns - it->first_ns) / 1000000);
        TM__DUMP_DEFINE(&it->definitions, caveat, text);
    }
    TM__DUMP_DEFINE(
        &it->definitions, caveat,
        "Of the locks that a thread owns those are known that another one waits for; "
        "of readers of a lock only how many there are.");
    if (*target->refusal) {
        snprintf(text, sizeof(text), "Not all was read: %s.", target->refusal);
        TM__DUMP_DEFINE(&it->definitions, caveat, text);
    }
    if (strcmp(target->runtime, "Go") == 0)
        TM__DUMP_DEFINE(
            &it->definitions, caveat,
            "This is a Go program: its goroutines are not threads, and what they wait "
            "for is not seen here. SIGQUIT, or /debug/pprof/goroutine?debug=2 of "
            "net/http/pprof, prints them.");
}

int tm__dump_writer_close(tm__dump_writer *it, const tm__target *target)
{
    tm_run run = TM_RUN_INIT;
    member *one, *next;
    int rc;

    describe(it, target);
    run.end_ns = it->last_ns;
    TM__DUMP_DEFINE(&it->definitions, run, &run);
    rc = tm_writer_close(it->definitions.writer) == TM_OK && !it->definitions.has_failed
             ? 0
             : -1;
    HASH_ITER(hh, it->members, one, next)
    {
        HASH_DEL(it->members, one);
        free(one);
    }
    tm__dump_definitions_free(&it->definitions);
    free(it);
    return rc;
}
