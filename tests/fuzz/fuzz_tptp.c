/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as XML behind an element of TPTP, and as they are. No more memory is taken
 * than docs/formats.md allows, besides what libexpat takes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TIMES = 64, PLUS = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char head[] = "<threadEnd threadIdRef=\"1\" time=\"0\"/>";
    size_t length = sizeof(head) - 1 + count;
    uint8_t *trace = malloc(length);

    FUZZ_CHECK(trace != NULL);
    memcpy(trace, head, sizeof(head) - 1);
    if (count > 0)
        memcpy(trace + sizeof(head) - 1, bytes, count);
    fuzz_read_bounded(trace, length, TIMES, PLUS);
    free(trace);
    if (count > 0)
        fuzz_read_bounded(bytes, count, TIMES, PLUS);
    return 0;
}
