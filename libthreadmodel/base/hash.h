/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only include of uthash, set up so that memory comes from a variable named
 * `memory` in scope and running out of it sets one named `failed`.
 */
#ifndef TM_BASE_HASH_H
#define TM_BASE_HASH_H

#include "base/memory.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) tm__resize(memory, NULL, 0, bytes)
#define uthash_free(block, bytes) tm__free(memory, block, bytes)
#define uthash_nonfatal_oom(element) (failed = 1)
#include <uthash.h>

#endif
