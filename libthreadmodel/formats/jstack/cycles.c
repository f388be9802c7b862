/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread wants one object, an object has one owner, so the graph has one edge a
 * thread, and a walk that marks what it passes finds every cycle in one pass:
 *
 *      thread ──wants──▶ address ──owned by──▶ thread ──wants──▶ ...
 *
 * The JVM's account knows threads by name only, which need not be unique: a line of it
 * is about the thread of that name that wants that object.
 */
#include "formats/jstack/cycles.h"
#include "formats/jstack/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void tm__jstack_cycles_init(tm__jstack_cycles *cycles, tm__memory *memory)
{
    *cycles = (tm__jstack_cycles){.memory = memory};
    tm__map_init(&cycles->owners, memory);
    tm__map_init(&cycles->names, memory);
}

/* FNV-1a; threads of one hash are distinguished by their names. */
static uint64_t hash_of(tm__slice name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (uint8_t)name.bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int same(tm__slice a, tm__slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static int index_names(tm__jstack_cycles *cycles, const tm__jstack_dump *dump)
{
    uint32_t named = dump->edge_count;

    /* The dump has an account only where there is a deadlock. */
    for (uint32_t i = 0; !named && i < dump->thread_count; i++)
        named = dump->threads[i].owner.length > 0 && !dump->threads[i].owner_id;
    if (!named)
        return TM_OK;
    if (tm__reserve(cycles->memory, &cycles->next_namesake, &cycles->namesake_capacity,
                    dump->thread_count, sizeof(*cycles->next_namesake)) < 0)
        return tm__failure();
    for (uint32_t i = dump->thread_count; i-- > 0;) {
        uint64_t hash = hash_of(dump->threads[i].name);
        uint32_t first = tm__map_find(&cycles->names, hash);

        /* Chained behind the last of the name, whose place in the map stays. */
        cycles->next_namesake[i] = TM__NONE;
        if (first == TM__NONE) {
            if (tm__map_put(&cycles->names, hash, i) < 0)
                return tm__failure();
        } else {
            cycles->next_namesake[i] = cycles->next_namesake[first];
            cycles->next_namesake[first] = i;
        }
    }
    return TM_OK;
}

int tm__jstack_cycles_start(tm__jstack_cycles *cycles, const tm__jstack_dump *dump)
{
    tm__map_clear(&cycles->owners);
    tm__map_clear(&cycles->names);
    cycles->cycle_count = 0;
    cycles->want_count = dump->thread_count;
    if (tm__reserve(cycles->memory, &cycles->wants, &cycles->want_capacity,
                    dump->thread_count, sizeof(*cycles->wants)) < 0 ||
        tm__reserve(cycles->memory, &cycles->marks, &cycles->mark_capacity,
                    dump->thread_count, sizeof(*cycles->marks)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < dump->thread_count; i++)
        cycles->wants[i] = (tm__jstack_want){.owner = TM__NONE, .cycle = TM__NONE};
    return index_names(cycles, dump);
}

int tm__jstack_cycles_hold(tm__jstack_cycles *cycles, uint64_t address, uint32_t thread)
{
    if (tm__map_find(&cycles->owners, address) != TM__NONE)
        return TM_OK;
    return tm__map_put(&cycles->owners, address, thread);
}

int tm__jstack_initialized_class(tm__slice frame, tm__slice *name)
{
    static const char initializer[] = "<clinit>";
    tm__frame_parts parts;

    if (tm__slice_find(frame, initializer) == frame.length)
        return 0;
    parts = tm__frame_split(frame);
    *name = parts.class_name;
    return tm__slice_is(parts.method, initializer);
}

uint64_t tm__jstack_class_address(tm__slice name)
{
    return tm__jstack_hash(name) | UINT64_C(1) << 63;
}

int tm__jstack_cycles_initializers(tm__jstack_cycles *cycles,
                                   const tm__jstack_dump *dump)
{
    int is_needed = 0;
    tm__slice name;

    for (uint32_t i = 0; i < dump->lock_count && !is_needed; i++)
        is_needed = dump->locks[i].kind == TM__JSTACK_INITIALIZING;
    for (uint32_t t = 0; is_needed && t < dump->thread_count; t++)
        for (uint32_t i = 0; i < dump->threads[t].frame_count; i++)
            if (tm__jstack_initialized_class(
                    tm__jstack_frame(dump, dump->threads[t].frame_first + i), &name) &&
                tm__jstack_cycles_hold(cycles, tm__jstack_class_address(name), t) < 0)
                return tm__failure();
    for (uint32_t t = 0; is_needed && t < dump->thread_count; t++)
        for (uint32_t i = 0; i < dump->threads[t].lock_count; i++) {
            const tm__jstack_lock *lock = &dump->locks[dump->threads[t].lock_first + i];
            uint32_t owner = lock->kind == TM__JSTACK_INITIALIZING
                                 ? tm__map_find(&cycles->owners, lock->address)
                                 : TM__NONE;

            if (owner != TM__NONE && owner != t)
                cycles->wants[t].is_initialized_by_other =
                    cycles->wants[owner].is_initializing = 1;
        }
    return TM_OK;
}

/* The thread of a name that wants an object; with address 0 the one of that name,
 * where there is one only. */
static uint32_t find_thread(const tm__jstack_cycles *cycles,
                            const tm__jstack_dump *dump, tm__slice name,
                            uint64_t address)
{
    uint32_t found = TM__NONE;

    for (uint32_t i = tm__map_find(&cycles->names, hash_of(name)); i != TM__NONE;
         i = cycles->next_namesake[i]) {
        if (!same(dump->threads[i].name, name))
            continue;
        if (address && cycles->wants[i].address == address)
            return i;
        if (!address) {
            if (found != TM__NONE)
                return TM__NONE;
            found = i;
        }
    }
    return found;
}

/* Owners of synchronizers stand nowhere else in a dump without -l. */
static void read_account(tm__jstack_cycles *cycles, const tm__jstack_dump *dump)
{
    for (uint32_t i = 0; i < dump->edge_count; i++) {
        const tm__jstack_edge *edge = &dump->edges[i];
        uint32_t thread = find_thread(cycles, dump, edge->thread, edge->address);
        tm__jstack_want *want;

        if (thread == TM__NONE || !edge->address)
            continue;
        want = &cycles->wants[thread];
        want->is_reported = 1;
        if (want->owner == TM__NONE && edge->owner.length > 0) {
            want->owner = find_thread(cycles, dump, edge->owner, 0);
            want->is_stated = want->owner != TM__NONE;
        }
    }
}

/* The owner that the thread's own lines name, by its number or its name. */
static void read_owners(tm__jstack_cycles *cycles, const tm__jstack_dump *dump)
{
    for (uint32_t i = 0; i < dump->thread_count; i++) {
        const tm__jstack_thread *thread = &dump->threads[i];
        tm__jstack_want *want = &cycles->wants[i];

        if (!want->address || want->owner != TM__NONE)
            continue;
        if (thread->owner_id)
            want->owner = tm__map_find(&dump->ids, thread->owner_id);
        else if (thread->owner.length > 0)
            want->owner = find_thread(cycles, dump, thread->owner, 0);
        if (want->owner == i)
            want->owner = TM__NONE;
        want->is_stated = want->owner != TM__NONE;
    }
}

static void mark_cycles(tm__jstack_cycles *cycles)
{
    tm__jstack_want *wants = cycles->wants;

    for (uint32_t i = 0; i < cycles->want_count; i++)
        cycles->marks[i] = 0;
    for (uint32_t i = 0; i < cycles->want_count; i++) {
        uint32_t at = i;

        while (at != TM__NONE && cycles->marks[at] == 0) {
            cycles->marks[at] = i + 1;
            at = wants[at].owner;
        }
        /* Back on the walk's own trail: from here on it goes round. */
        if (at == TM__NONE || cycles->marks[at] != i + 1 || wants[at].owner == at)
            continue;
        for (; wants[at].cycle == TM__NONE; at = wants[at].owner)
            wants[at].cycle = cycles->cycle_count;
        cycles->cycle_count++;
    }
}

/* The names of some threads, "a", "b", as many as there is room for. */
typedef struct list {
    char text[200];
    size_t length;
    uint32_t count;
} list;

static void add_name(list *names, tm__slice name)
{
    int length = name.length < 40 ? (int)name.length : 40;

    if (names->length + 50 < sizeof(names->text))
        names->length += (size_t)snprintf(
            names->text + names->length, sizeof(names->text) - names->length,
            "%s\"%.*s\"", names->count ? ", " : "", length, name.bytes);
    names->count++;
}

int tm__jstack_cycles_find(tm__jstack_cycles *cycles, const tm__jstack_dump *dump,
                           tm__notes *notes, uint64_t offset)
{
    list unnamed = {{0}, 0, 0}, unseen = {{0}, 0, 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < cycles->want_count; i++)
        if (cycles->wants[i].address)
            cycles->wants[i].owner =
                tm__map_find(&cycles->owners, cycles->wants[i].address);
    if (dump->edge_count > 0)
        read_account(cycles, dump);
    read_owners(cycles, dump);
    mark_cycles(cycles);
    for (uint32_t i = 0; i < cycles->want_count; i++)
        if (cycles->wants[i].cycle != TM__NONE && !cycles->wants[i].is_reported &&
            !cycles->wants[i].is_initialized_by_other)
            add_name(&unnamed, dump->threads[i].name);
    for (uint32_t i = 0; i < dump->edge_count; i++) {
        const tm__jstack_edge *edge = &dump->edges[i];
        uint32_t thread = find_thread(cycles, dump, edge->thread, edge->address);

        if (thread == TM__NONE || cycles->wants[thread].cycle == TM__NONE)
            add_name(&unseen, edge->thread);
    }
    /* A dump that was cut has lost its account. */
    if (unnamed.count && dump->has_end)
        rc = tm__notes_caveat(
            notes,
            "In the dump at byte %llu %u threads are deadlocked by the locks that it "
            "shows, which the JVM's own account does not list: %s.",
            (unsigned long long)offset, unnamed.count, unnamed.text);
    if (rc == TM_OK && unseen.count)
        rc = tm__notes_caveat(notes,
                              "In the dump at byte %llu the JVM lists %u threads as "
                              "deadlocked whose locks do not show it: %s.",
                              (unsigned long long)offset, unseen.count, unseen.text);
    return rc;
}

void tm__jstack_cycles_free(tm__jstack_cycles *cycles)
{
    tm__memory *memory = cycles->memory;

    tm__map_clear(&cycles->owners);
    tm__map_clear(&cycles->names);
    tm__free(memory, cycles->wants, cycles->want_capacity * sizeof(*cycles->wants));
    tm__free(memory, cycles->marks, cycles->mark_capacity * sizeof(*cycles->marks));
    tm__free(memory, cycles->next_namesake,
             cycles->namesake_capacity * sizeof(*cycles->next_namesake));
}
