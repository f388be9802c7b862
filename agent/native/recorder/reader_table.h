/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of all threads, and which is whose. */
#ifndef TM_NATIVE_RECORDER_READER_TABLE_H
#define TM_NATIVE_RECORDER_READER_TABLE_H

#include "recorder/ring_reader.h"

typedef struct tm__readers {
    tm__ring_reader *all; ///< TM__RINGS_MOST of them
    uint32_t end;         ///< in use so far
} tm__readers;

/** Learn which threads there are. Once a round: until the next, none is found that is
 * not among these. */
void tm__readers_list(const tm__readers *readers);

/** @return NULL: that thread of that process has no ring, or has none any more */
tm__ring_reader *tm__ring_reader_of(const tm__readers *readers, const tm__image *image,
                                    uint64_t thread);

#endif
