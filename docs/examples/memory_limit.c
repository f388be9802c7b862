/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model with memory of the host's own: counted, and limited. When there is no more,
 * the call fails, and the model goes on as soon as there is.
 *
 *     cc memory_limit.c $(pkg-config --cflags --libs threadmodel)
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <threadmodel/threadmodel.h>

typedef struct pool {
    size_t used;
    size_t limit;
} pool;

/* A block's size stands before it: the library does not pass it back. */
typedef union header {
    size_t bytes;
    max_align_t alignment;
} header;

static void *resize(void *payload, void *block, size_t bytes)
{
    pool *from = payload;
    header *old = block ? (header *)block - 1 : NULL, *new;
    size_t before = old ? old->bytes : 0;

    if (bytes == 0) {
        from->used -= before;
        free(old);
        return NULL;
    }
    if (bytes > from->limit || from->used - before > from->limit - bytes)
        return NULL;
    new = realloc(old, sizeof(*new) + bytes);
    if (!new)
        return NULL;
    from->used += bytes - before;
    new->bytes = bytes;
    return new + 1;
}

/* A thread that is blocked for 1 ms, again and again. */
static int feed(tm_model *model, int64_t round)
{
    const tm_event events[] = {{.time_ns = round * 2000000,
                                .kind = TM_EVENT_CONTENDED_ENTER,
                                .thread = 1,
                                .object = 1},
                               {.time_ns = round * 2000000 + 1000000,
                                .kind = TM_EVENT_CONTENDED_ENTERED,
                                .thread = 1,
                                .object = 1}};

    return tm_model_ingest(model, events, 2);
}

int main(void)
{
    pool memory = {.limit = 1 << 20};
    const tm_allocator allocator = {.resize = resize, .payload = &memory};
    const tm_model_options options = {.size = sizeof(options), .allocator = &allocator};
    tm_model *model;
    int64_t round = 0;
    int rc = tm_model_new(&model, &options);

    while (rc == TM_OK)
        rc = feed(model, round++);
    printf("within 1 MB: %s, %s\n", tm_error_name(rc),
           memory.used <= memory.limit ? "and no byte more" : "exceeded");
    memory.limit *= 4;
    rc = feed(model, round);
    printf("within 4 MB: %s\n", rc == TM_OK ? "it goes on" : tm_error_text());
    tm_model_free(model);
    printf("in use afterwards: %zu bytes\n", memory.used);
    return rc < 0;
}
