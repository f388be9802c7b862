/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about calls in Java code (virtual/instrument.c) that the native hooks need, so
 * as not to report the same call twice: whether those are reported at all, and which
 * threads are inside a join, or blocked by a call. Where there is no place for one
 * more, the thread in its own place is forgotten.
 */
#include "capture/virtual_calls.h"

#include <stdatomic.h>

#include "capture/event_in_work.h"

/* A blocking thread is in one of PROBES slots, beginning with its own. */
enum { JOINERS = 4096, BLOCKING = 65536, PROBES = 8 };

atomic_int tm__virtual_is_instrumented;
static _Atomic uint64_t joiners[JOINERS];
static _Atomic uint64_t blocking[BLOCKING];

void tm__virtual_join_begin(uint64_t thread)
{
    atomic_store(&joiners[thread % JOINERS], thread);
}

void tm__virtual_join_end(uint64_t thread)
{
    uint64_t self = thread;

    atomic_compare_exchange_strong(&joiners[thread % JOINERS], &self, 0);
}

int tm__virtual_joins(uint64_t thread)
{
    return atomic_load_explicit(&joiners[thread % JOINERS], memory_order_relaxed) ==
               thread &&
           thread;
}

int tm__virtual_reports(const tm__event_report *r)
{
    if (r->is_virtual)
        return atomic_load_explicit(&tm__virtual_is_instrumented, memory_order_relaxed);
    return tm__virtual_joins(r->thread);
}

static _Atomic uint64_t *place_of(uint64_t thread, int probe)
{
    return &blocking[(thread + (uint64_t)probe) % BLOCKING];
}

void tm__virtual_block_begin(const tm__event_report *r)
{
    if (!r->is_virtual)
        return;
    for (int i = 0; i < PROBES; i++) {
        uint64_t nobody = 0;

        if (atomic_load_explicit(place_of(r->thread, i), memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(place_of(r->thread, i), &nobody, r->thread))
            return;
    }
    atomic_store(place_of(r->thread, 0), r->thread);
}

void tm__virtual_block_end(const tm__event_report *r)
{
    if (!r->is_virtual)
        return;
    for (int i = 0; i < PROBES; i++) {
        uint64_t self = r->thread;

        if (atomic_compare_exchange_strong(place_of(r->thread, i), &self, 0))
            return;
    }
}

int tm__virtual_is_blocking(const tm__event_report *r)
{
    for (int i = 0; r->is_virtual && i < PROBES; i++)
        if (atomic_load_explicit(place_of(r->thread, i), memory_order_relaxed) ==
            r->thread)
            return 1;
    return 0;
}

void tm__virtual_calls_reset(void)
{
    for (int i = 0; i < JOINERS; i++)
        atomic_store_explicit(&joiners[i], 0, memory_order_relaxed);
    /* A page that nobody wrote to takes no memory. */
    for (int i = 0; i < BLOCKING; i++)
        if (atomic_load_explicit(&blocking[i], memory_order_relaxed))
            atomic_store_explicit(&blocking[i], 0, memory_order_relaxed);
}
