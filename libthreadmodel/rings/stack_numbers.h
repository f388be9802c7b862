/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number for each different stack. A program has some hundred different stacks that
 * block, seen a million times, so nearly every look-up ends with one hash, one find and
 * one comparison.
 */
#ifndef TM_RINGS_STACK_NUMBERS_H
#define TM_RINGS_STACK_NUMBERS_H

#include <stdint.h>

#include "base/map.h"
#include "base/memory.h"

typedef struct tm__numbered_stack {
    uint32_t first; ///< of words[]
    uint32_t words;
    uint32_t flags;
} tm__numbered_stack;

typedef struct tm__stack_numbers {
    tm__memory *memory;
    tm__map by_hash; ///< to list[]; a stack's number is one more
    tm__numbered_stack *list;
    uint32_t count, capacity;
    uint64_t *words;
    uint32_t word_count, word_capacity;
    uint64_t most_bytes; ///< of memory->used_bytes; 0: no limit
    uint64_t refused;    ///< look-ups of a stack that is beyond it
} tm__stack_numbers;

void tm__stack_numbers_init(tm__stack_numbers *numbers, tm__memory *memory,
                            uint64_t most_bytes);

/**
 * The number of a stack.
 *
 * @param words    its frames
 * @param flags    what else two stacks may differ in
 * @param[out] id  0: there are no words, or no memory for a new stack, which is counted
 * @return TM_OK; TM_MORE: it is new, and to be defined; TM_ENOMEM
 */
int tm__stack_numbers_find(tm__stack_numbers *numbers, const uint64_t *words,
                           uint32_t count, uint32_t flags, uint32_t *id);

/** A stack that has a number; its words are lent until the next new one. */
static inline const tm__numbered_stack *tm__stack_numbers_at(
    const tm__stack_numbers *numbers, uint32_t id)
{
    return &numbers->list[id - 1];
}

void tm__stack_numbers_free(tm__stack_numbers *numbers);

#endif
