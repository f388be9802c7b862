/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the records of a binary HPROF file, with a header that lets them be
 * read, and as a file. No more memory is taken than docs/formats.md allows.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { HEADER = 31, TIMES = 96, PLUS = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const uint8_t header[HEADER] = "JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\x01";
    uint8_t *file = malloc(HEADER + count);

    FUZZ_CHECK(file != NULL);
    memcpy(file, header, HEADER);
    if (count > 0)
        memcpy(file + HEADER, bytes, count);
    fuzz_read_bounded(file, HEADER + count, TIMES, PLUS);
    free(file);
    if (count > 0)
        fuzz_read_bounded(bytes, count, TIMES, PLUS);
    return 0;
}
