/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account names threads by their names alone:
 *
 *     "stacker":
 *       waiting to lock monitor 0x00007f... (object 0x00000000f38880f8, a Depot$Crate),
 *       which is held by "unstacker"
 *
 * A thread that is named so and is not among the threads of the dump gets a number that
 * is made of its name, the lock that it wants, and the locks that others want of it.
 */
#include "formats/jstack/account.h"

#include <string.h>

#include "base/map.h"

static int add_lock(tm__jstack_dump *dump, const tm__jstack_edge *edge, uint32_t kind)
{
    tm__jstack_thread *thread = &dump->threads[dump->thread_count - 1];

    if (tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                    (size_t)dump->lock_count + 1, sizeof(*dump->locks)) < 0)
        return TM_ENOMEM;
    dump->locks[dump->lock_count++] = (tm__jstack_lock){.class_name = edge->class_name,
                                                        .address = edge->address,
                                                        .depth = TM__NONE,
                                                        .kind = kind};
    thread->lock_count++;
    return TM_OK;
}

static int same(tm__slice a, tm__slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static int add_thread(tm__jstack_dump *dump, const tm__jstack_edge *edge)
{
    if (tm__reserve(dump->memory, &dump->threads, &dump->thread_capacity,
                    (size_t)dump->thread_count + 1, sizeof(*dump->threads)) < 0)
        return TM_ENOMEM;
    dump->threads[dump->thread_count++] =
        (tm__jstack_thread){.name = edge->thread,
                            .state = {"BLOCKED (on object monitor)", 27},
                            .id = tm__jstack_made_number(edge->thread),
                            .cpu_ns = -1,
                            .elapsed_ns = -1,
                            .frame_first = dump->frame_count,
                            .lock_first = dump->lock_count};
    dump->account_threads++;
    if (edge->address && add_lock(dump, edge, TM__JSTACK_WANTED) < 0)
        return TM_ENOMEM;
    /* An account is a few lines for each deadlock. */
    for (uint32_t i = 0; i < dump->edge_count; i++)
        if (dump->edges[i].address && same(dump->edges[i].owner, edge->thread) &&
            add_lock(dump, &dump->edges[i], TM__JSTACK_LOCKED) < 0)
            return TM_ENOMEM;
    return TM_OK;
}

static int add_missing(tm__jstack_dump *dump, tm__map *names)
{
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        uint64_t name = tm__jstack_made_number(dump->threads[i].name);

        if (tm__map_find(names, name) == TM__NONE && tm__map_put(names, name, i) < 0)
            return TM_ENOMEM;
    }
    for (uint32_t i = 0; i < dump->edge_count; i++) {
        uint64_t name = tm__jstack_made_number(dump->edges[i].thread);

        if (tm__map_find(names, name) != TM__NONE)
            continue;
        if (tm__map_put(names, name, dump->thread_count) < 0 ||
            add_thread(dump, &dump->edges[i]) < 0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

int tm__jstack_complete(tm__jstack_dump *dump)
{
    tm__map names;
    int rc;

    if (dump->edge_count == 0)
        return TM_OK;
    tm__map_init(&names, dump->memory);
    rc = add_missing(dump, &names);
    tm__map_clear(&names);
    return rc;
}
