/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as XML behind an element of TPTP, and as they are. No more memory is taken
 * than docs/formats.md allows, besides what libexpat takes.
 */
#include "fuzz.h"

enum { TIMES = 64, PLUS = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_read_behind("<threadEnd threadIdRef=\"1\" time=\"0\"/>", bytes, count, TIMES,
                     PLUS);
    return 0;
}
