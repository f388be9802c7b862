/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object is named by its class and identity hash, and that is its id: class and
 * hash side by side. Nothing need be remembered of the objects of a million threads.
 */
#include "formats/dump/dump.h"
#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"
#include "formats/dump/snapshot.h"

#include <string.h>

#include "base/error.h"

static const char replacement[] = "\xef\xbf\xbd";

void tm__snapshot_init(tm__snapshot *thread, tm__memory *memory, tm__dump *dump)
{
    *thread = (tm__snapshot){.memory = memory, .dump = dump};
}

int tm__snapshot_set(tm__snapshot *thread, tm__snapshot_text *text, tm__slice value)
{
    uint32_t length = 0;

    if (tm__reserve(thread->memory, &text->bytes, &text->capacity, 3 * value.length + 1,
                    1) < 0)
        return tm__failure();
    for (size_t i = 0; i < value.length; i++)
        if (value.bytes[i]) {
            text->bytes[length++] = value.bytes[i];
        } else {
            memcpy(text->bytes + length, replacement, 3);
            length += 3;
        }
    text->bytes[length] = '\0';
    text->length = length;
    text->is_set = 1;
    return TM_OK;
}

void tm__snapshot_start(tm__snapshot *thread)
{
    thread->id = thread->carrier = thread->blocker_owner = 0;
    thread->is_virtual = 0;
    thread->name.is_set = thread->state.is_set = 0;
    thread->blocked_on = thread->waiting_on = thread->blocker = 0;
    thread->frame_count = thread->lock_count = thread->lock_first = 0;
}

int tm__snapshot_frame(tm__snapshot *thread, tm__slice text)
{
    if (tm__reserve(thread->memory, &thread->frames, &thread->frame_capacity,
                    (size_t)thread->frame_count + 1, sizeof(*thread->frames)) < 0 ||
        tm__dump_frame(thread->dump, text, &thread->frames[thread->frame_count]) < 0)
        return tm__failure();
    thread->frame_count++;
    return TM_OK;
}

int tm__snapshot_object(tm__snapshot *thread, tm__slice identity, int is_synchronizer,
                        uint64_t *object)
{
    size_t at = identity.length;
    tm_object item = {.size = sizeof(item),
                      .flags = TM_OBJECT_HAS_HASH | TM_OBJECT_MAYBE_MANY};
    uint64_t hash;
    uint32_t class_id;
    tm__slice digits;

    while (at > 0 && identity.bytes[at - 1] != '@')
        at--;
    digits = tm__slice_from(identity, at);
    *object = 0;
    if (at < 2 || !tm__slice_number(&digits, 16, &hash) || digits.length ||
        hash > UINT32_MAX)
        return TM_OK;
    if (tm__dump_class(thread->dump, (tm__slice){identity.bytes, at - 1}, &class_id) <
        0)
        return tm__failure();
    item.id = (uint64_t)class_id << 32 | hash;
    item.class_id = class_id;
    item.hash = (uint32_t)hash;
    if (is_synchronizer)
        item.flags |= TM_OBJECT_SYNCHRONIZER;
    if (tm__dump_object(thread->dump, &item) < 0)
        return tm__failure();
    *object = item.id;
    return TM_OK;
}

int tm__snapshot_lock(tm__snapshot *thread, tm__slice identity)
{
    tm__dump_hold *lock;

    if (tm__reserve(thread->memory, &thread->locks, &thread->lock_capacity,
                    (size_t)thread->lock_count + 1, sizeof(*thread->locks)) < 0)
        return tm__failure();
    lock = &thread->locks[thread->lock_count];
    lock->depth = TM__NONE;
    if (tm__snapshot_object(thread, identity, 0, &lock->object) < 0)
        return tm__failure();
    if (lock->object)
        thread->lock_count++;
    return TM_OK;
}

void tm__snapshot_depth(tm__snapshot *thread, uint32_t depth)
{
    for (; thread->lock_first < thread->lock_count; thread->lock_first++)
        thread->locks[thread->lock_first].depth = depth;
}

/* JDK 25 does not say for what a notified waiter queues, and lists the monitor as its
 * own. Where the frame that waits has one monitor, it is that. */
static uint64_t object_of_wait(const tm__snapshot *thread, uint32_t depth)
{
    uint64_t found = 0;

    for (uint32_t i = 0; i < thread->lock_count; i++) {
        if (thread->locks[i].depth != depth)
            continue;
        if (found && found != thread->locks[i].object)
            return 0;
        found = thread->locks[i].object;
    }
    return found;
}

static uint64_t wanted_object(const tm__snapshot *thread, int state, uint32_t depth)
{
    switch (state) {
    case TM_STATE_BLOCKED: return thread->blocked_on;
    case TM_STATE_REENTERING:
        return thread->blocked_on ? thread->blocked_on : object_of_wait(thread, depth);
    case TM_STATE_WAITING:
    case TM_STATE_JOINING:
        return thread->waiting_on ? thread->waiting_on : object_of_wait(thread, depth);
    case TM_STATE_PARKED: return thread->blocker;
    default: return 0;
    }
}

/* Take what it waits for off what it owns. */
static void let_go(tm__snapshot *thread, uint64_t wanted)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < thread->lock_count; i++)
        if (thread->locks[i].object != wanted)
            thread->locks[kept++] = thread->locks[i];
    thread->lock_count = kept;
}

/* Before JDK 25 nothing but its outermost frame tells a virtual thread. */
static int is_virtual(const tm__snapshot *thread)
{
    return thread->is_virtual ||
           (thread->frame_count > 0 &&
            tm__dump_is_method(thread->dump, thread->frames[thread->frame_count - 1],
                               "java.lang.VirtualThread", "run"));
}

static const char *text_of(const tm__snapshot_text *text)
{
    return text->is_set ? text->bytes : NULL;
}

int tm__snapshot_end(tm__snapshot *thread)
{
    tm__slice state = {"", 0};
    tm__dump_thread to = {.thread = {.size = sizeof(tm_thread),
                                     .id = thread->id,
                                     .name = text_of(&thread->name),
                                     .group = text_of(&thread->group)},
                          .carrier = thread->carrier,
                          .frames = thread->frames,
                          .frame_count = thread->frame_count};
    uint32_t depth;

    if (thread->state.is_set)
        state = (tm__slice){thread->state.bytes, thread->state.length};
    to.state = tm__dump_state(thread->dump, state, thread->frames, thread->frame_count,
                              &depth);
    to.is_timed = tm__dump_is_timed(state);
    to.wanted = wanted_object(thread, to.state, depth);
    if (to.state == TM_STATE_PARKED)
        to.owner = thread->blocker_owner;
    else if (to.wanted)
        let_go(thread, to.wanted);
    to.holds = thread->locks;
    to.hold_count = thread->lock_count;
    if (is_virtual(thread))
        to.thread.flags |= TM_THREAD_VIRTUAL;
    return tm__dump_read(thread->dump, &to);
}

void tm__snapshot_free(tm__snapshot *thread)
{
    tm__memory *memory = thread->memory;

    tm__free(memory, thread->name.bytes, thread->name.capacity);
    tm__free(memory, thread->group.bytes, thread->group.capacity);
    tm__free(memory, thread->state.bytes, thread->state.capacity);
    tm__free(memory, thread->frames, thread->frame_capacity * sizeof(*thread->frames));
    tm__free(memory, thread->locks, thread->lock_capacity * sizeof(*thread->locks));
}
