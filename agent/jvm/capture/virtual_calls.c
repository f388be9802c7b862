/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the native hooks must know of calls in Java code (virtual/instrument.c), so as
 * not to report the same thing twice: that those are reported at all, and who is inside
 * a join, or blocked by a call. Where two share a place, the older is forgotten.
 */
#include "capture/virtual_calls.h"

#include <stdatomic.h>

#include "capture/event_report.h"

enum { JOINERS = 4096, BLOCKING = 65536 };

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

void tm__virtual_block_begin(const tm__event_report *r)
{
    if (r->is_virtual)
        atomic_store(&blocking[r->thread % BLOCKING], r->thread);
}

void tm__virtual_block_end(const tm__event_report *r)
{
    uint64_t self = r->thread;

    if (r->is_virtual)
        atomic_compare_exchange_strong(&blocking[r->thread % BLOCKING], &self, 0);
}

int tm__virtual_is_blocking(const tm__event_report *r)
{
    return r->is_virtual && atomic_load_explicit(&blocking[r->thread % BLOCKING],
                                                 memory_order_relaxed) == r->thread;
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
