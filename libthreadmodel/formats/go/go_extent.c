/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A generation is viewed whole. Its length stands nowhere: it is over where a batch of
 * another begins or, since Go 1.26, with an event.
 */
#include "formats/go/go_extent.h"

#include "base/error.h"
#include "formats/go/go_generation.h"

enum { HEAD_BYTES = 64, READ_AHEAD = 1 << 20, GENERATION_BYTES = 1 << 30 };

/* Look that far, or twice as far, so that a long one is not copied for each batch. */
static int view(tm__input *input, uint64_t offset, size_t wanted,
                tm__go_extent_of *extent, size_t *available)
{
    size_t ahead = READ_AHEAD;

    while (ahead < wanted)
        ahead *= 2;
    return tm__input_view(input, offset, ahead, &extent->bytes, available);
}

int tm__go_extent(tm__input *input, tm__notes *notes, uint64_t offset, int has_ends,
                  tm__go_extent_of *extent)
{
    uint64_t number = 0;

    *extent = (tm__go_extent_of){0};
    for (;;) {
        size_t length = extent->length, available;
        tm__cursor cursor;
        tm__go_head head;
        int rc = view(input, offset, length + HEAD_BYTES + TM__GO_BATCH_BYTES, extent,
                      &available);

        if (rc < 0)
            return rc;
        if (available == length) {
            extent->is_last = 1;
            if (length == 0 || !has_ends)
                return TM_OK;
            return tm__notes_damage(
                notes, "generation %llu has no end: the file was cut at byte %llu",
                (unsigned long long)number, (unsigned long long)(offset + length));
        }
        cursor = (tm__cursor){extent->bytes + length, extent->bytes + available, 0};
        if (!tm__go_head_read(&cursor, &head) ||
            head.length > (size_t)(cursor.end - cursor.at) ||
            length > GENERATION_BYTES) {
            extent->is_last = 1;
            return tm__notes_damage(
                notes,
                "no whole batch of events is at byte %llu: what follows is missing",
                (unsigned long long)(offset + length));
        }
        if (head.type != TM__GO_END_OF_GENERATION && number != 0 &&
            head.generation != number)
            return TM_OK;
        extent->length +=
            (size_t)(cursor.at - (extent->bytes + length)) + (size_t)head.length;
        if (head.type == TM__GO_END_OF_GENERATION)
            return TM_OK;
        number = head.generation;
    }
}
