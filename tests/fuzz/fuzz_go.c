/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the generations of an execution trace of Go, of the first release of its
 * format and of the last, and as a file. No more memory is taken than docs/formats.md
 * allows.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { HEADER = 16, TIMES = 96, PLUS = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char heads[][HEADER + 1] = {"go 1.22 trace\0\0\0",
                                             "go 1.26 trace\0\0\0"};
    uint8_t *trace = malloc(HEADER + count);

    FUZZ_CHECK(trace != NULL);
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        memcpy(trace, heads[i], HEADER);
        if (count > 0)
            memcpy(trace + HEADER, bytes, count);
        fuzz_read_bounded(trace, HEADER + count, TIMES, PLUS);
    }
    free(trace);
    if (count > 0)
        fuzz_read_bounded(bytes, count, TIMES, PLUS);
    return 0;
}
