/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the lines of a text dump, and as a file. No more memory is taken than
 * docs/formats.md allows.
 */
#include "fuzz.h"

enum { TIMES = 96, PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("Full thread dump of a fuzzer:\n", bytes, count, TIMES, PLUS);
    return 0;
}
