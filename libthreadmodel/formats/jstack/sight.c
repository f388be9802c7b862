/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/sight.h"

#include "base/error.h"
#include "formats/dump/dump.h"
#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"
#include "formats/jstack/parse.h"

const tm__jstack_lock *tm__jstack_locks_of(const tm__jstack_dump *parsed,
                                           uint32_t thread)
{
    return parsed->locks ? parsed->locks + parsed->threads[thread].lock_first : NULL;
}

/* The number of a frame; its text is looked up once. */
static int number_frame(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                        uint32_t index, uint32_t *number)
{
    uint32_t text = parsed->frames[index];

    if (fill->numbers[text] == 0) {
        if (tm__dump_frame(fill->dump, tm__jstack_frame(parsed, index), number) < 0)
            return tm__failure();
        fill->numbers[text] = *number + 1;
    }
    *number = fill->numbers[text] - 1;
    return TM_OK;
}

static int read_frames(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                       const tm__jstack_thread *thread)
{
    uint32_t texts = parsed->texts.count;

    if (tm__reserve(fill->memory, &fill->frames, &fill->frame_capacity,
                    thread->frame_count, sizeof(*fill->frames)) < 0 ||
        tm__reserve(fill->memory, &fill->numbers, &fill->number_capacity, texts,
                    sizeof(*fill->numbers)) < 0)
        return tm__failure();
    for (; fill->number_count < texts; fill->number_count++)
        fill->numbers[fill->number_count] = 0;
    for (uint32_t i = 0; i < thread->frame_count; i++)
        if (number_frame(fill, parsed, thread->frame_first + i, &fill->frames[i]) < 0)
            return tm__failure();
    return TM_OK;
}

/* The lock that a state is for. */
static int is_wanted(uint32_t kind, int state)
{
    switch (state) {
    case TM_STATE_BLOCKED:
        return kind == TM__JSTACK_WANTED || kind == TM__JSTACK_INITIALIZING ||
               kind == TM__JSTACK_WAITING_ON;
    case TM_STATE_PARKED:
        return kind == TM__JSTACK_PARKING || kind == TM__JSTACK_WAITING_ON;
    case TM_STATE_WAITING:
    case TM_STATE_JOINING:
    case TM_STATE_REENTERING:
        return kind == TM__JSTACK_WAITING_ON || kind == TM__JSTACK_RELOCKING ||
               kind == TM__JSTACK_WANTED || kind == TM__JSTACK_INITIALIZING;
    default: return 0;
    }
}

/* The one monitor that was locked at a depth; TM__NONE: at any. NULL: there are several
 */
static const tm__jstack_lock *only_locked(const tm__jstack_dump *parsed,
                                          uint32_t thread, uint32_t depth)
{
    const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, thread), *found = NULL;

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++) {
        if (locks[i].kind != TM__JSTACK_LOCKED ||
            (depth != TM__NONE && locks[i].depth != depth))
            continue;
        if (found && found->address != locks[i].address)
            return NULL;
        found = &locks[i];
    }
    return found;
}

/* Compiled code may not know any more on what it waits. It holds that, or seems to: it
 * is what the frame that called wait locked, or the only one that was locked at all. */
static const tm__jstack_lock *lock_of_wait(const tm__jstack_dump *parsed,
                                           uint32_t thread, uint32_t depth)
{
    const tm__jstack_lock *found = only_locked(parsed, thread, depth);

    return found ? found : only_locked(parsed, thread, TM__NONE);
}

/* @return the lock that the thread is blocked for, or NULL */
static const tm__jstack_lock *wanted_lock(const tm__jstack_dump *parsed,
                                          uint32_t thread, int state,
                                          uint32_t wait_depth)
{
    const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, thread);

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (is_wanted(locks[i].kind, state) && locks[i].address)
            return &locks[i];
    return wait_depth == TM__NONE ? NULL : lock_of_wait(parsed, thread, wait_depth);
}

/* A thread that waits has released the monitor that it waits for. If that is not known,
 * it may be any of its monitors. */
int tm__jstack_is_held(const tm__jstack_lock *lock, const tm__jstack_lock *wanted,
                       int state)
{
    int waits = state == TM_STATE_WAITING || state == TM_STATE_JOINING ||
                state == TM_STATE_REENTERING;

    if (!lock->address)
        return 0;
    if (lock->kind == TM__JSTACK_SYNCHRONIZER)
        return 1;
    if (waits && !wanted)
        return 0;
    return lock->kind == TM__JSTACK_LOCKED &&
           (!wanted || lock->address != wanted->address || state == TM_STATE_PARKED);
}

static int has_lock(const tm__jstack_dump *parsed, uint32_t thread, uint32_t kind)
{
    const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, thread);

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (locks[i].kind == kind)
            return 1;
    return 0;
}

/* The dump states no state of a mounted virtual thread: its lines and frames do. Java
 * calls a thread runnable that waits for another to initialise a class. */
static int state_by_lines(const tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                          uint32_t thread, uint32_t *depth)
{
    static const tm__slice WAITING = {"WAITING", 7}, BLOCKED = {"BLOCKED", 7};
    const tm__jstack_thread *it = &parsed->threads[thread];
    int wants = has_lock(parsed, thread, TM__JSTACK_WANTED);
    int state = TM_STATE_UNKNOWN;

    if (has_lock(parsed, thread, TM__JSTACK_INITIALIZING) || it->is_waiting)
        return TM_STATE_WAITING;
    if ((it->carrier || it->state.length == 0) && (it->frame_count || wants))
        state = tm__dump_state(fill->dump, wants ? BLOCKED : WAITING, fill->frames,
                               it->frame_count, depth);
    return state == TM_STATE_UNKNOWN && it->state.length > 0 ? TM_STATE_RUNNING : state;
}

/* The account says it of a thread whose lines do not. */
static const tm__jstack_lock *lock_of_edge(tm__jstack_fill *fill,
                                           const tm__jstack_dump *parsed,
                                           uint32_t thread, int *state)
{
    tm__slice name = parsed->threads[thread].name;
    uint32_t index = parsed->edge_count && name.length
                         ? tm__map_find(&fill->edges, tm__jstack_hash(name))
                         : TM__NONE;
    const tm__jstack_edge *edge;

    if (index == TM__NONE)
        return NULL;
    edge = &parsed->edges[index];
    if (!edge->address || !tm__slice_same(edge->thread, name))
        return NULL;
    if (*state == TM_STATE_UNKNOWN)
        *state = edge->kind == TM__JSTACK_PARKING ? TM_STATE_PARKED : TM_STATE_BLOCKED;
    if (*state != TM_STATE_BLOCKED && *state != TM_STATE_PARKED)
        return NULL;
    fill->from_edge = (tm__jstack_lock){.class_name = edge->class_name,
                                        .address = edge->address,
                                        .depth = TM__NONE,
                                        .kind = (uint8_t)edge->kind};
    return &fill->from_edge;
}

int tm__jstack_index_edges(tm__jstack_fill *fill, const tm__jstack_dump *parsed)
{
    tm__map_clear(&fill->edges);
    for (uint32_t i = 0; i < parsed->edge_count; i++) {
        uint64_t hash = tm__jstack_hash(parsed->edges[i].thread);

        if (tm__map_find(&fill->edges, hash) == TM__NONE &&
            tm__map_put(&fill->edges, hash, i) < 0)
            return tm__failure();
    }
    return TM_OK;
}

/* The writer's own word for what the thread does; frames of Java say it better where it
 * waits. */
static int state_of_word(const tm__jstack_fill *fill, const tm__jstack_thread *thread,
                         uint32_t *depth)
{
    int state = TM_STATE_UNKNOWN;

    if (thread->known_state == TM_STATE_WAITING)
        state = tm__dump_state(fill->dump, TM__SLICE("WAITING"), fill->frames,
                               thread->frame_count, depth);
    return state == TM_STATE_UNKNOWN ? (int)thread->known_state : state;
}

/* The last monitor of the innermost frame. */
static const tm__jstack_lock *last_locked(const tm__jstack_dump *parsed,
                                          uint32_t thread)
{
    const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, thread), *found = NULL;

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (locks[i].kind == TM__JSTACK_LOCKED && locks[i].depth == 0 &&
            locks[i].address)
            found = &locks[i];
    return found;
}

int tm__jstack_look(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                    uint32_t thread, tm__jstack_sight *seen)
{
    const tm__jstack_thread *it = &parsed->threads[thread];
    uint32_t depth;

    if (read_frames(fill, parsed, it) < 0)
        return tm__failure();
    seen->state =
        tm__dump_state(fill->dump, it->state, fill->frames, it->frame_count, &depth);
    if (it->known_state)
        seen->state = state_of_word(fill, it, &depth);
    else if (seen->state == TM_STATE_RUNNING || it->state.length == 0)
        seen->state = state_by_lines(fill, parsed, thread, &depth);
    if (seen->state == TM_STATE_WAITING &&
        fill->cycles.wants[thread].is_initialized_by_other)
        seen->state = TM_STATE_BLOCKED;
    seen->wanted = wanted_lock(parsed, thread, seen->state, depth);
    if (!seen->wanted)
        seen->wanted = lock_of_edge(fill, parsed, thread, &seen->state);
    if (!seen->wanted && parsed->is_serviceability && seen->state == TM_STATE_BLOCKED)
        seen->wanted = last_locked(parsed, thread);
    return TM_OK;
}
