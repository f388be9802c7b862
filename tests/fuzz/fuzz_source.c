/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file: whatever opens is read into a model, which is asked
 * everything, and into a trace, which must then read back without a fault.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* A file in memory and the path that opens it. */
static int make_file(const uint8_t *bytes, size_t count, char path[32])
{
    int file = memfd_create("input", MFD_CLOEXEC);

    FUZZ_CHECK(file >= 0);
    while (count > 0) {
        ssize_t written = write(file, bytes, count);

        FUZZ_CHECK(written > 0);
        bytes += written;
        count -= (size_t)written;
    }
    snprintf(path, 32, "/proc/self/fd/%d", file);
    return file;
}

/* @return what ended the reading */
static int emit(const char *path, const tm_sink *sink, const tm_allocator *allocator)
{
    tm_source_options options = {.size = sizeof(options), .allocator = allocator};
    tm_source *source;
    int rc = tm_source_open(&source, path, &options);

    if (rc != TM_OK) {
        FUZZ_CHECK(source == NULL && tm_error_text()[0] != '\0');
        return rc;
    }
    do
        rc = tm_source_read(source, sink);
    while (rc == TM_MORE);
    FUZZ_CHECK(rc == TM_OK || tm_error_text()[0] != '\0');
    FUZZ_CHECK(tm_source_format(source) != NULL);
    tm_source_close(source);
    return rc;
}

/* A file that was read whole is written, and read again with the same number of events.
 */
static void write_and_read_back(const char *path)
{
    char copy_path[32];
    int copy = make_file(NULL, 0, copy_path);
    tm_writer *writer;
    tm_model *first, *second;

    FUZZ_CHECK(tm_model_new(&first, NULL) == TM_OK);
    FUZZ_CHECK(tm_model_new(&second, NULL) == TM_OK);
    FUZZ_CHECK(tm_writer_open(&writer, copy_path, NULL) == TM_OK);
    int rc = emit(path, tm_writer_sink(writer), NULL);
    FUZZ_CHECK(tm_writer_close(writer) == TM_OK);
    FUZZ_CHECK(emit(path, tm_model_sink(first), NULL) == rc);
    FUZZ_CHECK(emit(copy_path, tm_model_sink(second), NULL) == TM_OK);
    FUZZ_CHECK(tm_model_event_count(first) == tm_model_event_count(second));
    tm_model_free(first);
    tm_model_free(second);
    close(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_memory memory = {count > 0 && bytes[count - 1] ? bytes[count - 1] : SIZE_MAX};
    tm_allocator allocator = fuzz_allocator(&memory);
    tm_model *model;
    char path[32];
    int file = make_file(bytes, count, path);

    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    emit(path, tm_model_sink(model), &allocator);
    memory.calls_left = SIZE_MAX;
    int rc = emit(path, tm_model_sink(model), &allocator);
    fuzz_ask_all(model);
    tm_model_free(model);
    if (rc == TM_OK || rc == TM_EDAMAGED)
        write_and_read_back(path);
    close(file);
    return 0;
}
