/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread wants and holds is computed first, for all, since a lock's owner
 * may stand further down; then threads are taken one by one.
 *
 * An object is known by its address, which changes when the collector moves it. That
 * would make two deadlocks of one, the first of them resolved. But threads that are
 * deadlocked cannot move: a cycle of the same threads at the same stacks as in the
 * dump before is the same cycle, of the same objects, wherever they are now.
 */
#include "formats/dump/dump.h"
#include "formats/jstack/fill.h"

#include <stdio.h>
#include <string.h>

#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"
#include "formats/dump/native_calls.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"

/** Ids of threads and addresses of objects are below, in all but the first JVM. */
enum { JVM_SHIFT = 49 };

void tm__jstack_fill_init(tm__jstack_fill *fill, tm__memory *memory, tm__dump *dump)
{
    *fill = (tm__jstack_fill){.memory = memory, .dump = dump};
    tm__jstack_cycles_init(&fill->cycles, memory);
    tm__map_init(&fill->classes, memory);
    tm__map_init(&fill->moved, memory);
    tm__map_init(&fill->edges, memory);
    tm__map_init(&fill->member_map, memory);
}

static uint64_t mix(uint64_t number)
{
    number ^= number >> 31;
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 29;
}

static const tm__jstack_lock *locks_of(const tm__jstack_dump *parsed, uint32_t thread)
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
            return TM_ENOMEM;
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
        return TM_ENOMEM;
    for (; fill->number_count < texts; fill->number_count++)
        fill->numbers[fill->number_count] = 0;
    for (uint32_t i = 0; i < thread->frame_count; i++)
        if (number_frame(fill, parsed, thread->frame_first + i, &fill->frames[i]) < 0)
            return TM_ENOMEM;
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
    const tm__jstack_lock *locks = locks_of(parsed, thread), *found = NULL;

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
    const tm__jstack_lock *locks = locks_of(parsed, thread);

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (is_wanted(locks[i].kind, state) && locks[i].address)
            return &locks[i];
    return wait_depth == TM__NONE ? NULL : lock_of_wait(parsed, thread, wait_depth);
}

/* Whether it holds what the line says. What it waits for, it let go; where nobody knows
 * what that is, it may be any. */
static int is_held(const tm__jstack_lock *lock, const tm__jstack_lock *wanted,
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

typedef struct sight {
    int state;
    const tm__jstack_lock *wanted;
} sight;

static int has_lock(const tm__jstack_dump *parsed, uint32_t thread, uint32_t kind)
{
    const tm__jstack_lock *locks = locks_of(parsed, thread);

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (locks[i].kind == kind)
            return 1;
    return 0;
}

/* Of a mounted virtual thread the dump states nothing: its lines and frames do. Who
 * waits for another to initialise a class is runnable to Java. */
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

static int index_edges(tm__jstack_fill *fill, const tm__jstack_dump *parsed)
{
    tm__map_clear(&fill->edges);
    for (uint32_t i = 0; i < parsed->edge_count; i++) {
        uint64_t hash = tm__jstack_hash(parsed->edges[i].thread);

        if (tm__map_find(&fill->edges, hash) == TM__NONE &&
            tm__map_put(&fill->edges, hash, i) < 0)
            return TM_ENOMEM;
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
    const tm__jstack_lock *locks = locks_of(parsed, thread), *found = NULL;

    for (uint32_t i = 0; i < parsed->threads[thread].lock_count; i++)
        if (locks[i].kind == TM__JSTACK_LOCKED && locks[i].depth == 0 &&
            locks[i].address)
            found = &locks[i];
    return found;
}

/* Look at a thread, with its frames read. */
static int look(tm__jstack_fill *fill, const tm__jstack_dump *parsed, uint32_t thread,
                sight *seen)
{
    const tm__jstack_thread *it = &parsed->threads[thread];
    uint32_t depth;

    if (read_frames(fill, parsed, it) < 0)
        return TM_ENOMEM;
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

static int find_cycles(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                       uint64_t offset)
{
    if (tm__jstack_cycles_start(&fill->cycles, parsed) < 0 ||
        index_edges(fill, parsed) < 0 ||
        tm__jstack_cycles_initializers(&fill->cycles, parsed) < 0)
        return TM_ENOMEM;
    for (uint32_t t = 0; t < parsed->thread_count; t++) {
        const tm__jstack_lock *locks = locks_of(parsed, t);
        sight seen;

        if (look(fill, parsed, t, &seen) < 0)
            return TM_ENOMEM;
        if (seen.wanted && seen.state != TM_STATE_WAITING &&
            seen.state != TM_STATE_JOINING)
            fill->cycles.wants[t].address = seen.wanted->address;
        for (uint32_t i = 0; i < parsed->threads[t].lock_count; i++)
            if (is_held(&locks[i], seen.wanted, seen.state) &&
                tm__jstack_cycles_hold(&fill->cycles, locks[i].address, t) < 0)
                return TM_ENOMEM;
    }
    return tm__jstack_cycles_find(&fill->cycles, parsed, fill->dump->notes, offset);
}

/* A class as an object is shown by its name, a variable by its own. */
static int name_object(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                       tm_object *object)
{
    static const char *const before[] = {"class ", "initialisation of ", ""};
    int is_init = lock->kind == TM__JSTACK_INITIALIZING;
    int is_class = tm__slice_is(lock->class_name, "java.lang.Class");
    const char *prefix = before[is_class ? is_init : 2];
    size_t length = strlen(prefix);
    uint32_t index;

    if (tm__reserve(fill->memory, &fill->label, &fill->label_capacity,
                    length + lock->of_class.length, 1) < 0)
        return TM_ENOMEM;
    memcpy(fill->label, prefix, length);
    memcpy(fill->label + length, lock->of_class.bytes, lock->of_class.length);
    if (tm__strings_intern_bytes(&fill->dump->texts, &index, fill->label,
                                 length + lock->of_class.length) < 0)
        return TM_ENOMEM;
    object->name = tm__strings_get(&fill->dump->texts, index);
    if (is_init)
        object->kind = TM_OBJECT_KIND_ONCE;
    return TM_OK;
}

/* The id of an object of another JVM is not what stands in the text. */
static int name_by_address(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                           tm_object *object)
{
    tm__slice name = lock->class_name;
    char text[160];
    size_t dot = name.length;
    uint32_t index;
    int length;

    while (dot > 0 && name.bytes[dot - 1] != '.')
        dot--;
    name = tm__slice_from(name, dot);
    if (lock->is_hash || !name.length || name.length > 100)
        return TM_OK;
    length = snprintf(text, sizeof(text), "%.*s@0x%llx", (int)name.length, name.bytes,
                      (unsigned long long)lock->address);
    if (tm__strings_intern_bytes(&fill->dump->texts, &index, text, (size_t)length) < 0)
        return TM_ENOMEM;
    object->name = tm__strings_get(&fill->dump->texts, index);
    return TM_OK;
}

/* What a thread waits for that no line has a number of. */
static int wait_for_own(tm__jstack_fill *fill, const tm__jstack_wait *own,
                        tm__dump_thread *to)
{
    const char *name = own && own->name ? own->name : NULL;
    uint32_t class_id = 0;

    if (own && !name)
        name = tm__dump_io_name(own->kind);
    if (!name || (to->state != TM_STATE_IO && to->state != TM_STATE_BLOCKED &&
                  to->state != TM_STATE_WAITING))
        return TM_OK;
    if (own->class_name &&
        tm__dump_class(fill->dump,
                       (tm__slice){own->class_name, strlen(own->class_name)},
                       &class_id) < 0)
        return TM_ENOMEM;
    return tm__dump_own_object(fill->dump, to->thread.id, own->kind, class_id, name,
                               &to->wanted);
}

uint64_t tm__jstack_fill_id(const tm__jstack_fill *fill, uint64_t id)
{
    return id ? id ^ fill->jvm << JVM_SHIFT : 0;
}

/* The id of an object: its address, unless another class was seen there. */
static int object_id(tm__jstack_fill *fill, const tm__jstack_lock *lock, uint64_t *id)
{
    uint64_t address = lock->address ^ fill->jvm << JVM_SHIFT;
    uint32_t class_id = 0, known, moved = tm__map_find(&fill->moved, address);
    tm_object object = {.size = sizeof(object)};

    if (lock->class_name.length &&
        tm__dump_class(fill->dump, lock->class_name, &class_id) < 0)
        return TM_ENOMEM;
    /* A line that was cut has no class, and another one may. */
    known = tm__map_find(&fill->classes, address);
    if (known == TM__NONE && class_id &&
        tm__map_put(&fill->classes, address, class_id) < 0)
        return TM_ENOMEM;
    if (known == TM__NONE)
        known = class_id;
    if (!class_id)
        class_id = known;
    object.id = address;
    if (known != class_id)
        object.id = mix(address + ((uint64_t)class_id << 48)) | 1;
    if (lock->of_class.length ? name_object(fill, lock, &object) < 0
                              : fill->jvm && name_by_address(fill, lock, &object) < 0)
        return TM_ENOMEM;
    if (lock->is_hash) {
        object.hash = lock->hash;
        object.flags = TM_OBJECT_HAS_HASH | TM_OBJECT_MAYBE_MANY;
    }
    if (moved != TM__NONE)
        object.id = fill->moved_ids[moved];
    object.class_id = class_id;
    if (lock->kind == TM__JSTACK_PARKING || lock->kind == TM__JSTACK_SYNCHRONIZER)
        object.flags |= TM_OBJECT_SYNCHRONIZER;
    *id = object.id;
    return tm__dump_object(fill->dump, &object);
}

static uint64_t hash_stack(const tm__jstack_dump *parsed,
                           const tm__jstack_thread *thread)
{
    uint64_t hash = thread->frame_count;

    for (uint32_t i = 0; i < thread->frame_count; i++)
        hash =
            (hash ^ parsed->frames[thread->frame_first + i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same thread at the same place, deadlocked in the dump before. */
static const tm__jstack_member *member_before(const tm__jstack_fill *fill,
                                              const tm__jstack_member *now)
{
    uint32_t index = tm__map_find(&fill->member_map, now->thread);

    return index != TM__NONE && fill->members[index].stack == now->stack
               ? &fill->members[index]
               : NULL;
}

static int index_members(tm__jstack_fill *fill)
{
    tm__map_clear(&fill->member_map);
    for (uint32_t i = 0; i < fill->member_count; i++)
        if (tm__map_find(&fill->member_map, fill->members[i].thread) == TM__NONE &&
            tm__map_put(&fill->member_map, fill->members[i].thread, i) < 0)
            return TM_ENOMEM;
    return TM_OK;
}

/* Go round a cycle: collect its members. @return 1: all were in one before */
static int walk_cycle(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                      uint32_t start)
{
    const tm__jstack_want *wants = fill->cycles.wants;
    uint32_t at = start;
    int all = 1;

    do {
        const tm__jstack_thread *thread = &parsed->threads[at];
        tm__jstack_member member = {tm__jstack_fill_id(fill, thread->id),
                                    wants[at].address ^ fill->jvm << JVM_SHIFT,
                                    hash_stack(parsed, thread)};

        all = all && member_before(fill, &member);
        fill->found[fill->found_count++] = member;
        at = wants[at].owner;
    } while (at != start);
    return all;
}

/* Give the objects of a cycle that stands since the last dump the ids of then. */
static int keep_ids(tm__jstack_fill *fill, uint32_t first)
{
    for (uint32_t i = first; i < fill->found_count; i++) {
        tm__jstack_member *now = &fill->found[i];
        uint64_t id = member_before(fill, now)->object;

        if (id == now->object)
            continue;
        if (tm__reserve(fill->memory, &fill->moved_ids, &fill->moved_capacity,
                        (size_t)fill->moved_count + 1, sizeof(*fill->moved_ids)) < 0 ||
            tm__map_put(&fill->moved, now->object, fill->moved_count) < 0)
            return TM_ENOMEM;
        fill->moved_ids[fill->moved_count++] = id;
        now->object = id;
    }
    return TM_OK;
}

static int recognise_cycles(tm__jstack_fill *fill, const tm__jstack_dump *parsed)
{
    tm__jstack_cycles *cycles = &fill->cycles;

    tm__map_clear(&fill->moved);
    fill->moved_count = fill->found_count = 0;
    if (cycles->cycle_count == 0)
        return TM_OK;
    if (index_members(fill) < 0 ||
        tm__reserve(fill->memory, &fill->found, &fill->found_capacity,
                    parsed->thread_count, sizeof(*fill->found)) < 0)
        return TM_ENOMEM;
    memset(cycles->marks, 0, cycles->cycle_count * sizeof(*cycles->marks));
    for (uint32_t t = 0; t < parsed->thread_count; t++) {
        uint32_t first = fill->found_count, cycle = cycles->wants[t].cycle;

        if (cycle == TM__NONE || cycles->marks[cycle])
            continue;
        cycles->marks[cycle] = 1;
        if (walk_cycle(fill, parsed, t) && keep_ids(fill, first) < 0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

/* The next dump compares with this one. */
static void turn_members(tm__jstack_fill *fill)
{
    tm__jstack_member *members = fill->members;
    uint32_t capacity = fill->member_capacity;

    fill->members = fill->found;
    fill->member_capacity = fill->found_capacity;
    fill->member_count = fill->found_count;
    fill->found = members;
    fill->found_capacity = capacity;
}

/* What it initialises, for whoever waits for that. */
static int add_initialized(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                           uint32_t thread, tm__dump_thread *to)
{
    const tm__jstack_thread *it = &parsed->threads[thread];
    tm__slice name;

    for (uint32_t i = 0; i < it->frame_count; i++) {
        tm__jstack_lock lock = {.class_name = TM__SLICE("java.lang.Class"),
                                .kind = TM__JSTACK_INITIALIZING};

        if (!tm__jstack_initialized_class(tm__jstack_frame(parsed, it->frame_first + i),
                                          &name))
            continue;
        lock.address = tm__jstack_class_address(name);
        lock.of_class = name;
        if (tm__reserve(fill->memory, &fill->holds, &fill->hold_capacity,
                        (size_t)to->hold_count + 1, sizeof(*fill->holds)) < 0 ||
            object_id(fill, &lock, &fill->holds[to->hold_count].object) < 0)
            return TM_ENOMEM;
        fill->holds[to->hold_count++].depth = i;
    }
    to->holds = fill->holds;
    return TM_OK;
}

static int add_holds(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                     uint32_t thread, const sight *seen, tm__dump_thread *to)
{
    const tm__jstack_thread *it = &parsed->threads[thread];
    const tm__jstack_lock *locks = locks_of(parsed, thread);

    if (tm__reserve(fill->memory, &fill->holds, &fill->hold_capacity, it->lock_count,
                    sizeof(*fill->holds)) < 0)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < it->lock_count; i++) {
        tm__dump_hold *hold = &fill->holds[to->hold_count];

        if (!is_held(&locks[i], seen->wanted, seen->state))
            continue;
        hold->depth = locks[i].depth;
        if (object_id(fill, &locks[i], &hold->object) < 0)
            return TM_ENOMEM;
        to->hold_count++;
    }
    to->holds = fill->holds;
    return TM_OK;
}

/* The name with a zero byte behind it. */
static int copy_name(tm__jstack_fill *fill, tm__slice name)
{
    if (tm__reserve(fill->memory, &fill->name, &fill->name_capacity, name.length + 1,
                    1) < 0)
        return TM_ENOMEM;
    memcpy(fill->name, name.bytes, name.length);
    fill->name[name.length] = '\0';
    return TM_OK;
}

/* Before JDK 17 a dump does not name the class. */
static const tm__jstack_wait initialisation = {TM_OBJECT_KIND_ONCE, "java.lang.Class",
                                               "initialisation of a class"};

static int read_thread(tm__jstack_fill *fill, const tm__jstack_dump *parsed, uint32_t t)
{
    const tm__jstack_thread *it = &parsed->threads[t];
    const tm__jstack_wait *own =
        it->is_waiting && tm__slice_begins(it->state, "RUNNABLE") ? &initialisation
                                                                  : it->waits_for;
    const tm__jstack_want *want = &fill->cycles.wants[t];
    tm__dump_thread to = {.thread = {.size = sizeof(tm_thread),
                                     .id = tm__jstack_fill_id(fill, it->id),
                                     .os_id = it->os_id,
                                     .priority = it->priority,
                                     .flags = it->flags},
                          .carrier = tm__jstack_fill_id(fill, it->carrier),
                          .cpu_ns = it->cpu_ns,
                          .has_cpu = it->cpu_ns >= 0,
                          .frame_count = it->frame_count};
    char group[40];
    sight seen;

    if (look(fill, parsed, t, &seen) < 0)
        return TM_ENOMEM;
    to.frames = fill->frames;
    to.state = seen.state;
    /* A text dump has no name for a virtual thread: most have none. */
    if (!it->name.bytes && it->flags & TM_THREAD_VIRTUAL)
        to.thread.name = "";
    to.is_timed = tm__dump_is_timed(it->state);
    if (it->name.bytes) {
        if (copy_name(fill, it->name) < 0)
            return TM_ENOMEM;
        to.thread.name = fill->name;
    }
    if (seen.wanted ? object_id(fill, seen.wanted, &to.wanted) < 0
                    : wait_for_own(fill, own, &to) < 0)
        return TM_ENOMEM;
    if (seen.state == TM_STATE_JOINING && it->owner_id) {
        uint32_t joined = tm__map_find(&parsed->ids, it->owner_id);

        if (joined != TM__NONE)
            to.owner = tm__jstack_fill_id(fill, parsed->threads[joined].id);
    }
    if (want->is_stated)
        to.owner = tm__jstack_fill_id(fill, parsed->threads[want->owner].id);
    if (add_holds(fill, parsed, t, &seen, &to) < 0 ||
        (want->is_initializing && add_initialized(fill, parsed, t, &to) < 0))
        return TM_ENOMEM;
    if (fill->jvm) {
        snprintf(group, sizeof(group), "JVM %llu", (unsigned long long)fill->jvm + 1);
        to.thread.group = group;
    }
    to.thread.pid = parsed->process <= UINT32_MAX ? parsed->process : 0;
    return tm__dump_read(fill->dump, &to);
}

int tm__jstack_fill_read(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                         uint64_t offset)
{
    fill->dump->nature.reports_synchronizers = parsed->reports_synchronizers;
    fill->dump->nature.reports_monitors = tm__jstack_reports_monitors(parsed);
    fill->dump->nature.is_one_instant = parsed->grammar->is_one_instant;
    fill->dump->is_library = parsed->grammar->is_library;
    if (find_cycles(fill, parsed, offset) < 0 || recognise_cycles(fill, parsed) < 0)
        return TM_ENOMEM;
    for (; fill->next < parsed->thread_count; fill->next++)
        if (read_thread(fill, parsed, fill->next) < 0)
            return TM_ENOMEM;
    fill->next = 0;
    turn_members(fill);
    return TM_OK;
}

int tm__jstack_fill_leave(tm__jstack_fill *fill)
{
    tm__dump *dump = fill->dump;

    if (tm__dump_reserve(dump, dump->before_count) < 0)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < dump->before_count; i++) {
        tm_event event = {.time_ns = dump->time_ns + 1,
                          .thread = (uint64_t)dump->before[i].key,
                          .kind = TM_EVENT_SNAPSHOT};
        uint32_t k = 0;

        /* Who is deadlocked goes on to be. */
        while (k < fill->member_count && fill->members[k].thread != event.thread)
            k++;
        if (k == fill->member_count)
            tm__dump_note(dump, &event);
    }
    dump->before_count = 0;
    return TM_OK;
}

void tm__jstack_fill_free(tm__jstack_fill *fill)
{
    tm__memory *memory = fill->memory;

    tm__jstack_cycles_free(&fill->cycles);
    tm__map_clear(&fill->classes);
    tm__map_clear(&fill->moved);
    tm__map_clear(&fill->member_map);
    tm__map_clear(&fill->edges);
    tm__free(memory, fill->numbers, fill->number_capacity * sizeof(*fill->numbers));
    tm__free(memory, fill->moved_ids, fill->moved_capacity * sizeof(*fill->moved_ids));
    tm__free(memory, fill->members, fill->member_capacity * sizeof(*fill->members));
    tm__free(memory, fill->found, fill->found_capacity * sizeof(*fill->found));
    tm__free(memory, fill->frames, fill->frame_capacity * sizeof(*fill->frames));
    tm__free(memory, fill->holds, fill->hold_capacity * sizeof(*fill->holds));
    tm__free(memory, fill->name, fill->name_capacity);
    tm__free(memory, fill->label, fill->label_capacity);
}
