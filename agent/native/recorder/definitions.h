/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of the addresses and numbers of a program, once each. */
#ifndef TM_NATIVE_RECORDER_DEFINITIONS_H
#define TM_NATIVE_RECORDER_DEFINITIONS_H

#include <uthash.h>

#include "recorder/object_definitions.h"
#include "recorder/stack_definitions.h"

/** A thread by its pthread_t, which another may have after it. */
typedef struct tm__handle {
    uint64_t handle;
    uint64_t thread;
    UT_hash_handle hh;
} tm__handle;

void tm__thread_set_handle(tm__image *image, uint64_t handle, uint64_t thread);

/** @return the thread that has a handle now; 0: none is known */
uint64_t tm__thread_by_handle(const tm__image *image, uint64_t handle);

/** Define all that is not defined yet. @return whether all is */
int tm__definitions_complete(tm__image *image);

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name);
/** Define a thread of the process that forked this one. */
void tm__thread_define_not_forked(tm__image *image, uint64_t thread, uint32_t os_id,
                                  const char *name);

void tm__definitions_free(tm__image *image);

#endif
