/* SPDX-License-Identifier: Apache-2.0 */
#include "rings/round.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "rings/clock.h"
#include "rings/membarrier.h"

/* A thread that a debugger stopped within an event must not hold up all others. */
static const int64_t STUCK_NS = INT64_C(2000000000);

/* Move a cursor to the next event. @return 0: there is none in this round */
static int step(tm__ring_cursor *c)
{
    while ((c->record = tm__thread_ring_at(c->ring, &c->at, c->ring->limit))) {
        if (tm__record_is_event(c->record))
            return 1;
        c->at += c->record->bytes;
    }
    return 0;
}

static int64_t time_of(const tm__ring_cursor *c)
{
    return c->record->event.fact.time_ns;
}

static void sift_down(tm__round *round, size_t i)
{
    tm__ring_cursor *heap = round->heap;
    tm__ring_cursor moved = heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= round->count)
            break;
        if (child + 1 < round->count &&
            time_of(&heap[child + 1]) < time_of(&heap[child]))
            child++;
        if (time_of(&moved) <= time_of(&heap[child]))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static int reserve_heap(tm__round *round, const tm__thread_ring *first)
{
    size_t count = 0;
    tm__ring_cursor *grown;

    for (const tm__thread_ring *r = first; r; r = r->next)
        count++;
    if (count <= round->capacity)
        return 0;
    grown = realloc(round->heap, 2 * count * sizeof(*grown));
    if (!grown)
        return -1;
    round->heap = grown;
    round->capacity = 2 * count;
    return 0;
}

/* The earliest time that the event may have which a ring's thread has in work, or
 * begins next. @return INT64_MAX: one that a debugger stopped is not waited for */
static int64_t bound_of(tm__thread_ring *ring, const tm__round *round, int64_t last)
{
    int64_t since = atomic_load_explicit(&ring->since, memory_order_acquire);

    if (since != TM__BEGINS)
        ring->begins_ns = 0;
    if (since == TM__IDLE) {
        ring->idle_ns = round->seen_ns;
        return INT64_MAX;
    }
    if (since != TM__BEGINS)
        return round->now_ns - since < STUCK_NS ? since : INT64_MAX;
    /* One that is about to read the clock reads a later time than that at which it was
     * last seen idle; a new one, than the last round's. */
    if (!ring->begins_ns)
        ring->begins_ns = round->now_ns;
    if (round->now_ns - ring->begins_ns >= STUCK_NS)
        return INT64_MAX;
    return ring->idle_ns ? ring->idle_ns : last;
}

/* Set every ring's limit. @return the time before which all is committed */
static int64_t find_horizon(const tm__round *round, tm__thread_ring *first, int final)
{
    int64_t last = round->last_horizon_ns ? round->last_horizon_ns : TM__BEGINS;
    int64_t horizon = final ? round->now_ns : round->seen_ns;

    if (!final && round->most_ns < horizon)
        horizon = round->most_ns;
    for (tm__thread_ring *r = first; r; r = r->next) {
        int64_t bound = bound_of(r, round, last);

        if (!final && bound < horizon)
            horizon = bound;
        r->limit = atomic_load_explicit(&r->page->head, memory_order_acquire);
    }
    /* A thread last seen idle long ago has had events since, so it may seem to begin an
     * earlier one. All before the last horizon was committed by then. */
    return horizon > last ? horizon : last;
}

void tm__round_begin(tm__round *round)
{
    round->now_ns = tm__now_ns();
    round->seen_ns = round->now_ns - tm__membarrier();
    round->most_ns = INT64_MAX;
}

int tm__round_limit(tm__round *round, tm__thread_ring *first, int final)
{
    if (reserve_heap(round, first) != 0)
        return -1;
    round->horizon_ns = find_horizon(round, first, final);
    round->last_horizon_ns = round->horizon_ns;
    return 0;
}

void tm__round_load(tm__round *round, tm__thread_ring *first)
{
    round->count = 0;
    round->is_taken = 0;
    for (tm__thread_ring *r = first; r; r = r->next) {
        tm__ring_cursor c = {.ring = r, .at = r->taken};

        if (step(&c))
            round->heap[round->count++] = c;
        else
            tm__thread_ring_advance(r, c.at);
    }
    for (size_t i = round->count; i-- > 0;)
        sift_down(round, i);
}

/* The record that was handed out last is emitted. */
static void pass(tm__round *round)
{
    tm__ring_cursor *c = &round->heap[0];

    c->at += c->record->bytes;
    if (!step(c)) {
        tm__thread_ring_advance(c->ring, c->at);
        *c = round->heap[--round->count];
    }
    if (round->count > 1)
        sift_down(round, 0);
}

tm__record *tm__round_next(tm__round *round, tm__thread_ring **ring)
{
    if (round->is_taken)
        pass(round);
    round->is_taken = round->count > 0 && time_of(&round->heap[0]) < round->horizon_ns;
    if (round->is_taken) {
        *ring = round->heap[0].ring;
        return round->heap[0].record;
    }
    /* Records beyond the horizon wait in their rings. */
    for (size_t i = 0; i < round->count; i++)
        tm__thread_ring_advance(round->heap[i].ring, round->heap[i].at);
    round->count = 0;
    return NULL;
}

void tm__round_free(tm__round *round)
{
    free(round->heap);
    *round = (tm__round){0};
}
