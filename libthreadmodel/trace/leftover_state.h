/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a killed process left in its rings, while they are read. */
#ifndef TM_TRACE_LEFTOVER_STATE_H
#define TM_TRACE_LEFTOVER_STATE_H

#include <threadmodel/sink.h>

#include "base/input.h"
#include "base/map.h"
#include "base/sort.h"
#include "trace/coding.h"
#include "trace/ring_record.h"

typedef enum tm__leftover_state {
    TM__LEFTOVER_NONE,      ///< there are no rings
    TM__LEFTOVER_RUNNING,   ///< they are in use: the run goes on
    TM__LEFTOVER_FOREIGN,   ///< they are of another run
    TM__LEFTOVER_DAMAGED,   ///< their header is, so nothing can be taken from them
    TM__LEFTOVER_NEWER,     ///< of a version that is not ours
    TM__LEFTOVER_REVERSED,  ///< of a machine with the other order of bytes
    TM__LEFTOVER_RECOVERED, ///< what they held can be emitted
} tm__leftover_state;

typedef struct tm__leftover {
    tm__memory *memory;
    tm__leftover_state state;
    tm__bytes records;   ///< all that is whole, ring by ring
    tm__sortable *order; ///< of events by time; the number is the record's place / 8
    uint32_t order_capacity;
    uint32_t count; ///< of events
    uint32_t next;  ///< to be emitted
    size_t defined; ///< up to here definitions were emitted
    tm__map stacks; ///< hash of frames to place / 8 of the first record with them
    uint32_t stack_count;

    uint64_t lost;          ///< events that had found no room
    uint64_t damaged_bytes; ///< of records
    uint32_t damaged_rings; ///< whose content is lost
    int64_t missing;        ///< events that were in the trace once, and are not
} tm__leftover;

/** The record at a place in `records`. */
static inline const tm__record *tm__leftover_record(const tm__leftover *leftover,
                                                    size_t place)
{
    return (const tm__record *)(leftover->records.data + place);
}

#endif
