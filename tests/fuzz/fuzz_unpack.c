/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a packed file, and as UTF-16 of either byte order behind the first line
 * of a dump. The unpacked bytes are read as a file of their own format. Compression
 * libraries allocate their own memory; ours stays within docs/formats.md.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 96, PLUS = 2 << 20, RATIO = 1100 };

static const char dump[] = "2024-01-01 10:00:00\nFull thread dump of a fuzzer:\n\n";

/* The unpacked content may be so many times longer, and memory goes by it. */
static void read_packed(const uint8_t *bytes, size_t count)
{
    fuzz_read_bounded(bytes, count, (size_t)TIMES * RATIO, PLUS);
}

/* Each byte as a unit of UTF-16, of either order, behind the mark of it. */
static void read_wide(const uint8_t *bytes, size_t count, int is_big)
{
    size_t length = sizeof(dump) - 1 + count;
    uint8_t *wide = malloc(2 * length + 2);

    FUZZ_CHECK(wide != NULL);
    wide[!is_big] = 0xfe;
    wide[is_big] = 0xff;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte =
            i < sizeof(dump) - 1 ? (uint8_t)dump[i] : bytes[i - (sizeof(dump) - 1)];

        wide[2 + 2 * i + !is_big] = 0;
        wide[2 + 2 * i + is_big] = byte;
    }
    fuzz_read_bounded(wide, 2 * length + 2, TIMES, PLUS);
    free(wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0)
        return 0;
    if (bytes[0] == 'w' || bytes[0] == 'W')
        read_wide(bytes + 1, count - 1, bytes[0] == 'W');
    else
        read_packed(bytes, count);
    return 0;
}
