/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/dump_threads.h"

#include <string.h>

#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/parse.h"

tm__jstack_thread *tm__java_thread_of(tm__jstack_parser *self)
{
    return self->thread == TM__NONE ? NULL : &self->dump->threads[self->thread];
}

int tm__java_add_thread(tm__jstack_parser *self, const tm__jstack_thread *thread)
{
    if (tm__jstack_add_thread(self->dump, thread) < 0)
        return tm__failure();
    self->thread = self->dump->thread_count - 1;
    self->is_closed = 0;
    self->word_state = TM_STATE_UNKNOWN;
    self->section = TM__JAVA_THREADS;
    return TM_OK;
}

uint64_t tm__java_virtual_id(tm__slice line)
{
    uint64_t id = 0;

    line = tm__slice_from(line, tm__slice_find(line, "#") + 1);
    return tm__slice_number(&line, 10, &id) ? id : 0;
}

/* The frames of a virtual thread follow those of its carrier, from JDK 23 on. */
int tm__java_read_mounted(tm__jstack_parser *self, uint64_t id)
{
    tm__jstack_thread virtual = {.id = id,
                                 .state = TM__SLICE("RUNNABLE"),
                                 .elapsed_ns = -1,
                                 .cpu_ns = -1,
                                 .flags = TM_THREAD_VIRTUAL};
    uint32_t carrier = self->thread;

    if (id == 0 || carrier == TM__NONE)
        return TM_OK;
    virtual.carrier = self->dump->threads[carrier].id;
    if (tm__java_add_thread(self, &virtual) < 0)
        return tm__failure();
    self->dump->threads[carrier].carries = 0;
    return TM_OK;
}

/* A thread is over. Before JDK 23 all that a dump has of a mounted virtual thread is
 * its number. If the line of a thread was cut out alone, it has the state. */
int tm__java_end_thread(tm__jstack_parser *self)
{
    tm__jstack_thread *thread = tm__java_thread_of(self);
    int rc = thread ? tm__java_read_mounted(self, thread->carries) : TM_OK;

    if (rc == TM_OK && tm__java_thread_of(self) == thread && thread &&
        !thread->state.length && !thread->frame_count && !thread->known_state)
        thread->known_state = self->word_state;
    if (rc == TM_OK)
        self->thread = TM__NONE;
    return rc;
}

/* The thread whose line came before: it is one of Java if a state or a frame follows,
 * or if its line has the range of its stack. Old JVMs gave no numbers, and those of 5
 * no states: without a frame the thread is in no method that waits. */
int tm__java_settle_held(tm__jstack_parser *self, int is_java)
{
    if (!self->is_held)
        return TM_OK;
    if (!is_java && self->is_held_java) {
        self->held.state = TM__SLICE("RUNNABLE");
        is_java = 1;
    }
    if (is_java && tm__java_add_thread(self, &self->held) < 0)
        return tm__failure();
    if (!is_java)
        self->dump->vm_threads++;
    self->is_held = 0;
    return TM_OK;
}

/* HotSpot's state at the end of a thread's line. A thread "waiting on condition" is
 * parked, or sleeps. */
static uint32_t state_of_tail(tm__slice tail)
{
    static const struct {
        const char *word;
        uint32_t state;
    } words[] = {
        {"runnable", TM_STATE_RUNNING},
        {"waiting for monitor entry", TM_STATE_BLOCKED},
        {"in Object.wait()", TM_STATE_WAITING},
        {"waiting on condition", TM_STATE_WAITING},
        {"sleeping", TM_STATE_SLEEPING},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (tm__slice_begins(tail, words[i].word))
            return words[i].state;
    return TM_STATE_UNKNOWN;
}

/* The same as Java's state, which HotSpot of before version 6 does not give. */
static tm__slice java_state_of_tail(tm__slice tail)
{
    switch (state_of_tail(tail)) {
    case TM_STATE_BLOCKED: return TM__SLICE("BLOCKED");
    case TM_STATE_WAITING: return TM__SLICE("WAITING");
    default: return TM__SLICE("RUNNABLE");
    }
}

int tm__java_begin_thread(tm__jstack_parser *self, const tm__jstack_thread *thread,
                          const tm__jstack_heading *heading)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_lock lock = {.kind = tm__slice_is(thread->state, "BLOCKED")
                                        ? TM__JSTACK_WANTED
                                        : TM__JSTACK_WAITING_ON};
    int is_java = heading->has_number || heading->is_certain;
    uint32_t locks = dump->lock_count;

    if (dump->has_end || (is_java && tm__map_find(&dump->ids, thread->id) != TM__NONE))
        return TM__LINE_NEXT;
    if (tm__java_settle_held(self, 0) < 0 || tm__java_end_thread(self) < 0)
        return tm__failure();
    if (!is_java) {
        self->held = *thread;
        self->held.state = java_state_of_tail(heading->tail);
        self->is_held_java = tm__slice_find(heading->tail, "[") < heading->tail.length;
        if (tm__jstack_keep(dump, &self->held.name) < 0)
            return tm__failure();
        self->is_held = 1;
        return TM_OK;
    }
    tm__jstack_read_object(heading->on, &lock);
    if (lock.address && tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                                    (size_t)locks + 1, sizeof(*dump->locks)) < 0)
        return tm__failure();
    if (lock.address && (tm__jstack_keep(dump, &lock.class_name) < 0 ||
                         tm__jstack_keep(dump, &lock.of_class) < 0))
        return tm__failure();
    if (tm__java_add_thread(self, thread) < 0)
        return tm__failure();
    self->word_state = state_of_tail(heading->tail);
    dump->has_hashes |= heading->has_hashes;
    tm__java_thread_of(self)->is_waiting =
        tm__slice_begins(heading->tail, "in Object.wait()");
    return lock.address ? tm__jstack_add_lock(dump, &lock) : TM_OK;
}

int tm__java_read_frame(tm__jstack_parser *self, tm__slice text)
{
    /* The frames of an account of deadlocks belong to threads that were listed before.
     */
    if (tm__java_settle_held(self, self->section == TM__JAVA_THREADS) < 0)
        return tm__failure();
    if (self->thread == TM__NONE || self->is_closed ||
        self->section != TM__JAVA_THREADS)
        return self->section == TM__JAVA_ACCOUNT ? TM_OK : TM__LINE_OTHER;
    return tm__jstack_add_frame(self->dump, text);
}

int tm__java_read_serviceability_frame(tm__jstack_parser *self, tm__slice text)
{
    size_t open = tm__slice_find(text, "("), dot = open, line;
    uint64_t number = 0;
    tm__slice rest;

    while (dot > 0 && text.bytes[dot - 1] != '.')
        dot--;
    if (dot == 0 || open == text.length)
        return TM__LINE_OTHER;
    if (self->thread == TM__NONE || self->is_closed ||
        self->section != TM__JAVA_THREADS)
        return TM_OK;
    self->dump->is_serviceability = 1;
    line = tm__slice_find(text, ", line=");
    rest = tm__slice_from(text, line + strlen(", line="));
    tm__slice_number(&rest, 10, &number);
    return tm__jstack_add_call(self->dump, (tm__slice){text.bytes, dot - 1},
                               (tm__slice){text.bytes + dot, open - dot},
                               number ? TM__SLICE("") : TM__SLICE("Unknown Source"),
                               number);
}

int tm__java_read_lock(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_thread *thread = tm__java_thread_of(self);
    tm__jstack_owner owner;
    tm__jstack_lock lock;

    if (!thread || self->section > TM__JAVA_SYNCHRONIZERS)
        return self->section == TM__JAVA_ACCOUNT ? TM_OK : TM__LINE_OTHER;
    if (!tm__jstack_read_lock(text, self->section == TM__JAVA_SYNCHRONIZERS, &lock,
                              &owner))
        return TM_OK;
    if (self->section == TM__JAVA_THREADS && self->is_closed)
        return TM_OK;
    if (self->dump->has_hashes)
        tm__jstack_address_is_hash(&lock);
    if (tm__jstack_keep(self->dump, &owner.name) < 0 ||
        tm__jstack_add_lock(self->dump, &lock) < 0)
        return tm__failure();
    if (owner.name.length > 0)
        thread->owner = owner.name;
    if (owner.id)
        thread->owner_id = owner.id;
    return TM_OK;
}
