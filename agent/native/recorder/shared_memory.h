/* SPDX-License-Identifier: Apache-2.0 */
/* The shared region, from the recorder's side. */
#ifndef TM_NATIVE_RECORDER_SHARED_MEMORY_H
#define TM_NATIVE_RECORDER_SHARED_MEMORY_H

#include <stddef.h>

#include "layout/region.h"

typedef struct tm__memory {
    uint32_t ring_bytes, rings_most; ///< as they were laid out, whatever it has by now
    tm__control *control;
    unsigned char *rings;
    char path[64];  ///< for programs to open it by
    uint64_t inode; ///< 0: unknown
} tm__memory;

/** @return 0; -1: errno says why not */
int tm__memory_open(tm__memory *memory, uint32_t ring_bytes);

static inline tm__ring *tm__memory_ring(const tm__memory *memory, uint32_t number)
{
    return (tm__ring *)(void *)(memory->rings +
                                (size_t)number *
                                    (TM__RING_HEADER_BYTES + memory->ring_bytes));
}

#endif
