/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the rest of a JSON dump, and as a file. No more memory is taken than
 * docs/formats.md allows.
 */
#include "fuzz.h"

enum { TIMES = 96, PLUS = 3 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("{\"threadDump\": {", bytes, count, TIMES, PLUS);
    return 0;
}
