/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/definitions.h"

#include <stdlib.h>

#include "recorder/named_definitions.h"

static void define_thread(tm__image *image, uint64_t thread, uint32_t os_id,
                          const char *name, uint32_t flags)
{
    tm_thread definition = TM_THREAD_INIT;

    definition.id = thread;
    definition.os_id = os_id;
    definition.name = name && *name ? name : NULL;
    definition.flags = flags;
    TM__IMAGE_DEFINE(image, define_thread, &definition);
}

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name)
{
    define_thread(image, thread, os_id, name, 0);
}

void tm__thread_define_not_forked(tm__image *image, uint64_t thread, uint32_t os_id,
                                  const char *name)
{
    define_thread(image, thread, os_id, name, TM_THREAD_NOT_FORKED);
}

void tm__thread_set_handle(tm__image *image, uint64_t handle, uint64_t thread)
{
    tm__handle *it;

    HASH_FIND(hh, image->handles, &handle, sizeof(handle), it);
    if (!it) {
        it = calloc(1, sizeof(*it));
        if (!it)
            return;
        it->handle = handle;
        HASH_ADD(hh, image->handles, handle, sizeof(it->handle), it);
    }
    it->thread = thread;
}

uint64_t tm__thread_by_handle(const tm__image *image, uint64_t handle)
{
    tm__handle *it;

    HASH_FIND(hh, image->handles, &handle, sizeof(handle), it);
    return it ? it->thread : 0;
}

int tm__definitions_complete(tm__image *image)
{
    int are_objects, are_stacks;

    if (!image->definitions)
        return 1;
    are_objects = tm__objects_define(image);
    are_stacks = tm__stacks_define(image);
    return are_objects && are_stacks;
}

#define FREE_ALL(type, head)                                                           \
    do {                                                                               \
        type *it, *next;                                                               \
        HASH_ITER(hh, head, it, next)                                                  \
        {                                                                              \
            HASH_DEL(head, it);                                                        \
            free(it);                                                                  \
        }                                                                              \
    } while (0)

void tm__definitions_free(tm__image *image)
{
    tm__definitions *all = image->definitions;

    tm__objects_free(image);
    FREE_ALL(tm__handle, image->handles);
    if (!all)
        return;
    FREE_ALL(tm__named, all->classes);
    FREE_ALL(tm__named, all->methods);
    FREE_ALL(tm__named, all->objects);
    tm__stacks_free(all);
    free(all);
    image->definitions = NULL;
}
