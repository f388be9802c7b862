/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the events of a chunk of a recording, with a header that lets them be
 * read, and as they are. No more memory is taken than docs/formats.md allows.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { HEADER = 68, TIMES = 64, PLUS = 1 << 16 };
/* Limits for another format, which a mutated header may make of it: a dump takes
 * most. */
enum { OTHER_TIMES = 96, OTHER_PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *chunk = malloc(HEADER + count);

    FUZZ_CHECK(chunk != NULL);
    memset(chunk, 0, HEADER);
    memcpy(chunk, "FLR\0\0\2\0\1", 8);
    for (int i = 0; i < 8; i++)
        chunk[8 + i] = (uint8_t)((uint64_t)(HEADER + count) >> 8 * (7 - i));
    chunk[60] = 1; /* ticks per second */
    chunk[67] = 1; /* integers are compressed */
    if (count > 0)
        memcpy(chunk + HEADER, bytes, count);
    fuzz_read_bounded(chunk, HEADER + count, TIMES, PLUS);
    free(chunk);
    if (count >= 4 && memcmp(bytes, "FLR", 4) == 0)
        fuzz_read_bounded(bytes, count, TIMES, PLUS);
    else if (count > 0)
        fuzz_read_bounded(bytes, count, OTHER_TIMES, OTHER_PLUS);
    return 0;
}
