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

#include "base/error.h"
#include "base/map.h"
#include "formats/jstack/parse.h"

static void add_lock(tm__jstack_dump *dump, const tm__jstack_edge *edge, uint8_t kind)
{
    dump->locks[dump->lock_count++] = (tm__jstack_lock){.class_name = edge->class_name,
                                                        .address = edge->address,
                                                        .depth = TM__NONE,
                                                        .kind = kind};
    tm__jstack_last(dump)->lock_count++;
}

static int add_thread(tm__jstack_dump *dump, const tm__jstack_edge *edge)
{
    tm__jstack_thread thread = {.name = edge->thread,
                                .state = TM__SLICE("BLOCKED (on object monitor)"),
                                .id = tm__jstack_hash(edge->thread) | UINT64_C(1) << 63,
                                .elapsed_ns = -1,
                                .cpu_ns = -1};

    /* An account is a few lines for each deadlock. */
    if (tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                    (size_t)dump->lock_count + dump->edge_count + 1,
                    sizeof(*dump->locks)) < 0 ||
        tm__jstack_add_thread(dump, &thread) < 0)
        return tm__failure();
    dump->account_threads++;
    if (edge->address)
        add_lock(dump, edge, TM__JSTACK_WANTED);
    for (uint32_t i = 0; i < dump->edge_count; i++)
        if (dump->edges[i].address &&
            tm__slice_same(dump->edges[i].owner, edge->thread))
            add_lock(dump, &dump->edges[i], TM__JSTACK_LOCKED);
    return TM_OK;
}

static int add_missing(tm__jstack_dump *dump, tm__map *names)
{
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        uint64_t name = tm__jstack_hash(dump->threads[i].name);

        if (tm__map_find(names, name) == TM__NONE && tm__map_put(names, name, i) < 0)
            return tm__failure();
    }
    for (uint32_t i = 0; i < dump->edge_count; i++) {
        uint64_t name = tm__jstack_hash(dump->edges[i].thread);

        if (tm__map_find(names, name) != TM__NONE)
            continue;
        if (tm__map_put(names, name, dump->thread_count) < 0 ||
            add_thread(dump, &dump->edges[i]) < 0)
            return tm__failure();
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
