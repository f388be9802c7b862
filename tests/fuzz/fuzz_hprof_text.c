/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the lines of an HPROF text, and as a file. No more memory is taken than
 * docs/formats.md allows.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TIMES = 96, PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char head[] = "JAVA PROFILE 1.0.1, created now\n";
    size_t length = sizeof(head) - 1 + count;
    uint8_t *dump = malloc(length);

    FUZZ_CHECK(dump != NULL);
    memcpy(dump, head, sizeof(head) - 1);
    if (count > 0)
        memcpy(dump + sizeof(head) - 1, bytes, count);
    fuzz_read_bounded(dump, length, TIMES, PLUS);
    free(dump);
    if (count > 0)
        fuzz_read_bounded(bytes, count, TIMES, PLUS);
    return 0;
}
