/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/same_cycles.h"

#include <string.h>

#include "base/error.h"

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
            return tm__failure();
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
                                    wants[at].address ^ fill->jvm << TM__JVM_SHIFT,
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
            return tm__failure();
        fill->moved_ids[fill->moved_count++] = id;
        now->object = id;
    }
    return TM_OK;
}

int tm__jstack_recognise_cycles(tm__jstack_fill *fill, const tm__jstack_dump *parsed)
{
    tm__jstack_cycles *cycles = &fill->cycles;

    tm__map_clear(&fill->moved);
    fill->moved_count = fill->found_count = 0;
    if (cycles->cycle_count == 0)
        return TM_OK;
    if (index_members(fill) < 0 ||
        tm__reserve(fill->memory, &fill->found, &fill->found_capacity,
                    parsed->thread_count, sizeof(*fill->found)) < 0)
        return tm__failure();
    memset(cycles->marks, 0, cycles->cycle_count * sizeof(*cycles->marks));
    for (uint32_t t = 0; t < parsed->thread_count; t++) {
        uint32_t first = fill->found_count, cycle = cycles->wants[t].cycle;

        if (cycle == TM__NONE || cycles->marks[cycle])
            continue;
        cycles->marks[cycle] = 1;
        if (walk_cycle(fill, parsed, t) && keep_ids(fill, first) < 0)
            return tm__failure();
    }
    return TM_OK;
}

void tm__jstack_turn_members(tm__jstack_fill *fill)
{
    tm__jstack_member *members = fill->members;
    uint32_t capacity = fill->member_capacity;

    fill->members = fill->found;
    fill->member_capacity = fill->found_capacity;
    fill->member_count = fill->found_count;
    fill->found = members;
    fill->found_capacity = capacity;
}
