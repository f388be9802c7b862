/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the lines of a contention log. No more memory is taken than
 * docs/formats.md allows.
 */
#include "fuzz.h"

enum { TIMES = 64, PLUS = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("ThreadStarted,0,0000000A,main\n", bytes, count, TIMES, PLUS);
    return 0;
}
