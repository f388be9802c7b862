/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the lines of an HPROF text, and as a file. No more memory is taken than
 * docs/formats.md allows.
 */
#include "fuzz.h"

enum { TIMES = 96, PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("JAVA PROFILE 1.0.1, created now\n", bytes, count, TIMES, PLUS);
    return 0;
}
