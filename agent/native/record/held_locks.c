/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths that few locks take: a thread holds many at once, releases them in another
 * order, or releases one that others queue for.
 */
#include "record/held_locks.h"

#include "record/record.h"

static int is_there_again(const tm__ring *ring, uint32_t at)
{
    uint64_t object =
        atomic_load_explicit(&ring->holds[at].object, memory_order_relaxed);

    for (uint32_t i = at + 1; i < TM__HOLDS_MOST; i++)
        if (atomic_load_explicit(&ring->holds[i].object, memory_order_relaxed) ==
            object)
            return 1;
    return 0;
}

/* A full list: of locks that are there several times, the older ones were released by
 * other threads. @return a place that is free; TM__HOLDS_MOST: none is */
static uint32_t drop_stale(tm__ring *ring)
{
    uint32_t place = TM__HOLDS_MOST;

    for (uint32_t i = 0; i < TM__HOLDS_MOST; i++)
        if (is_there_again(ring, i)) {
            atomic_store_explicit(&ring->holds[i].object, 0, memory_order_relaxed);
            place = i;
        }
    return place;
}

/* A place of a lock that nobody knows of so far. */
static uint32_t displace(tm__ring *ring)
{
    for (uint32_t i = 0; i < TM__HOLDS_MOST; i++)
        if (atomic_exchange(&ring->holds[i].is_reported, 1) == 0) {
            tm__the_self.unlisted++;
            return i;
        }
    return TM__HOLDS_MOST;
}

/* @return where a lock is listed when all places are taken; TM__HOLDS_MOST: nowhere */
static uint32_t make_place(tm__ring *ring, uint32_t is_reported)
{
    uint32_t at = TM__HOLDS_MOST;

    /* This is slow, and what it finds is rare. */
    if (tm__the_self.unlisted % TM__HOLDS_MOST == 0)
        at = drop_stale(ring);
    if (at == TM__HOLDS_MOST && is_reported)
        at = displace(ring);
    return at;
}

void tm__hold_add_slow(tm__ring *ring, const volatile void *object, uint32_t kind,
                       uint32_t flags, uint64_t time, uint32_t is_reported,
                       const void *site)
{
    uint32_t count = atomic_load_explicit(&ring->hold_count, memory_order_relaxed);
    uint32_t at = 0;

    while (at < count && at < TM__HOLDS_MOST &&
           atomic_load_explicit(&ring->holds[at].object, memory_order_relaxed) != 0)
        at++;
    if (at >= TM__HOLDS_MOST)
        at = make_place(ring, is_reported);
    if (at >= TM__HOLDS_MOST) {
        tm__the_self.unlisted++;
        if (is_reported)
            tm__record_lost(ring, time);
        return;
    }
    if (at == count)
        atomic_store_explicit(&ring->hold_count, count + 1, memory_order_relaxed);
    ring->holds[at].object_kind = kind;
    ring->holds[at].flags = flags;
    ring->holds[at].stack = TM__STACK_NONE;
    ring->holds[at].site = (uint64_t)(uintptr_t)site;
    atomic_store_explicit(&ring->holds[at].is_reported, is_reported,
                          memory_order_relaxed);
    atomic_store_explicit(&ring->holds[at].time, time, memory_order_relaxed);
    atomic_store_explicit(&ring->holds[at].object, (uint64_t)(uintptr_t)object,
                          memory_order_release);
}

tm__hold *tm__hold_find_older(tm__ring *ring, const volatile void *object)
{
    uint32_t at = atomic_load_explicit(&ring->hold_count, memory_order_relaxed);

    if (at > TM__HOLDS_MOST)
        at = TM__HOLDS_MOST;
    while (at-- != 0)
        if (tm__hold_is(ring, at, (uint64_t)(uintptr_t)object))
            return &ring->holds[at];
    return NULL;
}

void tm__holds_cut(tm__ring *ring)
{
    uint32_t count = atomic_load_explicit(&ring->hold_count, memory_order_relaxed);

    if (count > TM__HOLDS_MOST)
        count = TM__HOLDS_MOST;
    while (count != 0 && tm__hold_is(ring, count - 1, 0))
        count--;
    atomic_store_explicit(&ring->hold_count, count, memory_order_relaxed);
}

void tm__hold_release_unlisted(tm__ring *ring, const volatile void *object)
{
    tm__the_self.unlisted--;
    if (atomic_load(tm__waiters(object)) != 0)
        tm__record_lost(ring, tm__now());
}

tm__released tm__hold_release_slow(tm__ring *ring, tm__hold *hold)
{
    tm__released none = {0};
    tm__fact fact = {.object_kind = hold->object_kind,
                     .flags = hold->flags,
                     .object = (void *)(uintptr_t)atomic_load(&hold->object)};
    int is_reported = atomic_exchange(&hold->is_reported, 1) != 0;
    tm__hold *outer;

    /* A recursive lock that was taken again: this is not its last release. */
    atomic_store_explicit(&hold->object, 0, memory_order_relaxed);
    outer = tm__hold_find(ring, fact.object);
    if (!outer) {
        if (!is_reported) {
            fact.kind = TM_EVENT_ACQUIRED;
            tm__record_fact(ring, &fact, atomic_load(&hold->time));
        }
        fact.kind = TM_EVENT_RELEASED;
        tm__record_now(ring, &fact);
    }
    tm__hold_remove(ring, hold);
    return none;
}

void tm__hold_released_slow(tm__ring *ring, const volatile void *object,
                            tm__released released)
{
    tm__fact fact = {.kind = TM_EVENT_ACQUIRED,
                     .object_kind = released.object_kind,
                     .flags = released.flags,
                     .object = object};

    /* This may not have been the last release of a recursive lock. */
    if (tm__hold_find(ring, object))
        return;
    tm__record_fact(ring, &fact, released.since);
    fact.kind = TM_EVENT_RELEASED;
    tm__record_now(ring, &fact);
}
