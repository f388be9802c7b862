/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of fuzz targets. A target is one function on bytes; libFuzzer calls it
 * (./dev fuzz), and so does replay.c, over stored inputs and variations of them, with
 * any compiler (./dev check).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <threadmodel/threadmodel.h>

/** The target. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/** Memory that ends: each allocation takes one from what is left. */
typedef struct fuzz_memory {
    size_t calls_left;
} fuzz_memory;

/** An allocator that fails from the first call on that finds none left. */
tm_allocator fuzz_allocator(fuzz_memory *memory);

/** Ask a model everything, and read and write out every answer. */
void fuzz_ask_all(const tm_model *model);

/**
 * Read bytes as a file into a model, which is asked everything.
 * No more memory may be taken meanwhile than `times` the bytes, and `plus`.
 */
void fuzz_read_bounded(const uint8_t *bytes, size_t count, size_t times, size_t plus);

/**
 * The same of bytes that stand behind a text by which their format is known, and then
 * of the bytes alone.
 */
void fuzz_read_behind(const char *head, const uint8_t *bytes, size_t count,
                      size_t times, size_t plus);

/** End the program, naming what is not so: in a fuzzer that is a finding. */
#define FUZZ_CHECK(condition)                                                          \
    do {                                                                               \
        if (!(condition))                                                              \
            fuzz_fail(#condition, __FILE__, __LINE__);                                 \
    } while (0)
void fuzz_fail(const char *condition, const char *file, int line);

#endif
