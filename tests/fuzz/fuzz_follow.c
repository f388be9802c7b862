/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace that comes in pieces, as to a listener: what a reader makes of it while it
 * grows is what it makes of the whole. The first byte chooses the pieces.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static void append(int file, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);

        FUZZ_CHECK(written > 0);
        bytes += written;
        count -= (size_t)written;
    }
}

static int read_on(tm_source *source, tm_model *model)
{
    int rc;

    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    return rc;
}

static int read_whole(const char *path, tm_model *model)
{
    tm_source *source;
    int rc = tm_source_open(&source, path, NULL);

    if (rc != TM_OK)
        return rc;
    rc = read_on(source, model);
    tm_source_close(source);
    return rc;
}

/* @return what ended the reading; `grows` is written piece by piece */
static int follow(int grows, const char *path, const uint8_t *bytes, size_t count,
                  size_t piece, tm_model *model)
{
    size_t written = 0;
    tm_source *source = NULL;
    int rc = TM_OK;

    while (written < count && rc == TM_OK) {
        size_t next = count - written < piece ? count - written : piece;

        append(grows, bytes + written, next);
        written += next;
        piece += piece / 4 + 1;
        if (!source && tm_source_open(&source, path, NULL) != TM_OK)
            continue; /* it does not say yet what it is */
        rc = tm_source_follow(source, 1);
        if (rc == TM_OK)
            rc = read_on(source, model);
    }
    if (!source)
        return TM_EFORMAT;
    append(grows, bytes + written, count - written);
    if (rc == TM_OK)
        rc = tm_source_follow(source, 0);
    if (rc == TM_OK)
        rc = read_on(source, model);
    tm_source_close(source);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tm_model *followed, *read;
    char path[32];
    int file, rc;

    if (count < 2)
        return 0;
    file = memfd_create("input", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    FUZZ_CHECK(tm_model_new(&followed, NULL) == TM_OK);
    FUZZ_CHECK(tm_model_new(&read, NULL) == TM_OK);
    rc = follow(file, path, bytes + 1, count - 1, 1u + bytes[0], followed);
    /* Other formats are read whole, or not at all. */
    if (rc == TM_OK || rc == TM_EDAMAGED) {
        int whole = read_whole(path, read);

        /* A file that began as a trace when there were few bytes may have gone on
         * otherwise. */
        FUZZ_CHECK(whole == rc || (rc == TM_EDAMAGED && whole == TM_EFORMAT));
        FUZZ_CHECK(whole == TM_EFORMAT ||
                   tm_model_event_count(read) == tm_model_event_count(followed));
    }
    fuzz_ask_all(followed);
    tm_model_free(followed);
    tm_model_free(read);
    close(file);
    return 0;
}
