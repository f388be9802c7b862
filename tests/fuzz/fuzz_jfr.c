/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the events of a chunk of a recording, with a header that lets them be
 * read, and as they are. No more memory is taken than docs/formats.md allows.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"
#include "fuzz.h"

enum { HEADER = 68, TIMES = 64, PLUS = 1 << 16 };

typedef struct meter {
    size_t used;
    size_t peak;
} meter;

/* Each block is preceded by its size. */
static void *measured(void *payload, void *block, size_t bytes)
{
    meter *it = payload;
    size_t *head = block ? (size_t *)block - 2 : NULL;
    size_t before = head ? head[0] : 0;

    if (bytes == 0) {
        it->used -= before;
        free(head);
        return NULL;
    }
    head = realloc(head, bytes + 2 * sizeof(*head));
    if (!head)
        return NULL;
    head[0] = bytes;
    it->used += bytes - before;
    if (it->used > it->peak)
        it->peak = it->used;
    return head + 2;
}

static void read_into_model(const uint8_t *bytes, size_t count)
{
    meter used = {0, 0};
    tm_allocator allocator = {measured, &used};
    tm_source_options options = {.size = sizeof(options), .allocator = &allocator};
    tm_source *source;
    tm_model *model;
    int rc = tm__source_open_memory(&source, "input", bytes, count, &options);

    if (rc != TM_OK) {
        FUZZ_CHECK(source == NULL && used.used == 0);
        return;
    }
    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    FUZZ_CHECK(rc == TM_OK || rc == TM_EDAMAGED);
    FUZZ_CHECK(tm_source_position(source) <= count);
    tm_source_close(source);
    fuzz_ask_all(model);
    tm_model_free(model);
    FUZZ_CHECK(used.used == 0);
    FUZZ_CHECK(used.peak <= TIMES * count + PLUS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    uint8_t *chunk = malloc(HEADER + count);

    FUZZ_CHECK(chunk != NULL);
    memset(chunk, 0, HEADER);
    memcpy(chunk, "FLR\0\0\2\0\1", 8);
    for (int i = 0; i < 8; i++)
        chunk[8 + i] = (uint8_t)((uint64_t)(HEADER + count) >> 8 * (7 - i));
    chunk[60] = 1; /* ticks per second */
    chunk[67] = 1; /* integers are compressed */
    if (count > 0)
        memcpy(chunk + HEADER, bytes, count);
    read_into_model(chunk, HEADER + count);
    free(chunk);
    if (count > 0)
        read_into_model(bytes, count);
    return 0;
}
