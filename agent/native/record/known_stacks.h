/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that the calling thread has walked and reported, and where on it their return
 * addresses lie: as long as these are there, a block at the same place is of the same
 * callers. It is private memory, as what is read by it must be there.
 */
#ifndef TM_NATIVE_RECORD_KNOWN_STACKS_H
#define TM_NATIVE_RECORD_KNOWN_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "layout/region.h"

typedef struct tm__known_stack {
    const void *site; ///< the innermost return address; NULL: no stack is known
    uintptr_t here;   ///< the frame that asked; the others lie behind it
    uint32_t count;   ///< of the words below
    int is_whole;     ///< all return addresses were found
    uint32_t serial;  ///< how many lay here
    uint32_t distances[TM__FRAMES_MOST]; ///< from `here`, in words
    uintptr_t words[TM__FRAMES_MOST];    ///< what lies there
} tm__known_stack;

/** Once a process: room for all threads. Without it every stack is walked. */
void tm__known_stacks_begin(uint32_t rings);

/** A thread's, TM__STACKS_CACHED of them, none known; NULL: there is no room. */
tm__known_stack *tm__known_stacks_of(uint32_t ring_number);

/**
 * The stack of the thread now.
 * @param used  a bit for each of them that is known
 * @param next  counts those that are replaced
 * @return its number, if *is_known; else where it is to be
 */
uint16_t tm__known_stack_find(const tm__known_stack *all, uint64_t used, uint32_t *next,
                              const void *site, uintptr_t here, int *is_known);

/** About to walk one. */
void tm__known_stack_begin(tm__known_stack *it, uintptr_t here);

/**
 * The next frame.
 * @param from, to  the ends of the frame before it, in which its address lies
 */
void tm__known_stack_add(tm__known_stack *it, uintptr_t from, uintptr_t to,
                         uintptr_t address);

/** Walked and reported. */
void tm__known_stack_end(tm__known_stack *it, const void *site);

#endif
