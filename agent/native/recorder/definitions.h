/* SPDX-License-Identifier: Apache-2.0 */
/* What the addresses and numbers of a program stand for, defined once each. */
#ifndef TM_NATIVE_RECORDER_DEFINITIONS_H
#define TM_NATIVE_RECORDER_DEFINITIONS_H

#include <uthash.h>

#include "recorder/image.h"

/** A thread that came to a barrier last lets the others go on. */
struct tm__native_object {
    struct {
        uint64_t address;
        uint64_t kind;
    } key;
    uint64_t id;
    uint64_t owner;  ///< thread that owns it alone, 0: none or several
    uint64_t last;   ///< thread that came last to the barrier
    uint64_t poster; ///< that came last in the cycle before
    uint64_t cycle;
    UT_hash_handle hh;
};

/** A thread by its pthread_t, which another may have after it. */
typedef struct tm__handle {
    uint64_t handle;
    uint64_t thread;
    UT_hash_handle hh;
} tm__handle;

void tm__thread_set_handle(tm__image *image, uint64_t handle, uint64_t thread);

/** @return the thread that has a handle now; 0: none is known */
uint64_t tm__thread_by_handle(const tm__image *image, uint64_t handle);

/** The object at an address; NULL: there is no memory. */
tm__native_object *tm__object_at(tm__image *image, uint64_t address, uint32_t kind);

/** @return the number of a stack in the trace; 0: there is no memory */
uint32_t tm__stack_of_frames(tm__image *image, const uint64_t *frames, size_t count);

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name);

void tm__definitions_free(tm__image *image);

#endif
