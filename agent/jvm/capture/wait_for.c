/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait-for graph of the owners that were read. Each thread notes the thread that
 * blocks it, and follows these notes, so that the one that closes a cycle sees it at
 * once:
 *
 *     A   ──▶ B ──▶ C          C blocks, by A: C ──▶ A ──▶ B ──▶ C
 *
 * An owner may have released since it was read, so a cycle is no more than a reason for
 * the writer to ask the VM now and not at its own time. So is an enter whose owner
 * could not be read. Locks that are taken in turn make such cycles often: a few are
 * looked at, and what hides among the others is found at the writer's own time. Where
 * two threads share a place, the older is forgotten.
 */
#include "capture/wait_for.h"

#include <stdatomic.h>

#include "ring/recording_state.h"

enum { PLACES = 4096, LONGEST = 64 };

/* So often one is looked at; after a rest so many at once. */
static const int64_t REST_NS = INT64_C(100000000);
enum { SAVED = 10 };

/* A cache line for each: the fields that threads write at every block. */
static struct {
    _Alignas(64) _Atomic uint64_t thread;
    _Atomic uint64_t owner;
} places[PLACES];

static _Atomic uint64_t closed;
static _Atomic int64_t rested_ns; ///< no cycle is looked at before that

static const uint64_t BEGINS =
    TM__KIND(CONTENDED_ENTER) | TM__KIND(WAIT) | TM__KIND(PARK) | TM__KIND(JOIN);
static const uint64_t ENDS = TM__KIND(CONTENDED_ENTERED) | TM__KIND(WAITED) |
                             TM__KIND(UNPARKED) | TM__KIND(JOINED);

/* The owner of a lock by which a thread is blocked, where it could not be read. */
#define SOMEBODY UINT64_MAX

static uint64_t owner_of(uint64_t thread)
{
    uint64_t owner = 0;

    if (atomic_load(&places[thread % PLACES].thread) == thread)
        owner = atomic_load(&places[thread % PLACES].owner);
    return atomic_load(&places[thread % PLACES].thread) == thread ? owner : 0;
}

uint64_t tm__wait_for_owner(uint64_t thread)
{
    uint64_t owner = owner_of(thread);

    return owner == SOMEBODY ? 0 : owner;
}

/* If two threads close a cycle together, at least one sees the other's place. */
static void begin(uint64_t thread, uint64_t owner)
{
    atomic_store_explicit(&places[thread % PLACES].thread, 0, memory_order_relaxed);
    atomic_store_explicit(&places[thread % PLACES].owner, owner, memory_order_release);
    atomic_store(&places[thread % PLACES].thread, thread);
}

static void end(uint64_t thread)
{
    uint64_t self = thread;

    if (atomic_load_explicit(&places[thread % PLACES].thread, memory_order_relaxed) ==
        thread)
        atomic_compare_exchange_strong(&places[thread % PLACES].thread, &self, 0);
}

/* Whether the writer has time for this one, which it then takes. */
static int may_ask(int64_t now_ns)
{
    int64_t next_ns = atomic_load(&rested_ns);

    if (next_ns > now_ns)
        return 0;
    if (next_ns < now_ns - SAVED * REST_NS)
        next_ns = now_ns - SAVED * REST_NS;
    atomic_store(&rested_ns, next_ns + REST_NS);
    return 1;
}

/* It does, or it may. */
static int closes_cycle(uint64_t thread, uint64_t owner)
{
    for (int length = 1; owner && length < LONGEST; length++) {
        if (owner == SOMEBODY || owner == thread)
            return 1;
        owner = owner_of(owner);
    }
    return 0;
}

int tm__wait_for_follow(const tm_event *event)
{
    uint64_t bit = UINT64_C(1) << event->kind, owner = event->peer;

    if (bit & ENDS)
        end(event->thread);
    if (!(bit & BEGINS) || owner == event->thread)
        return 0;
    if (!owner && event->kind == TM_EVENT_CONTENDED_ENTER)
        owner = SOMEBODY;
    if (!owner)
        return 0;
    begin(event->thread, owner);
    if (!closes_cycle(event->thread, owner) || !may_ask(event->time_ns))
        return 0;
    atomic_store(&closed, event->thread);
    return 1;
}

uint64_t tm__wait_for_closed(void)
{
    return atomic_exchange(&closed, 0);
}
