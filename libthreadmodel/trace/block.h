/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One data block, unpacked and found right as a whole before a sink sees any of it,
 * then emitted in pieces.
 */
#ifndef TM_TRACE_BLOCK_H
#define TM_TRACE_BLOCK_H

#include "trace/columns.h"
#include "trace/definition_coding.h"
#include "trace/trace_frame.h"

typedef struct tm__block {
    tm__memory *memory;
    tm__unpacker unpacker;
    tm__columns columns;
    tm__definition_room room;
    tm__bytes raw;
    tm_event *events;
    uint32_t event_capacity;
    uint32_t event_count;
    uint32_t next_event;    ///< to be emitted
    tm__cursor definitions; ///< to be emitted
    uint32_t position;      ///< of the definition before
    uint32_t passed_over;   ///< sections and definitions of newer kinds
    uint32_t definition_count;
    uint64_t cost_bytes; ///< of all blocks that were unpacked
    tm_run run;          ///< numbers of the last run in it; size 0: none
} tm__block;

void tm__block_init(tm__block *block, tm__memory *memory);

/**
 * Unpack.
 *
 * @param end  bytes of the trace up to the block's end; they bound what blocks cost
 * @return TM_OK, TM_ENOMEM, TM_EDAMAGED, TM_ELIMIT (with this block the trace asks for
 *         more memory than one of its size may), and then nothing is to be emitted
 */
int tm__block_open(tm__block *block, const tm__block_header *header,
                   const uint8_t *packed, uint64_t end);

/**
 * Emit what follows, with `most` events at most.
 * @return TM_OK: that was all; TM_MORE; or what the sink returned
 */
int tm__block_emit(tm__block *block, const tm_sink *sink, uint32_t most);

void tm__block_free(tm__block *block);

#endif
