/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target without a fuzzer: every stored input, then cuts and mutations of each
 * that no fuzzer made, by a fixed seed, so that a plain compiler, a sanitizer or
 * valgrind can watch.
 *
 *     replay_TARGET [FOLDER-OR-FILE...]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { INPUT_BYTES = 1 << 20 };

static uint8_t input[INPUT_BYTES];
static uint8_t changed[INPUT_BYTES];
static uint64_t seed = 20;
static int variations = 50;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (uint32_t)(seed >> 33) % limit : 0;
}

static void vary(size_t count)
{
    for (int i = 0; i < variations; i++) {
        size_t size = i % 4 == 0 ? random_below((uint32_t)count + 1) : count;

        memcpy(changed, input, size);
        for (uint32_t k = random_below(8); size > 0 && k > 0; k--)
            changed[random_below((uint32_t)size)] = (uint8_t)random_below(256);
        LLVMFuzzerTestOneInput(changed, size);
    }
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        return 1;
    }
    size_t count = fread(input, 1, sizeof(input), file);
    fclose(file);
    LLVMFuzzerTestOneInput(input, count);
    if (!strstr(path, "/fuzzed-")) /* a mutation already, kept for where it leads */
        vary(count);
    return 0;
}

static int replay(const char *path)
{
    struct stat about;
    struct dirent *entry;
    int failed = 0;

    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return replay_file(path);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        return 1;
    }
    while ((entry = readdir(folder)) != NULL) {
        char inner[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        failed |= replay(inner);
    }
    closedir(folder);
    return failed;
}

int main(int count, char **arguments)
{
    int failed = 0;

    if (getenv("TM_TEST_FULL"))
        variations = 20000;
    if (getenv("TM_TEST_SLOW_MACHINE"))
        variations = 5;
    for (int i = 1; i < count; i++)
        failed |= replay(arguments[i]);
    /* From nothing at all: noise of every size. */
    for (size_t size = 0; size < 2048; size += 1 + size / 8) {
        for (size_t i = 0; i < size; i++)
            input[i] = (uint8_t)random_below(256);
        LLVMFuzzerTestOneInput(input, size);
        vary(size);
    }
    return failed;
}
