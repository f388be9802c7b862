/* SPDX-License-Identifier: Apache-2.0 */
#include "record/known_nestings.h"

#include <stddef.h>
#include <sys/mman.h>

typedef uint64_t nestings_of_thread[TM__NESTINGS_KNOWN];

static nestings_of_thread *the_nestings;

void tm__known_nestings_begin(uint32_t rings)
{
    const size_t bytes = rings * sizeof(*the_nestings);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return;
    madvise(memory, bytes, MADV_DONTDUMP);
    the_nestings = memory;
}

/* Those of the thread that had the ring before are forgotten. */
uint64_t *tm__known_nestings_of(uint32_t ring_number)
{
    uint64_t *nestings = the_nestings ? the_nestings[ring_number] : NULL;

    for (uint32_t i = 0; nestings && i < TM__NESTINGS_KNOWN; i++)
        nestings[i] = 0;
    return nestings;
}
