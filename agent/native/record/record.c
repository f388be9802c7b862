/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that find no room in the ring are counted. A signal handler that comes in the
 * middle of a record writes none.
 */
#include "record/record.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "record/lock_marks.h"
#include "record/real.h"
#include "record/reported_modules.h"
#include "record/own_ring.h"
#include "record/shared_rings.h"
#include "record/stack.h"

void tm__record_lost(tm__ring *ring, uint64_t time)
{
    if (atomic_load_explicit(&ring->lost_time, memory_order_relaxed) == 0)
        atomic_store_explicit(&ring->lost_time, time, memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
}

#define FRAME ((uintptr_t)__builtin_frame_address(0))

static int begin(uint64_t time, uintptr_t frame)
{
    tm__self *self = &tm__the_self;

    if (atomic_load_explicit(&tm__the_control->stopped, memory_order_relaxed))
        return -1;
    if (__builtin_expect(self->record != 0, 0) &&
        !tm__frame_was_left(self->record, frame)) {
        tm__record_lost(self->ring, time);
        return -1;
    }
    self->record = frame;
    self->error = errno;
    atomic_signal_fence(memory_order_seq_cst);
    return 0;
}

/* A record of what happens now: nothing that other threads report later is emitted
 * before it.
 * @return the time; 0: none can be begun */
static uint64_t begin_now(tm__ring *ring, uintptr_t frame)
{
    uint64_t time;

    if (begin(tm__now(), frame) != 0)
        return 0;
    atomic_store_explicit(&ring->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time = tm__now();
    atomic_store_explicit(&ring->since, time, memory_order_relaxed);
    return time;
}

static void end(tm__ring *ring)
{
    atomic_store_explicit(&ring->since, TM__IDLE, memory_order_release);
    errno = tm__the_self.error;
    atomic_signal_fence(memory_order_seq_cst);
    tm__the_self.record = 0;
}

static int write_bytes(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                       const void *payload, size_t length)
{
    return tm__ring_write_pieces(ring, kind, object, peer, payload, length, "", 0);
}

/* A walk needs less. */
enum { WALK_BYTES = 16384 };

static uint16_t stack_of(tm__ring *ring, const void *site)
{
    uint64_t frames[TM__FRAMES_MOST];
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    tm__self *self = &tm__the_self;
    tm__known_stack *known = NULL;
    uint16_t number = 0;
    uint64_t blocked;
    int is_known = 0;
    size_t count;

    if (!self->stacks)
        self->stacks = tm__known_stacks_of(tm__ring_number(ring));
    if (self->stacks) {
        number = tm__known_stack_find(self->stacks, self->stacks_used,
                                      &self->next_stack, site, here, &is_known);
        if (is_known)
            return number;
        known = &self->stacks[number];
        tm__known_stack_begin(known, here);
    }
    if (!atomic_load(&tm__is_sandboxed) && tm__left_of_alternate(here) < WALK_BYTES)
        return TM__STACK_NONE;
    if (!tm__stack_walk_begin(&blocked))
        return TM__STACK_NONE;
    tm__modules_report(ring);
    count = tm__stack_walk(frames, site, known);
    tm__stack_walk_end(&blocked);
    if (write_bytes(ring, TM__STACK, number, 0, frames, count * sizeof(*frames)) != 0)
        return TM__STACK_NONE;
    if (known) {
        tm__known_stack_end(known, site);
        self->stacks_used |= UINT64_C(1) << number;
    }
    return number;
}

/* With which of the locks at an address it is. */
static uint32_t flags_of(uint32_t flags, uint32_t kind, const volatile void *object)
{
    if (kind != TM__OBJECT_MUTEX && kind != TM__OBJECT_RWLOCK &&
        kind != TM__OBJECT_SPIN_LOCK)
        return flags;
    return flags | tm__lock_generation(object) << TM__GENERATION_SHIFT |
           (tm__lock_life_is_seen(object) ? TM__LIFE_SEEN : 0);
}

static void write_fact(tm__ring *ring, const tm__fact *fact, uint64_t time)
{
    uint16_t stack = fact->site ? stack_of(ring, fact->site) : TM__STACK_NONE;
    tm__record *record = tm__ring_reserve(ring, sizeof(*record));

    if (!record) {
        tm__record_lost(ring, time);
        return;
    }
    *record = (tm__record){
        .kind = (uint16_t)(TM__NOTED_EVENTS + fact->kind),
        .stack = stack,
        .bytes = sizeof(*record),
        .time = time,
        .object = (uint64_t)(uintptr_t)fact->object,
        .peer = fact->peer,
        .value = fact->value,
        .object_kind = fact->object_kind,
        .flags = flags_of(fact->flags, fact->object_kind, fact->object),
    };
    tm__ring_commit(ring, sizeof(*record));
}

void tm__record_fact(tm__ring *ring, const tm__fact *fact, uint64_t time)
{
    if (begin(time, FRAME) != 0)
        return;
    atomic_store_explicit(&ring->since, time, memory_order_relaxed);
    write_fact(ring, fact, time);
    end(ring);
}

void tm__record_now(tm__ring *ring, const tm__fact *fact)
{
    uint64_t time = begin_now(ring, FRAME);

    if (time == 0)
        return;
    tm__the_self.recorded_time = time;
    write_fact(ring, fact, time);
    end(ring);
}

static tm__record nested_record(const tm__nested_lock *lock, uint32_t left)
{
    const volatile void *object = (const volatile void *)(uintptr_t)lock->object;

    return (tm__record){.kind = TM__NOTED_EVENTS + TM_EVENT_NESTED,
                        .stack = lock->stack,
                        .bytes = sizeof(tm__record),
                        .object = lock->object,
                        .peer = lock->stack == TM__STACK_NONE ? lock->site : 0,
                        .value = (int64_t)left,
                        .object_kind = lock->object_kind,
                        .flags = flags_of(lock->flags, lock->object_kind, object)};
}

void tm__record_nested(tm__ring *ring, const tm__nested_lock *locks, uint32_t count,
                       const tm__fact *wanted)
{
    tm__nested_lock last = {.object = (uint64_t)(uintptr_t)wanted->object,
                            .object_kind = wanted->object_kind,
                            .flags = wanted->flags};
    const uint32_t bytes = (count + 1) * (uint32_t)sizeof(tm__record);
    tm__record *records;
    uint64_t time = begin_now(ring, FRAME);

    if (time == 0)
        return;
    tm__the_self.recorded_time = time;
    last.stack = stack_of(ring, wanted->site);
    records = tm__ring_reserve(ring, bytes);
    if (records) {
        for (uint32_t i = 0; i <= count; i++) {
            records[i] = nested_record(i < count ? &locks[i] : &last, count - i);
            records[i].time = time;
        }
        tm__ring_commit(ring, bytes);
    } else {
        tm__record_lost(ring, time);
    }
    end(ring);
}

uint32_t tm__record_stack(tm__ring *ring, const void *site)
{
    uint32_t stack;

    if (begin(tm__now(), FRAME) != 0)
        return TM__STACK_NONE;
    stack = stack_of(ring, site);
    end(ring);
    return stack;
}

uint64_t tm__record_open(tm__ring *ring)
{
    uint64_t time = begin_now(ring, FRAME);

    /* Shown before what the caller does next. */
    atomic_thread_fence(memory_order_seq_cst);
    return time;
}

void tm__record_close(tm__ring *ring, const tm__fact *facts, size_t count,
                      uint64_t time)
{
    tm__the_self.error = errno;
    for (size_t i = 0; i < count; i++)
        write_fact(ring, &facts[i], time);
    end(ring);
}

void tm__record_event(tm__ring *ring, int kind, uint64_t time)
{
    tm__fact fact = {kind, 0, 0, NULL, 0, 0, NULL};

    tm__record_fact(ring, &fact, time);
}

static void record_text(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                        const char *text)
{
    if (begin(0, FRAME) != 0)
        return;
    write_bytes(ring, kind, object, peer, text, strnlen(text, 15));
    end(ring);
}

void tm__record_name(tm__ring *ring, uint64_t handle, const char *name)
{
    record_text(ring, TM__NAME, handle, TM__NAME_AS_SET, name);
}

void tm__record_own_name(tm__ring *ring, enum tm__name_source source)
{
    char name[16] = "";

    if (!atomic_load(&tm__is_sandboxed) && TM__REAL(prctl)(PR_GET_NAME, name) == 0)
        record_text(ring, TM__NAME, 0, source, name);
}

void tm__record_handle(tm__ring *ring, uint64_t handle, uint64_t thread)
{
    record_text(ring, TM__HANDLE, handle, thread, "");
}

void tm__record_exit(tm__ring *ring)
{
    tm__record_own_name(ring, TM__NAME_AS_SET);
    record_text(ring, TM__EXIT, 0, 0, "");
}

int tm__record_endpoint(tm__ring *ring, const void *endpoint, size_t bytes,
                        uint64_t key, const char *text, size_t text_bytes)
{
    int rc;

    if (begin(0, FRAME) != 0)
        return -1;
    rc = tm__ring_write_pieces(ring, TM__ENDPOINT, key, bytes, endpoint, bytes, text,
                               text_bytes);
    end(ring);
    return rc;
}

void tm__record_kernel_wait(tm__ring *ring, const tm__fact *await, uint64_t since,
                            uint32_t end_flags)
{
    tm__fact awaited = *await;
    uint64_t time, was;

    if (begin(tm__now(), FRAME) != 0) {
        atomic_store(&ring->call.since, TM__IDLE);
        return;
    }
    /* Nothing is emitted until both are written. */
    atomic_store(&ring->since, TM__BEGINS);
    awaited.kind = TM_EVENT_AWAITED;
    awaited.value = 0;
    awaited.flags |= end_flags;
    was = atomic_exchange(&ring->call.since, TM__IDLE);
    if (was == since) {
        write_fact(ring, await, since);
        awaited.site = NULL;
    }
    time = tm__now();
    tm__the_self.recorded_time = time;
    if (was != TM__ABANDONED)
        write_fact(ring, &awaited, time);
    end(ring);
}
