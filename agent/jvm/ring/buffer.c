/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings. The workload: some hundred threads that append a few records in a
 * millisecond each, and one reader that comes by twenty times a second. A record
 * is whole and in one piece, so a frame list can be walked straight into it.
 *
 *      tail            scanned       limit     head   reserved
 *       │ to be sorted    │             │        │ in work │
 *   ────┴─────────────────┴─────────────┴────────┴─────────┴────
 *
 * Positions only grow; modulo the capacity they are offsets. Pages of a ring are
 * touched when first written: a thread that finds its ring empty starts again at
 * the ring's beginning, so quiet threads never touch more than a few.
 */
#include "ring/buffer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/ring_file.h"

__thread tm__buffer *tm__buffer_mine;
tm__buffer tm__buffer_none;
static tm__ring no_ring;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static tm__buffer *_Atomic list; /* all buffers; none is ever taken out */
static pthread_key_t exit_key;   /* its destructor tells that a thread has gone */
static int wake;

static void thread_gone(void *buffer)
{
    tm__buffer_mine = NULL;
    atomic_store_explicit(&((tm__buffer *)buffer)->orphan, 1, memory_order_release);
}

void tm__buffers_open(int wake_fd)
{
    wake = wake_fd;
    pthread_key_create(&exit_key, thread_gone);
}

/* One that nobody uses, still with its ring. */
static tm__buffer *claim_free(void)
{
    tm__buffer *buffer;

    for (buffer = atomic_load(&list); buffer; buffer = buffer->next)
        if (!atomic_load(&buffer->listed))
            break;
    return buffer;
}

static void put_ring(tm__buffer *buffer, tm__ring *ring)
{
    buffer->ring = ring;
    buffer->base = (unsigned char *)ring + TM__RING_PAGE_BYTES;
    buffer->capacity = ring->capacity;
}

/* What its thread says of a ring, for a reader: all in one piece. */
static void mirror_head(const tm__buffer *buffer)
{
    enum { FROM = offsetof(tm__ring, head), TO = offsetof(tm__ring, thread) + 8 };

    tm__mirror_put(&buffer->mirror, FROM, &buffer->ring->head, TO - FROM);
}

/* Without memory every event of it is lost, and counted. A ring that it has stays, also
 * one without room: the writer looks at the rings of all buffers, used or not. */
static void claim_ring(tm__buffer *buffer)
{
    tm__mirror mirror;
    tm__ring *ring = buffer->ring == &no_ring ? tm__rings_acquire(&mirror) : NULL;

    if (!ring)
        return;
    buffer->mirror = mirror;
    put_ring(buffer, ring);
}

static tm__buffer *make(void)
{
    tm__buffer *buffer = aligned_alloc(64, sizeof(*buffer));
    tm__mirror mirror;
    tm__ring *ring = buffer ? tm__rings_acquire(&mirror) : NULL;

    if (!ring) {
        free(buffer);
        return NULL;
    }
    memset(buffer, 0, sizeof(*buffer));
    buffer->mirror = mirror;
    put_ring(buffer, ring);
    buffer->next = atomic_load(&list);
    atomic_store_explicit(&list, buffer, memory_order_release);
    return buffer;
}

tm__buffer *tm__buffer_new(void)
{
    tm__buffer *buffer;

    pthread_mutex_lock(&list_lock);
    buffer = claim_free();
    if (!buffer)
        buffer = make();
    if (buffer) {
        claim_ring(buffer);
        if (!buffer->capacity)
            tm__counter_add(&buffer->costs.ringless, 1);
        buffer->renewed = atomic_load(&buffer->ring->head);
        /* In this order: one that is listed and an orphan goes to the next thread. */
        atomic_store(&buffer->orphan, 0);
        atomic_store(&buffer->listed, 1);
    }
    pthread_mutex_unlock(&list_lock);
    if (!buffer)
        return NULL;
    buffer->woke_at = UINT64_MAX;
    tm__buffer_mine = buffer;
    pthread_setspecific(exit_key, buffer);
    return buffer;
}

void tm__buffer_leave(void)
{
    tm__buffer *buffer = tm__buffer_mine;

    if (buffer) {
        pthread_setspecific(exit_key, NULL);
        thread_gone(buffer);
    }
    tm__buffer_mine = &tm__buffer_none;
}

tm__buffer *tm__buffer_first(void)
{
    return atomic_load_explicit(&list, memory_order_acquire);
}

/* Positions go on where they were: head, taken and scanned are equal by now. */
void tm__buffer_recycle(tm__buffer *buffer)
{
    pthread_mutex_lock(&list_lock);
    atomic_store(&buffer->since, TM__IDLE);
    tm__buffer_forget_loss(buffer);
    buffer->thread = 0;
    buffer->object = 0;
    buffer->deferred = (tm_event){0};
    buffer->in_wait = 0;
    buffer->os_id = 0;
    buffer->has_use_base = 0;
    buffer->thread_weak = NULL;
    buffer->name_hash = 0;
    buffer->is_shared = 0;
    atomic_store(&buffer->stacks.bare_since_ns, 0);
    buffer->stacks.round = 0;
    buffer->idle_ns = 0;
    memset(buffer->notified, 0, sizeof(buffer->notified));
    memset(buffer->virtuals, 0, sizeof(buffer->virtuals));
    atomic_store(&buffer->listed, 0);
    pthread_mutex_unlock(&list_lock);
}

void tm__buffer_renew(tm__buffer *buffer)
{
    if (atomic_load(&buffer->listed))
        claim_ring(buffer);
    buffer->taken = atomic_load(&buffer->ring->head);
    buffer->scanned = buffer->taken;
    buffer->renewed = buffer->taken;
    buffer->woke_at = UINT64_MAX;
    buffer->idle_ns = 0;
    buffer->object = 0;
    buffer->deferred = (tm_event){0};
    buffer->name_hash = 0;
    atomic_store(&buffer->stacks.bare_since_ns, 0);
    memset(buffer->notified, 0, sizeof(buffer->notified));
    memset(buffer->virtuals, 0, sizeof(buffer->virtuals));
}

void tm__buffer_release(tm__buffer *buffer)
{
    if (buffer->ring != &no_ring)
        tm__rings_release(buffer->ring, &buffer->mirror);
    buffer->ring = &no_ring;
    buffer->mirror = (tm__mirror){0};
    buffer->base = NULL;
    buffer->capacity = 0;
    atomic_store(&buffer->left_out, 0);
    memset(&buffer->costs, 0, sizeof(buffer->costs));
    memset(&buffer->stacks, 0, sizeof(buffer->stacks));
}

static tm__record *place(const tm__buffer *buffer, uint64_t position)
{
    return (tm__record *)(buffer->base + (position & (buffer->capacity - 1)));
}

static void mirror_record(const tm__buffer *buffer, const tm__record *record,
                          size_t bytes)
{
    tm__mirror_put(&buffer->mirror,
                   (size_t)((const char *)record - (const char *)buffer->ring), record,
                   bytes);
}

/* Leave the rest of an empty ring out. The writer learns where from the side, and not
 * from a record there: that would take up all that is behind it, until it came by. */
static void begin_again(tm__buffer *buffer, uint64_t head, size_t to_end)
{
    atomic_store_explicit(&buffer->ring->skip_from, head, memory_order_relaxed);
    atomic_store_explicit(&buffer->ring->skip_to, head + to_end, memory_order_relaxed);
}

/* The first byte from a position on that is not skipped. Who came to where a skip
 * begins has seen a head behind it, or is the thread itself. */
static uint64_t first_used(const tm__buffer *buffer, uint64_t position)
{
    return position ==
                   atomic_load_explicit(&buffer->ring->skip_from, memory_order_relaxed)
               ? atomic_load_explicit(&buffer->ring->skip_to, memory_order_relaxed)
               : position;
}

tm__record *tm__buffer_reserve(tm__buffer *buffer, size_t extra_bytes)
{
    uint64_t head = atomic_load_explicit(&buffer->ring->head, memory_order_relaxed);
    uint64_t tail =
        atomic_load_explicit(&buffer->ring->tail.value, memory_order_acquire);
    size_t bytes = tm__record_bytes(extra_bytes);
    size_t offset = head & (buffer->capacity - 1);
    size_t to_end = buffer->capacity - offset;
    size_t pad = bytes > to_end ? to_end : 0;
    tm__record *record;

    if (head == tail && offset > 0) {
        begin_again(buffer, head, to_end);
        head += to_end;
        pad = 0;
    }
    if (head + pad + bytes - first_used(buffer, tail) > buffer->capacity)
        return NULL;
    if (pad) {
        record = place(buffer, head);
        record->bytes = 0;
        record->kind = TM__RECORD_PAD;
        record->check = tm__record_check(record, sizeof(uint64_t), head);
        mirror_record(buffer, record, sizeof(uint64_t));
    }
    buffer->reserved = head + pad;
    record = place(buffer, buffer->reserved);
    record->event.is_truncated = 0;
    record->event.frame_count = 0;
    record->event.producer_word = 0;
    return record;
}

int tm__buffer_is_half_full(const tm__buffer *buffer)
{
    uint64_t head = atomic_load_explicit(&buffer->ring->head, memory_order_relaxed);
    uint64_t tail =
        atomic_load_explicit(&buffer->ring->tail.value, memory_order_relaxed);

    return head - first_used(buffer, tail) > buffer->capacity / 2;
}

static int wake_writer(void)
{
    uint64_t one = 1;

    return write(wake, &one, sizeof(one)) < 0 ? -1 : 0;
}

void tm__buffer_commit(tm__buffer *buffer, tm__record *record, size_t extra_bytes)
{
    uint64_t tail =
        atomic_load_explicit(&buffer->ring->tail.value, memory_order_relaxed);
    uint64_t head;

    tm__record_seal(record, tm__record_bytes(extra_bytes), buffer->reserved);
    mirror_record(buffer, record, record->bytes);
    head = buffer->reserved + record->bytes;
    /* The next record's line was the writer's last: it takes a while to come back. */
    __builtin_prefetch(place(buffer, head), 1);
    if (!tm__record_is_event(record))
        atomic_store_explicit(&buffer->defined, head, memory_order_relaxed);
    atomic_store_explicit(&buffer->ring->head, head, memory_order_release);
    mirror_head(buffer);
    if (head - first_used(buffer, tail) > buffer->capacity / 2 &&
        tail != buffer->woke_at)
        buffer->woke_at = wake_writer() == 0 ? tail : UINT64_MAX;
}

void tm__buffers_wake_writer(void)
{
    /* At worst it comes at its own time. */
    (void)wake_writer();
}

void tm__buffer_lose(tm__buffer *buffer, int64_t time_ns)
{
    uint64_t lost =
        atomic_load_explicit(&buffer->ring->lost.value, memory_order_relaxed);

    if (lost == 0) {
        atomic_store_explicit(&buffer->ring->thread,
                              buffer->is_shared ? 0 : buffer->thread,
                              memory_order_relaxed);
        atomic_store_explicit(&buffer->ring->lost_first_ns, time_ns,
                              memory_order_relaxed);
    }
    tm__ring_mark_set(&buffer->ring->lost, lost + 1);
    mirror_head(buffer);
}

void tm__buffer_report_loss(tm__buffer *buffer, int64_t time_ns)
{
    uint64_t lost =
        atomic_load_explicit(&buffer->ring->lost.value, memory_order_relaxed);
    tm__record *record = lost ? tm__buffer_reserve(buffer, 0) : NULL;

    if (!record)
        return;
    record->kind = TM_EVENT_LOST;
    record->event.fact = (tm_event){
        .time_ns = time_ns,
        .thread = buffer->is_shared ? 0 : buffer->thread,
        .object = (uint64_t)atomic_load_explicit(&buffer->ring->lost_first_ns,
                                                 memory_order_relaxed),
        .value = (int64_t)lost,
        .kind = TM_EVENT_LOST,
    };
    tm__buffer_commit(buffer, record, 0);
    tm__buffer_forget_loss(buffer);
}

void tm__buffer_forget_loss(tm__buffer *buffer)
{
    tm__ring_mark_set(&buffer->ring->lost, 0);
    mirror_head(buffer);
}

void tm__buffer_advance(tm__buffer *buffer, uint64_t position)
{
    tm__ring_mark *next = &buffer->ring->next;

    buffer->taken = position;
    tm__ring_mark_set(next, position);
    tm__mirror_put(&buffer->mirror, offsetof(tm__ring, next), next, sizeof(*next));
}

tm__record *tm__buffer_at(const tm__buffer *buffer, uint64_t *at, uint64_t end)
{
    while (*at < end) {
        tm__record *record;

        *at = first_used(buffer, *at);
        record = place(buffer, *at);
        if (record->kind != TM__RECORD_PAD)
            return record;
        *at += buffer->capacity - (*at & (buffer->capacity - 1));
    }
    return NULL;
}

/* A reader learns of it first: the room is written to as soon as its thread knows. */
static void return_buffer(tm__buffer *buffer)
{
    tm__ring_mark tail;

    tm__ring_mark_set(&tail, buffer->taken);
    tm__mirror_put(&buffer->mirror, offsetof(tm__ring, tail), &tail, sizeof(tail));
    tm__ring_mark_set(&buffer->ring->tail, buffer->taken);
}

void tm__buffers_release(void)
{
    for (tm__buffer *b = tm__buffer_first(); b; b = b->next)
        if (atomic_load_explicit(&b->ring->tail.value, memory_order_relaxed) !=
            b->taken)
            return_buffer(b);
}
