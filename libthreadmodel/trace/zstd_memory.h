/* SPDX-License-Identifier: Apache-2.0 */
/* zstd's contexts take their memory from the hook, too. */
#ifndef TM_TRACE_ZSTD_MEMORY_H
#define TM_TRACE_ZSTD_MEMORY_H

#ifndef TM_WITHOUT_ZSTD

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "base/memory.h"

/** @param memory  as long as the context is there */
ZSTD_customMem tm__zstd_memory(tm__memory *memory);

#endif

#endif
