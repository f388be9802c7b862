/* SPDX-License-Identifier: Apache-2.0 */
/* Have memory brought near that will soon be needed. */
#ifndef TM_BASE_PREFETCH_H
#define TM_BASE_PREFETCH_H

/** Ask for the cache line of an address, which need not be one of anything. */
static inline void tm__ask_for(const void *address)
{
    __builtin_prefetch(address, 1);
    /* GCC takes a function that only prefetches for one without effect, and drops
     * calls of it; what is volatile it keeps. */
    __asm__ volatile("");
}

#endif
