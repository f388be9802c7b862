/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM's structures for threads. A thread is added once and removed once, under a
 * lock; a thread that is about to block looks one up without it. There are some ten to
 * some thousand, and the addresses of 256 lie in 2 KiB: a walk over them costs less
 * than the tag of the monitor. Blocks of places are never freed, so that nobody can be
 * in one that has gone.
 */
#include "ident/java_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { PLACES = 256 };

/* In an address: the thread is not known to be there. */
#define PROPOSED ((uintptr_t)1)

typedef struct block {
    _Atomic uintptr_t addresses[PLACES]; ///< 0: free
    _Atomic uintptr_t lows[PLACES];
    _Atomic uintptr_t highs[PLACES];
    _Atomic uint64_t threads[PLACES];
    struct block *_Atomic next;
} block;

typedef struct place {
    block *in;
    int i;
} place;

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;
static block first;
static int is_open;

/* Where an address is, proposed or not, or with 0 the first free place. */
static place place_of(uintptr_t address)
{
    for (block *b = &first; b; b = atomic_load(&b->next))
        for (int i = 0; i < PLACES; i++)
            if ((atomic_load_explicit(&b->addresses[i], memory_order_relaxed) &
                 ~PROPOSED) == address)
                return (place){b, i};
    return (place){0};
}

static place new_place(void)
{
    place free_one = place_of(0);
    block *last = &first;

    if (free_one.in)
        return free_one;
    while (atomic_load(&last->next))
        last = atomic_load(&last->next);
    free_one.in = calloc(1, sizeof(*free_one.in));
    if (free_one.in)
        atomic_store(&last->next, free_one.in);
    return free_one;
}

/* Without memory for it, it is not known. */
static void put(const tm__java_thread *it, uint64_t thread, uintptr_t mark)
{
    place at = {0};

    if (is_open)
        at = new_place();
    if (!at.in)
        return;
    atomic_store_explicit(&at.in->lows[at.i], it->low, memory_order_relaxed);
    atomic_store_explicit(&at.in->highs[at.i], it->high, memory_order_relaxed);
    atomic_store_explicit(&at.in->threads[at.i], thread, memory_order_relaxed);
    atomic_store_explicit(&at.in->addresses[at.i], it->address | mark,
                          memory_order_release);
}

static void drop_address(uintptr_t address)
{
    place at = place_of(address);

    if (at.in)
        atomic_store(&at.in->addresses[at.i], 0);
}

void tm__java_threads_add(const tm__java_thread *it, uint64_t thread)
{
    pthread_mutex_lock(&changes);
    drop_address(it->address);
    put(it, thread, 0);
    pthread_mutex_unlock(&changes);
}

int tm__java_threads_propose(const tm__java_thread *it, uint64_t thread)
{
    int is_new;

    pthread_mutex_lock(&changes);
    is_new = !place_of(it->address).in;
    if (is_new)
        put(it, thread, PROPOSED);
    pthread_mutex_unlock(&changes);
    return is_new;
}

void tm__java_threads_confirm(uintptr_t address, int is_there)
{
    uintptr_t proposed = address | PROPOSED;
    place at;

    pthread_mutex_lock(&changes);
    at = place_of(address);
    if (at.in)
        atomic_compare_exchange_strong(&at.in->addresses[at.i], &proposed,
                                       is_there ? address : 0);
    pthread_mutex_unlock(&changes);
}

void tm__java_threads_remove(uintptr_t address)
{
    pthread_mutex_lock(&changes);
    drop_address(address);
    pthread_mutex_unlock(&changes);
}

void tm__java_threads_open(int on)
{
    pthread_mutex_lock(&changes);
    is_open = on;
    for (block *b = &first; b; b = atomic_load(&b->next))
        for (int i = 0; i < PLACES; i++)
            atomic_store(&b->addresses[i], 0);
    pthread_mutex_unlock(&changes);
}

static uint64_t by_address(uintptr_t address)
{
    for (block *b = &first; b; b = atomic_load(&b->next))
        for (int i = 0; i < PLACES; i++)
            if (atomic_load_explicit(&b->addresses[i], memory_order_acquire) == address)
                return atomic_load_explicit(&b->threads[i], memory_order_relaxed);
    return 0;
}

/* A place may be given to another thread meanwhile: its stack counts if whose it is
 * has not changed. */
static uint64_t by_stack(uintptr_t address)
{
    for (block *b = &first; b; b = atomic_load(&b->next))
        for (int i = 0; i < PLACES; i++) {
            uintptr_t owner =
                atomic_load_explicit(&b->addresses[i], memory_order_acquire);
            uint64_t thread;

            if (!owner || owner & PROPOSED || address < atomic_load(&b->lows[i]) ||
                address >= atomic_load(&b->highs[i]))
                continue;
            thread = atomic_load(&b->threads[i]);
            if (atomic_load(&b->addresses[i]) == owner)
                return thread;
        }
    return 0;
}

uint64_t tm__java_threads_find(uintptr_t address)
{
    uint64_t thread = by_address(address);

    return thread ? thread : by_stack(address);
}

uint64_t tm__java_threads_ask(uint64_t (*question)(uintptr_t address,
                                                   const void *payload),
                              const void *payload)
{
    uint64_t answer = 0;

    pthread_mutex_lock(&changes);
    for (block *b = &first; b && !answer; b = atomic_load(&b->next))
        for (int i = 0; i < PLACES && !answer; i++) {
            uintptr_t address = atomic_load(&b->addresses[i]);

            if (address && !(address & PROPOSED))
                answer = question(address, payload);
        }
    pthread_mutex_unlock(&changes);
    return answer;
}
