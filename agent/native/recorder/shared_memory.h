/* SPDX-License-Identifier: Apache-2.0 */
/* The shared region, from the recorder's side. */
#ifndef TM_NATIVE_RECORDER_SHARED_MEMORY_H
#define TM_NATIVE_RECORDER_SHARED_MEMORY_H

#include <stddef.h>

#include "layout/region.h"

typedef struct tm__memory {
    uint32_t ring_bytes, rings_most; ///< as they were laid out, whatever it has by now
    size_t live_bytes;               ///< that a model which follows a process may take
    tm__control *control;
    unsigned char *rings;
    char path[64];  ///< for programs to open it by
    uint64_t inode; ///< 0: unknown
} tm__memory;

/**
 * Take what the limits of the process allow.
 * @param may_be_less  rings may be smaller than that where memory is limited
 * @return 0; -1: errno says why not
 */
int tm__memory_open(tm__memory *memory, uint32_t ring_bytes, int may_be_less);

static inline tm__ring *tm__memory_ring(const tm__memory *memory, uint32_t number)
{
    return (tm__ring *)(void *)(memory->rings +
                                (size_t)number *
                                    (TM__RING_HEADER_BYTES + memory->ring_bytes));
}

#endif
