/* SPDX-License-Identifier: Apache-2.0 */
/* The workload: a hundred rounds a second, ten thousand threads at most, and some
 * events of each round that are about another thread than their own. */
#include "recorder/reader_table.h"

#include <string.h>

enum { SLOTS_MOST = 2 * TM__RINGS_MOST };

static uint32_t slots[SLOTS_MOST]; /* a reader's index and 1, by the thread's number */
static uint32_t slot_mask;

void tm__readers_list(const tm__readers *readers)
{
    uint32_t wanted = 64;

    while (wanted < 2 * readers->end)
        wanted *= 2;
    slot_mask = wanted - 1;
    memset(slots, 0, wanted * sizeof(*slots));
    for (uint32_t i = 0; i < readers->end; i++) {
        uint32_t at = (uint32_t)readers->all[i].thread & slot_mask;

        if (!readers->all[i].image)
            continue;
        while (slots[at])
            at = (at + 1) & slot_mask;
        slots[at] = i + 1;
    }
}

tm__ring_reader *tm__ring_reader_of(const tm__readers *readers, const tm__image *image,
                                    uint64_t thread)
{
    for (uint32_t at = (uint32_t)thread & slot_mask; slots[at];
         at = (at + 1) & slot_mask) {
        tm__ring_reader *reader = &readers->all[slots[at] - 1];

        if (reader->image == image && reader->thread == thread)
            return reader;
    }
    return NULL;
}
