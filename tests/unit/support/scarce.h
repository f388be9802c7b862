/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out: fails the call after `calls_left` and all that follow, or that
 * one alone, and counts the blocks that are alive, so that a test sees what a failure
 * left behind.
 */
#ifndef TEST_SCARCE_H
#define TEST_SCARCE_H

#include <stdlib.h>

#include <threadmodel/allocator.h>

struct scarce {
    size_t calls_left;
    size_t live_blocks;
    int has_failed;
    int fails_once;
};

static inline void *scarce_resize(void *payload, void *block, size_t bytes)
{
    struct scarce *scarce = payload;
    void *resized;

    if (bytes == 0) {
        scarce->live_blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (scarce->calls_left == 0) {
        scarce->has_failed = 1;
        scarce->calls_left = scarce->fails_once ? SIZE_MAX : 0;
        return NULL;
    }
    scarce->calls_left--;
    resized = realloc(block, bytes);
    scarce->live_blocks += resized && !block;
    return resized;
}

static inline tm_allocator scarce_hook(struct scarce *scarce, size_t calls)
{
    *scarce = (struct scarce){.calls_left = calls};
    return (tm_allocator){scarce_resize, scarce};
}

#endif
