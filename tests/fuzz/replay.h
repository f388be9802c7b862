/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a fuzz target without libFuzzer (TM_REPLAY): the files named on the command
 * line, once each.
 */
#ifndef TM_TESTS_REPLAY_H
#define TM_TESTS_REPLAY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef TM_REPLAY
static int replay(const char *path)
{
    static uint8_t bytes[16 << 20];
    FILE *file = fopen(path, "rb");
    uint8_t *exact;
    size_t size;

    if (!file) {
        perror(path);
        return 1;
    }
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    exact = malloc(size + (size == 0)); /* its end is where a checker sees it */
    if (!exact)
        return 1;
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}
#endif

#endif
