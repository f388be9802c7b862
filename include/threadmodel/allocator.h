/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/allocator.h: the one hook through which memory comes and goes. */
#ifndef THREADMODEL_ALLOCATOR_H
#define THREADMODEL_ALLOCATOR_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/**
 * A source of memory. NULL in place of one means malloc, realloc and free.
 * Objects made with it keep a copy of this struct; only `payload` must live as long as
 * they and the tables made from them.
 */
typedef struct tm_allocator {
    /**
     * Allocate (block NULL), resize, or free (bytes 0) a block.
     *
     * @param payload  the field below
     * @param block    what an earlier call returned, or NULL
     * @param bytes    the new size; 0 frees and returns NULL
     * @return the block, aligned for any type; NULL when there is no memory,
     *         and then `block` is as it was
     */
    void *(*resize)(void *payload, void *block, size_t bytes);
    void *payload; ///< handed to resize as it is
} tm_allocator;

TM_END_DECLS

#endif
