/* SPDX-License-Identifier: Apache-2.0 */
/* What a producer that was killed had reported and not yet written: its rings. */
#ifndef TM_TRACE_LEFTOVER_H
#define TM_TRACE_LEFTOVER_H

#include <threadmodel/sink.h>

#include "base/input.h"
#include "base/map.h"
#include "base/sort.h"
#include "trace/coding.h"

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
    uint32_t damaged_rings; ///< of which nothing can be told
    int64_t missing;        ///< events that were in the trace once, and are not
} tm__leftover;

/**
 * Look for rings beside a trace that has no end, and take what they hold.
 *
 * @param path    of the trace
 * @param run_id  of the run that the trace is of; 0: not known
 * @param events  in the trace, modulo 2^32
 * @return TM_OK, whatever the state is; TM_ENOMEM, TM_EIO
 */
int tm__leftover_open(tm__leftover *leftover, tm__memory *memory, const char *path,
                      uint64_t run_id, uint32_t events);

/** @return how many events will be emitted */
uint64_t tm__leftover_events(const tm__leftover *leftover);

/**
 * Emit what follows, with `most` events at most.
 * @return TM_OK: that was all; TM_MORE; TM_ENOMEM, or what the sink returned
 */
int tm__leftover_emit(tm__leftover *leftover, const tm_sink *sink, uint32_t most);

void tm__leftover_free(tm__leftover *leftover);

#endif
