/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the lines of a contention log. No more memory is taken than
 * docs/formats.md allows.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TIMES = 64, PLUS = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char head[] = "ThreadStarted,0,0000000A,main\n";
    size_t length = sizeof(head) - 1 + count;
    uint8_t *log = malloc(length);

    FUZZ_CHECK(log != NULL);
    memcpy(log, head, sizeof(head) - 1);
    if (count > 0)
        memcpy(log + sizeof(head) - 1, bytes, count);
    fuzz_read_bounded(log, length, TIMES, PLUS);
    free(log);
    return 0;
}
