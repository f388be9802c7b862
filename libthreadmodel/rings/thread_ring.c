/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: some hundred threads that append a few records in a millisecond each,
 * and one drainer that comes by twenty times a second. A record is whole and in one
 * piece, so a frame list can be walked straight into it.
 *
 *      tail            scanned       limit     head   reserved
 *       │ to be sorted    │             │        │ in work │
 *   ────┴─────────────────┴─────────────┴────────┴─────────┴────
 *
 * Positions only grow; modulo the capacity they are offsets. Pages of a ring are
 * touched when first written: a thread that finds its ring empty starts again at
 * the ring's beginning, so quiet threads never touch more than a few.
 */
#include "rings/thread_ring.h"

#include <unistd.h>

void tm__thread_ring_put(tm__thread_ring *ring, tm__ring *page,
                         const tm__mirror *mirror)
{
    ring->mirror = *mirror;
    ring->page = page;
    ring->base = (unsigned char *)page + TM__RING_PAGE_BYTES;
    ring->capacity = (size_t)page->capacity;
}

/* The thread's own state of a ring, for a reader: all in one piece. */
static void mirror_head(const tm__thread_ring *ring)
{
    size_t from = offsetof(tm__ring, head);
    size_t bytes = offsetof(tm__ring, thread) + sizeof(ring->page->thread) - from;

    tm__mirror_put(&ring->mirror, from, &ring->page->head, bytes);
}

static tm__record *place(const tm__thread_ring *ring, uint64_t position)
{
    return (tm__record *)(ring->base + (position & (ring->capacity - 1)));
}

static void mirror_record(const tm__thread_ring *ring, const tm__record *record,
                          size_t bytes)
{
    tm__mirror_put(&ring->mirror,
                   (size_t)((const char *)record - (const char *)ring->page), record,
                   bytes);
}

/* Leave the rest of an empty ring out. The drainer learns where from the side, and not
 * from a record there: that would take up all that is behind it, until it came by. */
static void begin_again(tm__thread_ring *ring, uint64_t head, size_t to_end)
{
    atomic_store_explicit(&ring->page->skip_from, head, memory_order_relaxed);
    atomic_store_explicit(&ring->page->skip_to, head + to_end, memory_order_relaxed);
}

/* The first byte from a position on that is not skipped. A reader that came to the
 * begin of a skip has seen a head behind it, or is the thread itself. */
static uint64_t first_used(const tm__thread_ring *ring, uint64_t position)
{
    return position ==
                   atomic_load_explicit(&ring->page->skip_from, memory_order_relaxed)
               ? atomic_load_explicit(&ring->page->skip_to, memory_order_relaxed)
               : position;
}

tm__record *tm__thread_ring_reserve(tm__thread_ring *ring, size_t extra_bytes)
{
    uint64_t head = atomic_load_explicit(&ring->page->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->page->tail.value, memory_order_acquire);
    size_t bytes = tm__record_bytes(extra_bytes);
    size_t offset = (size_t)(head & (ring->capacity - 1));
    size_t to_end = ring->capacity - offset;
    size_t pad = bytes > to_end ? to_end : 0;
    tm__record *record;

    if (head == tail && offset > 0) {
        begin_again(ring, head, to_end);
        head += to_end;
        pad = 0;
    }
    if (head + pad + bytes - first_used(ring, tail) > ring->capacity)
        return NULL;
    if (pad) {
        record = place(ring, head);
        record->bytes = 0;
        record->kind = TM__RECORD_PAD;
        record->check = tm__record_check(record, sizeof(uint64_t), head);
        mirror_record(ring, record, sizeof(uint64_t));
    }
    ring->reserved = head + pad;
    record = place(ring, ring->reserved);
    record->event.stack_flags = 0;
    record->event.frame_count = 0;
    record->event.producer_word = 0;
    return record;
}

int tm__thread_ring_is_half_full(const tm__thread_ring *ring)
{
    uint64_t head = atomic_load_explicit(&ring->page->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&ring->page->tail.value, memory_order_relaxed);

    return head - first_used(ring, tail) > ring->capacity / 2;
}

int tm__wake_drainer(int fd)
{
    uint64_t one = 1;

    return write(fd, &one, sizeof(one)) < 0 ? -1 : 0;
}

void tm__thread_ring_commit(tm__thread_ring *ring, tm__record *record,
                            size_t extra_bytes)
{
    uint64_t tail = atomic_load_explicit(&ring->page->tail.value, memory_order_relaxed);
    uint64_t head;

    tm__record_seal(record, tm__record_bytes(extra_bytes), ring->reserved);
    mirror_record(ring, record, record->bytes);
    head = ring->reserved + record->bytes;
    /* The next record's line was the drainer's last: it takes a while to come back. */
    __builtin_prefetch(place(ring, head), 1);
    if (!tm__record_is_event(record))
        atomic_store_explicit(&ring->defined, head, memory_order_relaxed);
    atomic_store_explicit(&ring->page->head, head, memory_order_release);
    mirror_head(ring);
    if (head - first_used(ring, tail) > ring->capacity / 2 && tail != ring->woke_at)
        ring->woke_at = tm__wake_drainer(ring->wake_fd) == 0 ? tail : UINT64_MAX;
}

static uint64_t lost_of(const tm__thread_ring *ring)
{
    return atomic_load_explicit(&ring->page->lost.value, memory_order_relaxed);
}

void tm__thread_ring_lose(tm__thread_ring *ring, uint64_t thread, int64_t time_ns)
{
    uint64_t lost = lost_of(ring);

    if (lost == 0) {
        atomic_store_explicit(&ring->page->thread, thread, memory_order_relaxed);
        atomic_store_explicit(&ring->page->lost_first_ns, time_ns,
                              memory_order_relaxed);
    }
    tm__ring_mark_set(&ring->page->lost, lost + 1);
    mirror_head(ring);
}

static tm_event loss(const tm__thread_ring *ring, uint64_t thread, int64_t time_ns)
{
    return (tm_event){
        .time_ns = time_ns,
        .thread = thread,
        .object = (uint64_t)atomic_load_explicit(&ring->page->lost_first_ns,
                                                 memory_order_relaxed),
        .value = (int64_t)lost_of(ring),
        .kind = TM_EVENT_LOST,
    };
}

void tm__thread_ring_report_loss(tm__thread_ring *ring, uint64_t thread,
                                 int64_t time_ns)
{
    tm__record *record = lost_of(ring) ? tm__thread_ring_reserve(ring, 0) : NULL;

    if (!record)
        return;
    record->kind = TM_EVENT_LOST;
    record->event.fact = loss(ring, thread, time_ns);
    tm__thread_ring_commit(ring, record, 0);
    tm__thread_ring_forget_loss(ring);
}

void tm__thread_ring_forget_loss(tm__thread_ring *ring)
{
    tm__ring_mark_set(&ring->page->lost, 0);
    mirror_head(ring);
}

tm_event tm__thread_ring_extract_loss(tm__thread_ring *ring, uint64_t thread,
                                      int64_t time_ns)
{
    tm_event event = loss(ring, thread, time_ns);

    tm__thread_ring_forget_loss(ring);
    return event;
}

void tm__thread_ring_advance(tm__thread_ring *ring, uint64_t position)
{
    tm__ring_mark *next = &ring->page->next;

    ring->taken = position;
    tm__ring_mark_set(next, position);
    tm__mirror_put(&ring->mirror, offsetof(tm__ring, next), next, sizeof(*next));
}

tm__record *tm__thread_ring_at(const tm__thread_ring *ring, uint64_t *at, uint64_t end)
{
    while (*at < end) {
        tm__record *record;

        *at = first_used(ring, *at);
        record = place(ring, *at);
        if (record->kind != TM__RECORD_PAD)
            return record;
        *at += ring->capacity - (*at & (ring->capacity - 1));
    }
    return NULL;
}

tm__record *tm__thread_ring_next_definition(tm__thread_ring *ring, uint64_t *end)
{
    tm__record *record;

    if (*end == UINT64_MAX) {
        *end = atomic_load_explicit(&ring->page->head, memory_order_acquire);
        if (atomic_load_explicit(&ring->defined, memory_order_relaxed) <= ring->scanned)
            ring->scanned = *end;
    }
    while ((record = tm__thread_ring_at(ring, &ring->scanned, *end))) {
        ring->scanned += record->bytes;
        if (!tm__record_is_event(record))
            return record;
    }
    return NULL;
}

/* A reader learns of it first: the room is written to as soon as its thread knows. */
void tm__thread_ring_release(tm__thread_ring *ring)
{
    tm__ring_mark tail;

    if (atomic_load_explicit(&ring->page->tail.value, memory_order_relaxed) ==
        ring->taken)
        return;
    tm__ring_mark_set(&tail, ring->taken);
    tm__mirror_put(&ring->mirror, offsetof(tm__ring, tail), &tail, sizeof(tail));
    tm__ring_mark_set(&ring->page->tail, ring->taken);
}
