/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocking interval that never ends leaves no event, so a deadlock is not in a
 * recording but for the text of its thread dumps, a few a chunk. Only the members of
 * cycles are taken from each dump: about all others the events say more, with other
 * addresses. Members do not go on, so each is reported once, as a snapshot of the lock
 * that it wants, with those that it holds. No event follows the last dump, so each
 * thread that waits is taken from that one.
 */
#include "formats/jfr/witness.h"

#include <stdio.h>

#include <threadmodel/event.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jfr/actors.h"
#include "formats/jfr/code.h"
#include "formats/jstack/grammars.h"
#include "formats/jstack/parse.h"

void tm__jfr_witness_init(tm__jfr_witness *witness, tm__memory *memory,
                          tm__jfr_entities *entities, tm__notes *notes)
{
    *witness =
        (tm__jfr_witness){.memory = memory, .entities = entities, .notes = notes};
    tm__jstack_init(&witness->dump, memory);
    tm__jstack_cycles_init(&witness->cycles, memory);
    tm__map_init(&witness->reported, memory);
}

static const tm__jstack_lock *locks_of(const tm__jstack_dump *dump, uint32_t thread)
{
    return dump->locks + dump->threads[thread].lock_first;
}

static const tm__jstack_lock *lock_of_kind(const tm__jstack_dump *dump, uint32_t thread,
                                           uint32_t kinds)
{
    const tm__jstack_lock *locks = locks_of(dump, thread);

    for (uint32_t i = 0; i < dump->threads[thread].lock_count; i++)
        if (kinds >> locks[i].kind & 1 && locks[i].address)
            return &locks[i];
    return NULL;
}

/* The lock without which a thread cannot go on; NULL: there is none. */
static const tm__jstack_lock *wanted_by(const tm__jfr_witness *witness, uint32_t thread)
{
    uint32_t kinds =
        1u << TM__JSTACK_WANTED | 1u << TM__JSTACK_PARKING | 1u << TM__JSTACK_RELOCKING;

    if (witness->cycles.wants[thread].is_initialized_by_other)
        kinds |= 1u << TM__JSTACK_INITIALIZING;
    return lock_of_kind(&witness->dump, thread, kinds);
}

/* Whether a thread has the lock of a line, and did not release it in a wait. */
static int is_held(const tm__jstack_dump *dump, uint32_t thread,
                   const tm__jstack_lock *lock)
{
    const tm__jstack_lock *locks = locks_of(dump, thread);

    if (!lock->address ||
        (lock->kind != TM__JSTACK_LOCKED && lock->kind != TM__JSTACK_SYNCHRONIZER))
        return 0;
    for (uint32_t i = 0; i < dump->threads[thread].lock_count; i++)
        if ((locks[i].kind == TM__JSTACK_WAITING_ON ||
             locks[i].kind == TM__JSTACK_RELOCKING) &&
            locks[i].address == lock->address)
            return 0;
    return 1;
}

static int find_cycles(tm__jfr_witness *witness, uint64_t offset)
{
    const tm__jstack_dump *dump = &witness->dump;

    if (tm__jstack_cycles_start(&witness->cycles, dump) < 0 ||
        tm__jstack_cycles_initializers(&witness->cycles, dump) < 0)
        return tm__failure();
    for (uint32_t t = 0; t < dump->thread_count; t++) {
        const tm__jstack_lock *locks = locks_of(dump, t);
        const tm__jstack_lock *wanted = wanted_by(witness, t);

        if (wanted)
            witness->cycles.wants[t].address = wanted->address;
        for (uint32_t i = 0; i < dump->threads[t].lock_count; i++)
            if (is_held(dump, t, &locks[i]) &&
                tm__jstack_cycles_hold(&witness->cycles, locks[i].address, t) < 0)
                return tm__failure();
    }
    return tm__jstack_cycles_find(&witness->cycles, dump, witness->notes, offset);
}

static int intern(tm__jfr_witness *witness, tm__slice text, uint32_t *index)
{
    return tm__strings_intern_bytes(&witness->entities->texts, index, text.bytes,
                                    text.length);
}

static int find_class(tm__jfr_witness *witness, tm__slice name, uint32_t *class_)
{
    uint32_t text;

    *class_ = 0;
    if (!name.length)
        return TM_OK;
    if (intern(witness, name, &text) < 0)
        return tm__failure();
    return tm__jfr_class_intern(witness->entities, text, class_);
}

/* The initialisation of a class is an object of its own, by its name. */
static int find_initialisation(tm__jfr_witness *witness, tm__slice class_name,
                               uint64_t *object)
{
    char name[512];
    int length = snprintf(name, sizeof(name), "initialisation of %.*s",
                          class_name.length < 480 ? (int)class_name.length : 480,
                          class_name.bytes);
    uint32_t text, class_;

    if (intern(witness, (tm__slice){name, (size_t)length}, &text) < 0 ||
        find_class(witness, TM__SLICE("java.lang.Class"), &class_) < 0)
        return tm__failure();
    return tm__jfr_object_id(witness->entities, TM__JFR_OBJECT_ONCE, (uint64_t)text + 1,
                             class_, object);
}

static int find_object(tm__jfr_witness *witness, const tm__jstack_lock *lock,
                       uint64_t *object)
{
    int kind = lock->kind == TM__JSTACK_PARKING || lock->kind == TM__JSTACK_SYNCHRONIZER
                   ? TM__JFR_OBJECT_BLOCKER
                   : TM__JFR_OBJECT_LOCKED;
    uint32_t class_;

    if (lock->kind == TM__JSTACK_INITIALIZING)
        return find_initialisation(witness, lock->of_class, object);
    if (find_class(witness, lock->class_name, &class_) < 0)
        return tm__failure();
    return tm__jfr_object_id(witness->entities, kind, lock->address, class_, object);
}

/* The stack of a thread, by the names that the dump gives. */
static int find_stack(tm__jfr_witness *witness, const tm__jstack_thread *thread,
                      uint32_t *stack)
{
    uint32_t count = 0;

    *stack = 0;
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        tm__frame_parts parts =
            tm__frame_split(tm__jstack_frame(&witness->dump, thread->frame_first + i));
        uint32_t class_, name, method;

        if (!parts.class_name.length)
            continue;
        if (find_class(witness, parts.class_name, &class_) < 0 ||
            intern(witness, parts.method, &name) < 0 ||
            tm__jfr_method_intern(witness->entities,
                                  (tm__jfr_method){class_, name, TM__NONE},
                                  &method) < 0 ||
            tm__jfr_frame_put(
                witness->entities, count,
                (tm_frame){.method = method, .location = -1, .line = parts.line}) < 0)
            return tm__failure();
        count++;
    }
    return count ? tm__jfr_stack_intern(witness->entities, count, 0, stack) : TM_OK;
}

static int add(tm__jfr_witness *witness, tm__jfr_fact fact)
{
    if (tm__reserve(witness->memory, &witness->facts, &witness->fact_capacity,
                    (size_t)witness->fact_count + 1, sizeof(fact)) < 0)
        return tm__failure();
    witness->facts[witness->fact_count++] = fact;
    return TM_OK;
}

static int find_thread(tm__jfr_witness *witness, uint32_t t, uint64_t *id)
{
    const tm__jstack_thread *thread = &witness->dump.threads[t];
    uint32_t name;

    if (intern(witness, thread->name, &name) < 0)
        return tm__failure();
    return tm__jfr_java_thread(witness->entities, thread->id, name, id);
}

static int add_member(tm__jfr_witness *witness, uint32_t t, int64_t time_ns,
                      uint32_t number)
{
    const tm__jstack_want *want = &witness->cycles.wants[t];
    const tm__jstack_lock *lock = wanted_by(witness, t);
    tm__jfr_fact fact = {.start_ns = time_ns,
                         .start_kind = TM_EVENT_SNAPSHOT,
                         .value = lock && lock->kind == TM__JSTACK_PARKING
                                      ? TM_STATE_PARKED
                                      : TM_STATE_BLOCKED,
                         .flags = TM_EVENT_PEER_REPORTED};
    uint32_t reported;

    if (!lock || want->owner == TM__NONE)
        return TM_OK;
    if (find_thread(witness, t, &fact.thread) < 0 ||
        find_thread(witness, want->owner, &fact.peer) < 0 ||
        find_object(witness, lock, &fact.object) < 0 ||
        find_stack(witness, &witness->dump.threads[t], &fact.stack) < 0)
        return tm__failure();
    reported = tm__map_find(&witness->reported, fact.thread);
    return reported == TM__NONE || reported == number ? add(witness, fact) : TM_OK;
}

/* Report that each has the lock that the one before it wants, once all are known to be
 * stuck. */
static int add_holds(tm__jfr_witness *witness, uint32_t number)
{
    uint32_t members = witness->fact_count;

    for (uint32_t i = 0; i < members; i++) {
        tm__jfr_fact held = witness->facts[i];

        held.thread = held.peer;
        held.peer = 0;
        held.value = 0;
        held.stack = 0;
        held.start_kind = TM_EVENT_HELD;
        held.flags = TM_EVENT_CONFIRMED;
        if (add(witness, held) < 0)
            return tm__failure();
    }
    for (uint32_t i = 0; i < members; i++)
        if (tm__map_find(&witness->reported, witness->facts[i].thread) == TM__NONE &&
            tm__map_put(&witness->reported, witness->facts[i].thread, number) < 0)
            return tm__failure();
    return TM_OK;
}

/* ---- all that wait ---- */

typedef struct sight {
    int state; ///< enum tm_state
    int is_timed;
    const tm__jstack_lock *lock; ///< that it waits for; NULL: not known
} sight;

static int is_state(const tm__jstack_thread *thread, const char *state)
{
    return tm__slice_begins(thread->state, state);
}

/* Compiled code may not know any more on what it waits. It waits on the monitor that it
 * locked, where this is a single one. */
static const tm__jstack_lock *only_locked(const tm__jstack_dump *dump, uint32_t thread)
{
    const tm__jstack_lock *locks = locks_of(dump, thread), *found = NULL;

    for (uint32_t i = 0; i < dump->threads[thread].lock_count; i++) {
        if (locks[i].kind != TM__JSTACK_LOCKED)
            continue;
        if (found && found->address != locks[i].address)
            return NULL;
        found = &locks[i];
    }
    return found;
}

/* @return 0: it does not wait */
static int look(const tm__jfr_witness *witness, uint32_t t, sight *seen)
{
    const tm__jstack_thread *thread = &witness->dump.threads[t];
    uint32_t kinds = 0;

    *seen = (sight){.is_timed = is_state(thread, "TIMED_WAITING")};
    if (is_state(thread, "BLOCKED") ||
        witness->cycles.wants[t].is_initialized_by_other) {
        seen->state = TM_STATE_BLOCKED;
        seen->lock = wanted_by(witness, t);
        return 1;
    }
    if (is_state(thread, "TIMED_WAITING (sleeping)")) {
        seen->state = TM_STATE_SLEEPING;
    } else if (is_state(thread, "WAITING (parking)") ||
               is_state(thread, "TIMED_WAITING (parking)")) {
        seen->state = TM_STATE_PARKED;
        kinds = 1u << TM__JSTACK_PARKING;
    } else if (is_state(thread, "WAITING (on object") ||
               is_state(thread, "TIMED_WAITING (on object")) {
        seen->state = TM_STATE_WAITING;
        kinds = 1u << TM__JSTACK_WAITING_ON;
    } else {
        return 0;
    }
    seen->lock = lock_of_kind(&witness->dump, t, kinds);
    if (!seen->lock && seen->state == TM_STATE_WAITING)
        seen->lock = only_locked(&witness->dump, t);
    return 1;
}

static int add_sight(tm__jfr_witness *witness, uint32_t t, int64_t time_ns)
{
    uint32_t owner = witness->cycles.wants[t].owner;
    tm__jfr_fact fact = {.start_ns = time_ns, .start_kind = TM_EVENT_SNAPSHOT};
    sight seen;

    if (witness->cycles.wants[t].cycle != TM__NONE || !look(witness, t, &seen))
        return TM_OK;
    fact.value = seen.state;
    fact.flags = seen.is_timed ? TM_EVENT_TIMED : 0;
    if (find_thread(witness, t, &fact.thread) < 0 ||
        (seen.lock && find_object(witness, seen.lock, &fact.object) < 0) ||
        find_stack(witness, &witness->dump.threads[t], &fact.stack) < 0)
        return tm__failure();
    if (seen.state == TM_STATE_BLOCKED && owner != TM__NONE) {
        if (find_thread(witness, owner, &fact.peer) < 0)
            return tm__failure();
        fact.flags |= TM_EVENT_PEER_REPORTED;
    }
    if (tm__map_find(&witness->reported, fact.thread) != TM__NONE)
        return TM_OK;
    if (tm__reserve(witness->memory, &witness->sights, &witness->sight_capacity,
                    (size_t)witness->sight_count + 1, sizeof(fact)) < 0)
        return tm__failure();
    witness->sights[witness->sight_count++] = fact;
    return TM_OK;
}

int tm__jfr_witness_read(tm__jfr_witness *witness, const char *text, size_t length,
                         int64_t time_ns, uint64_t offset)
{
    /* Read again after a failure, it tells the same again. */
    uint32_t number = (uint32_t)offset & INT32_MAX;
    int rc = tm__jstack_parse(&witness->dump, text, length);

    witness->fact_count = 0;
    if (rc == TM_OK)
        rc = find_cycles(witness, offset);
    for (uint32_t t = 0; rc == TM_OK && t < witness->dump.thread_count; t++)
        if (witness->cycles.wants[t].cycle != TM__NONE)
            rc = add_member(witness, t, time_ns, number);
    witness->sight_count = 0;
    witness->dump_ns = time_ns;
    for (uint32_t t = 0; rc == TM_OK && t < witness->dump.thread_count; t++)
        rc = add_sight(witness, t, time_ns);
    return rc == TM_OK ? add_holds(witness, number) : rc;
}

void tm__jfr_witness_free(tm__jfr_witness *witness)
{
    tm__jstack_free(&witness->dump);
    tm__jstack_cycles_free(&witness->cycles);
    tm__map_clear(&witness->reported);
    tm__free(witness->memory, witness->sights,
             witness->sight_capacity * sizeof(*witness->sights));
    tm__free(witness->memory, witness->facts,
             witness->fact_capacity * sizeof(*witness->facts));
}
