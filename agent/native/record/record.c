/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record is written where it lies and then shown to the recorder by the ring's head.
 * What finds no room is counted. A signal handler that comes in the middle of a record
 * writes none.
 */
#include "record/record.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/lock_marks.h"
#include "record/real.h"
#include "record/stack.h"

_Atomic uint32_t tm__the_waiters[TM__WAITERS];

void tm__waiters_reset(void)
{
    memset((void *)tm__the_waiters, 0, sizeof(tm__the_waiters));
}

static void wake_recorder(void)
{
    atomic_fetch_add(&tm__the_control->woken, 1);
    TM__FOUND(syscall)
    (SYS_futex, &tm__the_control->woken, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void lose(tm__ring *ring, uint64_t time)
{
    if (atomic_load_explicit(&ring->lost_time, memory_order_relaxed) == 0)
        atomic_store_explicit(&ring->lost_time, time, memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
}

/* @return how much is left of the stack of its own that a signal handler may have;
 * SIZE_MAX: the thread is not in such a one */
static size_t left_of_alternate(uintptr_t frame)
{
    stack_t alternate = {.ss_flags = SS_DISABLE};
    int error = errno;

    sigaltstack(NULL, &alternate);
    errno = error;
    return alternate.ss_flags & SS_ONSTACK ? frame - (uintptr_t)alternate.ss_sp
                                           : SIZE_MAX;
}

/* Whether a signal handler has left the record in work by a jump: the thread is in a
 * frame that the record's would lie in. On a stack of its own a handler may be
 * anywhere. */
int tm__frame_was_left(uintptr_t begun, uintptr_t frame)
{
    return frame > begun && !atomic_load(&tm__is_sandboxed) &&
           left_of_alternate(frame) == SIZE_MAX;
}

#define FRAME ((uintptr_t)__builtin_frame_address(0))

static int begin(uint64_t time, uintptr_t frame)
{
    tm__self *self = &tm__the_self;

    if (atomic_load_explicit(&tm__the_control->stopped, memory_order_relaxed))
        return -1;
    if (__builtin_expect(self->record != 0, 0)) {
        if (!tm__frame_was_left(self->record, frame)) {
            lose(self->ring, time);
            return -1;
        }
        tm__stack_walk_left();
    }
    self->record = frame;
    self->error = errno;
    atomic_signal_fence(memory_order_seq_cst);
    return 0;
}

static void end(tm__ring *ring)
{
    atomic_store_explicit(&ring->since, TM__IDLE, memory_order_release);
    errno = tm__the_self.error;
    atomic_signal_fence(memory_order_seq_cst);
    tm__the_self.record = 0;
}

static unsigned char *bytes_of(tm__ring *ring, uint64_t at)
{
    return (unsigned char *)ring + TM__RING_HEADER_BYTES +
           (at & (tm__the_ring_bytes - 1));
}

static tm__record *reserve(tm__ring *ring, uint32_t bytes)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t used = head - atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t to_end = tm__the_ring_bytes - (head & (tm__the_ring_bytes - 1));
    uint64_t padding = to_end < bytes ? to_end : 0;
    tm__record *record;

    if (used + padding + bytes > tm__the_ring_bytes)
        return NULL;
    if (padding) {
        record = (tm__record *)(void *)bytes_of(ring, head);
        record->kind = TM__PADDING;
        record->bytes = (uint32_t)padding;
        atomic_store_explicit(&ring->head, head + padding, memory_order_release);
    }
    return (tm__record *)(void *)bytes_of(ring, head + padding);
}

static void commit(tm__ring *ring, uint32_t bytes)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t used = head - atomic_load_explicit(&ring->tail, memory_order_relaxed);

    atomic_store_explicit(&ring->head, head + bytes, memory_order_release);
    if (used < tm__the_ring_bytes / 2 && used + bytes >= tm__the_ring_bytes / 2)
        wake_recorder();
}

/* What it is of comes in two pieces, as there may be no stack to put them together. */
static int write_pieces(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                        const void *first, size_t first_bytes, const void *second,
                        size_t second_bytes)
{
    size_t length = first_bytes + second_bytes;
    uint32_t bytes = (uint32_t)(sizeof(tm__record) + (length + 7) / 8 * 8);
    tm__record *record = reserve(ring, bytes);

    if (!record)
        return -1;
    *record = (tm__record){.kind = (uint16_t)kind,
                           .stack = TM__STACK_NONE,
                           .bytes = bytes,
                           .time = tm__now(),
                           .object = object,
                           .peer = peer,
                           .value = (int64_t)length};
    memcpy(record + 1, first, first_bytes);
    memcpy((unsigned char *)(record + 1) + first_bytes, second, second_bytes);
    commit(ring, bytes);
    return 0;
}

static int write_bytes(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                       const void *payload, size_t length)
{
    return write_pieces(ring, kind, object, peer, payload, length, "", 0);
}

_Static_assert(TM__STACKS_CACHED == 64, "one bit of stacks_used for each");

/* Several callers of one place may be equally deep. */
enum { ALIKE_MOST = 8 };

/* A walk needs less. */
enum { WALK_BYTES = 16384 };

/* @return the number of the thread's stack, if that is known; else where it is to be */
static uint16_t find_known(tm__self *self, const void *site, uintptr_t here,
                           int *is_known)
{
    uint64_t hash = (uint64_t)(uintptr_t)site * 31 + here;
    uint16_t first =
        (uint16_t)((hash >> 4 ^ hash >> 12) % TM__STACKS_CACHED & ~(ALIKE_MOST - 1u));

    for (unsigned i = 0; i < ALIKE_MOST; i++)
        if (self->stacks_used >> (first + i) & 1 &&
            tm__known_stack_stands(&self->stacks[first + i], site, here)) {
            *is_known = 1;
            return (uint16_t)(first + i);
        }
    return (uint16_t)(first + self->next_stack++ % ALIKE_MOST);
}

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
        number = find_known(self, site, here, &is_known);
        if (is_known)
            return number;
        known = &self->stacks[number];
        tm__known_stack_begin(known, here);
    }
    if (!atomic_load(&tm__is_sandboxed) && left_of_alternate(here) < WALK_BYTES)
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
    return kind == TM__OBJECT_MUTEX || kind == TM__OBJECT_RWLOCK ||
                   kind == TM__OBJECT_SPIN_LOCK
               ? flags | tm__lock_generation(object) << TM__GENERATION_SHIFT
               : flags;
}

static void write_fact(tm__ring *ring, const tm__fact *fact, uint64_t time)
{
    uint16_t stack = fact->site ? stack_of(ring, fact->site) : TM__STACK_NONE;
    tm__record *record = reserve(ring, sizeof(*record));

    if (!record) {
        lose(ring, time);
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
    commit(ring, sizeof(*record));
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
    uint64_t time;

    if (begin(tm__now(), FRAME) != 0)
        return;
    atomic_store_explicit(&ring->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time = tm__now();
    tm__the_self.recorded_time = time;
    atomic_store_explicit(&ring->since, time, memory_order_relaxed);
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
    uint64_t time;

    if (begin(tm__now(), FRAME) != 0)
        return;
    atomic_store_explicit(&ring->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time = tm__now();
    tm__the_self.recorded_time = time;
    atomic_store_explicit(&ring->since, time, memory_order_relaxed);
    last.stack = stack_of(ring, wanted->site);
    records = reserve(ring, bytes);
    if (records) {
        for (uint32_t i = 0; i <= count; i++) {
            records[i] = nested_record(i < count ? &locks[i] : &last, count - i);
            records[i].time = time;
        }
        commit(ring, bytes);
    } else {
        lose(ring, time);
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
    uint64_t time;

    if (begin(tm__now(), FRAME) != 0)
        return 0;
    atomic_store_explicit(&ring->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    time = tm__now();
    atomic_store(&ring->since, time);
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

int tm__write_module(tm__ring *ring, uint64_t bias, const void *id, size_t id_bytes,
                     const char *path, size_t path_bytes)
{
    return write_pieces(ring, TM__MODULE, bias, id_bytes, id_bytes ? id : "", id_bytes,
                        path, path_bytes);
}

int tm__record_endpoint(tm__ring *ring, const void *endpoint, size_t bytes,
                        uint64_t key, const char *text, size_t text_bytes)
{
    int rc;

    if (begin(0, FRAME) != 0)
        return -1;
    rc =
        write_pieces(ring, TM__ENDPOINT, key, bytes, endpoint, bytes, text, text_bytes);
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
            lose(ring, time);
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
        lose(ring, tm__now());
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

    /* Of a recursive lock this may not have been the last release. */
    if (tm__hold_find(ring, object))
        return;
    tm__record_fact(ring, &fact, released.since);
    fact.kind = TM_EVENT_RELEASED;
    tm__record_now(ring, &fact);
}
