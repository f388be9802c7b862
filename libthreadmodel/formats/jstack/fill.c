/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks that each thread wants and holds are computed first, for all, since a
 * lock's owner may stand further down; then threads are taken one by one.
 */
#include "formats/dump/dump.h"
#include "formats/jstack/fill.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/dump/java_state.h"
#include "formats/jstack/fill_objects.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/same_cycles.h"
#include "formats/jstack/sight.h"

void tm__jstack_fill_init(tm__jstack_fill *fill, tm__memory *memory, tm__dump *dump)
{
    *fill = (tm__jstack_fill){.memory = memory, .dump = dump};
    tm__jstack_cycles_init(&fill->cycles, memory);
    tm__map_init(&fill->classes, memory);
    tm__map_init(&fill->moved, memory);
    tm__map_init(&fill->edges, memory);
    tm__map_init(&fill->member_map, memory);
}

static int find_cycles(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                       uint64_t offset)
{
    if (tm__jstack_cycles_start(&fill->cycles, parsed) < 0 ||
        tm__jstack_index_edges(fill, parsed) < 0 ||
        tm__jstack_cycles_initializers(&fill->cycles, parsed) < 0)
        return tm__failure();
    for (uint32_t t = 0; t < parsed->thread_count; t++) {
        const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, t);
        tm__jstack_sight seen;

        if (tm__jstack_look(fill, parsed, t, &seen) < 0)
            return tm__failure();
        if (seen.wanted && seen.state != TM_STATE_WAITING &&
            seen.state != TM_STATE_JOINING)
            fill->cycles.wants[t].address = seen.wanted->address;
        for (uint32_t i = 0; i < parsed->threads[t].lock_count; i++)
            if (tm__jstack_is_held(&locks[i], seen.wanted, seen.state) &&
                tm__jstack_cycles_hold(&fill->cycles, locks[i].address, t) < 0)
                return tm__failure();
    }
    return tm__jstack_cycles_find(&fill->cycles, parsed, fill->dump->notes, offset);
}

/* The class that it initialises, for the threads that wait for that. */
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
            tm__jstack_object_id(fill, &lock, &fill->holds[to->hold_count].object) < 0)
            return tm__failure();
        fill->holds[to->hold_count++].depth = i;
    }
    to->holds = fill->holds;
    return TM_OK;
}

static int add_holds(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                     uint32_t thread, const tm__jstack_sight *seen, tm__dump_thread *to)
{
    const tm__jstack_thread *it = &parsed->threads[thread];
    const tm__jstack_lock *locks = tm__jstack_locks_of(parsed, thread);

    if (tm__reserve(fill->memory, &fill->holds, &fill->hold_capacity, it->lock_count,
                    sizeof(*fill->holds)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < it->lock_count; i++) {
        tm__dump_hold *hold = &fill->holds[to->hold_count];

        if (!tm__jstack_is_held(&locks[i], seen->wanted, seen->state))
            continue;
        hold->depth = locks[i].depth;
        if (tm__jstack_object_id(fill, &locks[i], &hold->object) < 0)
            return tm__failure();
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
        return tm__failure();
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
    tm__jstack_sight seen;

    if (tm__jstack_look(fill, parsed, t, &seen) < 0)
        return tm__failure();
    to.frames = fill->frames;
    to.state = seen.state;
    /* A text dump has no name for a virtual thread: most have none. */
    if (!it->name.bytes && it->flags & TM_THREAD_VIRTUAL)
        to.thread.name = "";
    to.is_timed = tm__dump_is_timed(it->state);
    if (it->name.bytes) {
        if (copy_name(fill, it->name) < 0)
            return tm__failure();
        to.thread.name = fill->name;
    }
    if (seen.wanted ? tm__jstack_object_id(fill, seen.wanted, &to.wanted) < 0
                    : tm__jstack_wait_for_own(fill, own, &to) < 0)
        return tm__failure();
    if (seen.state == TM_STATE_JOINING && it->owner_id) {
        uint32_t joined = tm__map_find(&parsed->ids, it->owner_id);

        if (joined != TM__NONE)
            to.owner = tm__jstack_fill_id(fill, parsed->threads[joined].id);
    }
    if (want->is_stated)
        to.owner = tm__jstack_fill_id(fill, parsed->threads[want->owner].id);
    if (add_holds(fill, parsed, t, &seen, &to) < 0 ||
        (want->is_initializing && add_initialized(fill, parsed, t, &to) < 0))
        return tm__failure();
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
    if (find_cycles(fill, parsed, offset) < 0 ||
        tm__jstack_recognise_cycles(fill, parsed) < 0)
        return tm__failure();
    for (; fill->next < parsed->thread_count; fill->next++)
        if (read_thread(fill, parsed, fill->next) < 0)
            return tm__failure();
    fill->next = 0;
    tm__jstack_turn_members(fill);
    return TM_OK;
}

int tm__jstack_fill_leave(tm__jstack_fill *fill)
{
    tm__dump *dump = fill->dump;

    if (tm__dump_reserve(dump, dump->before_count) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < dump->before_count; i++) {
        tm_event event = {.time_ns = dump->time_ns + 1,
                          .thread = (uint64_t)dump->before[i].key,
                          .kind = TM_EVENT_SNAPSHOT};
        uint32_t k = 0;

        /* A deadlocked thread stays deadlocked. */
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
