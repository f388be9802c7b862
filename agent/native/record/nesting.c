/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread has a table of the nestings that it has reported: a key of the locks in
 * their order, and how often they came. It never gives up a place, and of the places
 * where locks are acquired none may fill it: a list of a million nodes, each locked
 * before the one before it is released, has as many pairs.
 *
 * Where a lock was acquired is known by its return address alone, which costs a store.
 * Once it proves to be an outer one, its callers are looked at the next time.
 */
#include "record/nesting.h"

#include "record/known_nestings.h"
#include "record/known_stacks.h"
#include "record/lock_marks.h"
#include "record/shared_rings.h"

enum {
    PROBES = 8,
    OF_A_PLACE = 32,        ///< nestings of other locks
    REPORTS_MOST = 1 << 16, ///< of a process: as many as a model keeps
    LEARN_MOST = 1000,      ///< locks that are looked at for one place
    CREATIONS_MOST = 64     ///< of threads; beyond these, only powers of 2 count
};

#define COUNT_MOST UINT64_C(0xFFFF)

static _Atomic uint32_t the_reports;

static inline uint64_t mix(uint64_t key, uint64_t word)
{
    key = (key ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return key ^ key >> 29;
}

static inline uint64_t mix_lock(uint64_t key, uint64_t lock, uint32_t flags)
{
    uint64_t generation = tm__lock_generation((void *)(uintptr_t)lock);

    return mix(key, lock ^ (uint64_t)flags << 40 ^ generation << 49);
}

/* The upper 48 bits name a nesting, the others count it. */
static inline uint64_t name_of(uint64_t key)
{
    return (key | UINT64_C(1) << 63) & ~COUNT_MOST;
}

/* @return its place, or a free one; NULL: there is no room */
static inline uint64_t *find(uint64_t *nestings, uint64_t key)
{
    for (uint64_t i = 0; i < PROBES; i++) {
        uint64_t *it = &nestings[((key >> 48) + i) % TM__NESTINGS_KNOWN];

        if ((*it & ~COUNT_MOST) == name_of(key) || *it == 0)
            return it;
    }
    return NULL;
}

/* @return how often it came with this time, which is not counted any more at the most
 */
static inline uint32_t count(uint64_t *it, uint64_t key)
{
    if (*it == 0)
        *it = name_of(key);
    if ((*it & COUNT_MOST) == COUNT_MOST)
        return COUNT_MOST;
    return (uint32_t)(++*it & COUNT_MOST);
}

static inline uint64_t *own_nestings(const tm__ring *ring)
{
    tm__self *self = &tm__the_self;

    if (__builtin_expect(!self->nestings, 0))
        self->nestings = tm__known_nestings_of(tm__ring_number(ring));
    return self->nestings;
}

static TM__RARELY void leave_out(tm__ring *ring)
{
    atomic_fetch_add_explicit(&ring->nestings_left_out, 1, memory_order_relaxed);
}

/* A place may have many locks: whether it had its share of nestings. */
static TM__RARELY int is_of_many(uint64_t *nestings, const tm__ring *ring,
                                 uint32_t holds, const void *site)
{
    uint64_t key = mix(0, (uint64_t)(uintptr_t)site);
    uint64_t *it;

    for (uint32_t i = 0; i < holds; i++)
        if (atomic_load_explicit(&ring->holds[i].object, memory_order_relaxed) != 0)
            key = mix(key, ring->holds[i].site);
    it = find(nestings, key);
    return !it || count(it, key) > OF_A_PLACE;
}

/* The stack by which a lock was acquired, if that was looked at and is still known. */
static uint16_t known_stack_of(const tm__hold *hold)
{
    const tm__self *self = &tm__the_self;

    return hold->stack < TM__STACKS_CACHED && self->stacks &&
                   self->stacks[hold->stack].serial == hold->stack_serial
               ? (uint16_t)hold->stack
               : TM__STACK_NONE;
}

static TM__RARELY void report(tm__ring *ring, uint32_t holds, const tm__fact *wanted)
{
    tm__nested_lock locks[TM__NESTED_MOST];
    uint32_t held = 0;

    for (uint32_t i = 0; i < holds; i++) {
        const tm__hold *hold = &ring->holds[i];
        uint64_t object = atomic_load_explicit(&hold->object, memory_order_relaxed);

        if (object == 0)
            continue;
        if (held == TM__NESTED_MOST) {
            leave_out(ring);
            return;
        }
        locks[held] = (tm__nested_lock){.object = object,
                                        .site = hold->site,
                                        .object_kind = hold->object_kind,
                                        .flags = hold->flags,
                                        .stack = known_stack_of(hold)};
        if (locks[held].stack == TM__STACK_NONE && hold->site) {
            tm__the_self.armed_site = hold->site;
            tm__the_self.armed = LEARN_MOST;
        }
        held++;
    }
    if (held == 0)
        return;
    if (atomic_fetch_add_explicit(&the_reports, 1, memory_order_relaxed) >=
        REPORTS_MOST) {
        atomic_store_explicit(&the_reports, REPORTS_MOST, memory_order_relaxed);
        leave_out(ring);
        return;
    }
    for (uint32_t i = 0; i < held; i++)
        atomic_fetch_or_explicit(tm__lock_mark((void *)(uintptr_t)locks[i].object), 1,
                                 memory_order_relaxed);
    atomic_fetch_or_explicit(tm__lock_mark(wanted->object), 1, memory_order_relaxed);
    tm__record_nested(ring, locks, held, wanted);
}

static TM__RARELY int is_full(tm__ring *ring, uint32_t holds, const void *site,
                              uint64_t *it)
{
    uint64_t *nestings = tm__the_self.nestings;

    if (it && !is_of_many(nestings, ring, holds, site))
        return 0;
    leave_out(ring);
    return 1;
}

void tm__nesting_see(tm__ring *ring, uint32_t holds, const volatile void *lock,
                     uint32_t kind, uint32_t flags, const void *site)
{
    uint64_t *nestings = own_nestings(ring);
    uint64_t wanted = (uint64_t)(uintptr_t)lock, *it;
    uint64_t key = 0;
    uint32_t times;

    /* In the midst of a record its own unwinder locks, or a signal handler. */
    if (!nestings || tm__the_self.record != 0)
        return;
    if (holds > TM__HOLDS_MOST)
        holds = TM__HOLDS_MOST;
    for (uint32_t i = 0; i < holds; i++) {
        const tm__hold *hold = &ring->holds[i];
        uint64_t object = atomic_load_explicit(&hold->object, memory_order_relaxed);

        if (object == wanted)
            return;
        if (object)
            key = mix_lock(key, object, hold->flags);
    }
    key = mix_lock(key, wanted, flags);
    it = find(nestings, key);
    if (__builtin_expect(!it || *it == 0, 0) && is_full(ring, holds, site, it))
        return;
    /* The place's own entry may have taken it. */
    it = find(nestings, key);
    if (!it)
        return;
    times = count(it, key);
    if (__builtin_expect((times & (times - 1)) == 0, 0)) {
        const tm__fact fact = {.kind = TM_EVENT_NESTED,
                               .object_kind = kind,
                               .flags = flags,
                               .object = lock,
                               .site = site};

        report(ring, holds, &fact);
    }
}

void tm__nestings_count_anew(void)
{
    tm__self *self = &tm__the_self;
    uint32_t creations = ++self->creations;

    if (!self->nestings || (creations > CREATIONS_MOST && creations & (creations - 1)))
        return;
    for (uint32_t i = 0; i < TM__NESTINGS_KNOWN; i++)
        self->nestings[i] &= ~COUNT_MOST;
}

/* The thread has acquired a lock, perhaps at the place whose callers are asked for. */
static TM__RARELY void learn(tm__ring *ring, tm__hold *hold)
{
    tm__self *self = &tm__the_self;

    if (hold->site != self->armed_site) {
        self->armed--;
        return;
    }
    self->armed = 0;
    if (!self->stacks || self->record != 0)
        return;
    hold->stack = tm__record_stack(ring, (const void *)(uintptr_t)hold->site);
    if (hold->stack < TM__STACKS_CACHED)
        hold->stack_serial = self->stacks[hold->stack].serial;
}

void tm__hold_add_more(tm__ring *ring, const volatile void *object, uint32_t kind,
                       uint32_t flags, int is_tried, const void *site)
{
    uint32_t at = atomic_load_explicit(&ring->hold_count, memory_order_relaxed);

    if (__builtin_expect(at >= TM__HOLDS_MOST, 0)) {
        tm__hold_add_slow(ring, object, kind, flags, tm__now(), 0, site);
    } else {
        tm__hold_add_at(ring, at, object, kind, flags, site);
        if (__builtin_expect(tm__the_self.armed != 0, 0))
            learn(ring, &ring->holds[at]);
    }
    if (!is_tried)
        tm__nesting_see(ring, at, object, kind, flags, site);
}
