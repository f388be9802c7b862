/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a frame has its return address differs from one machine to the next, and is not
 * asked of the unwinder: it is looked for in the frame. A word that is only like it is
 * compared as well, which costs a walk at most.
 */
#include "record/known_stacks.h"

#include <string.h>
#include <sys/mman.h>

/* Several callers of one place may be equally deep. */
enum { FRAME_WORDS_MOST = 8192, ALIKE_MOST = 8 };

_Static_assert(TM__STACKS_CACHED == 64, "one bit of `used` for each");

/* Signed return addresses differ from what the unwinder has above these bits. */
#if defined(__aarch64__)
#define ADDRESS_BITS 0x0000FFFFFFFFFFFF
#else
#define ADDRESS_BITS UINTPTR_MAX
#endif

typedef tm__known_stack stacks_of_thread[TM__STACKS_CACHED];

static stacks_of_thread *the_stacks;

void tm__known_stacks_begin(uint32_t rings)
{
    const size_t bytes = rings * sizeof(*the_stacks);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return;
    madvise(memory, bytes, MADV_DONTDUMP);
    the_stacks = memory;
}

tm__known_stack *tm__known_stacks_of(uint32_t ring_number)
{
    return the_stacks ? the_stacks[ring_number] : NULL;
}

/* From the innermost on: where a frame is the same, so is the place of the next one's
 * address, and it is the thread's own stack that is read. */
static int stands(const tm__known_stack *it, const void *site, uintptr_t here)
{
    const uintptr_t *words = (const uintptr_t *)here;

    if (it->site != site || it->here != here)
        return 0;
    for (uint32_t i = 0; i < it->count; i++)
        if (words[it->distances[i]] != it->words[i])
            return 0;
    return 1;
}

uint16_t tm__known_stack_find(const tm__known_stack *all, uint64_t used, uint32_t *next,
                              const void *site, uintptr_t here, int *is_known)
{
    uint64_t hash = (uint64_t)(uintptr_t)site * 31 + here;
    uint16_t first =
        (uint16_t)((hash >> 4 ^ hash >> 12) % TM__STACKS_CACHED & ~(ALIKE_MOST - 1u));

    for (unsigned i = 0; i < ALIKE_MOST; i++)
        if (used >> (first + i) & 1 && stands(&all[first + i], site, here)) {
            *is_known = 1;
            return (uint16_t)(first + i);
        }
    return (uint16_t)(first + (*next)++ % ALIKE_MOST);
}

void tm__known_stack_begin(tm__known_stack *it, uintptr_t here)
{
    it->site = NULL;
    it->here = here;
    it->count = 0;
    it->is_whole = 1;
    it->serial++;
}

void tm__known_stack_add(tm__known_stack *it, uintptr_t from, uintptr_t to,
                         uintptr_t address)
{
    const uintptr_t *word = (const uintptr_t *)from;
    size_t length = (to - from) / sizeof(*word);
    int is_found = 0;

    /* On two stacks, as in a signal handler that has its own. */
    if (from < it->here || to <= from || length > FRAME_WORDS_MOST) {
        it->is_whole = 0;
        return;
    }
    for (size_t i = 0; i < length && it->is_whole; i++) {
        if ((word[i] & ADDRESS_BITS) != address)
            continue;
        is_found = 1;
        if (it->count == TM__FRAMES_MOST) {
            it->is_whole = 0;
            return;
        }
        it->distances[it->count] = (uint32_t)((from - it->here) / sizeof(*word) + i);
        it->words[it->count++] = word[i];
    }
    it->is_whole &= is_found;
}

void tm__known_stack_end(tm__known_stack *it, const void *site)
{
    if (it->is_whole)
        it->site = site;
}
