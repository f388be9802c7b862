/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the threads of a text dump to a file, and as a file. No more memory is
 * taken than docs/formats.md allows.
 */
#include "fuzz.h"

enum { TIMES = 96, PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("1\n2026-01-01T00:00:00Z\n25\n\n", bytes, count, TIMES, PLUS);
    return 0;
}
