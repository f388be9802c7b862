/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds each object, as the sweep in ownership.c goes through time: a list of
 * segments an object, of which those stay that a block going on still needs.
 */
#ifndef TM_ANALYSIS_HOLDERS_H
#define TM_ANALYSIS_HOLDERS_H

#include "analysis/ownership.h"
#include "base/triples.h"

/** A stretch of time with one owner, up to the beginning of the next. */
typedef struct tm__segment {
    int64_t from_ns;
    uint32_t owner; ///< threads[] or TM__NONE
    uint32_t stack; ///< where it got it; TM__NONE: unknown
    uint32_t next;  ///< segments[], or in the list of free ones
    uint32_t begun; ///< blocks going on that began in it
    uint8_t provenance;
} tm__segment;

/** An object: its newest segment, and the oldest that is still needed. */
typedef struct tm__lock {
    uint32_t tail; ///< segments[] or TM__NONE
    uint32_t head;
    uint32_t queued; ///< blocks going on
} tm__lock;

typedef struct tm__holders {
    const tm_model *model;
    tm__memory *memory;
    tm__lock *locks; ///< an object each
    TM__ARRAY(tm__segment, segments);
    uint32_t free_segment;
    int sites;               ///< whether stacks of owners are asked for
    tm__triples last_stacks; ///< (object, thread, 0): stack + 1, with sites
} tm__holders;

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__holders_open(tm__holders *holders, const tm_model *model, tm__memory *memory,
                     int sites);

/** From now on `owner` has the object; TM__NONE: nobody is known to. */
int tm__holder_change(tm__holders *holders, uint32_t object, int64_t time_ns,
                      uint32_t owner, int provenance);
/** What was said while others wanted the object. @return TM_OK or TM_ENOMEM */
int tm__holder_stated(tm__holders *holders, const tm__statement *statement);
/** `owner` had the object until now, so it may have had it since the last change. */
void tm__holder_had_it(tm__holders *holders, uint32_t object, uint32_t owner);
/** The thread has let go by now, if it was the owner. */
int tm__holder_let_go(tm__holders *holders, uint32_t object, int64_t time_ns,
                      uint32_t thread);
/** Where a thread was let in to an object, or waited for it. */
int tm__holder_note_stack(tm__holders *holders, uint32_t object, uint32_t thread,
                          uint32_t stack);

/** A block for an object begins. @param[out] segment  in which */
int tm__holder_block_begins(tm__holders *holders, uint32_t object, int64_t time_ns,
                            uint32_t *segment);
/** It ends, and does not need its segments any more. */
void tm__holder_block_ends(tm__holders *holders, uint32_t object, uint32_t segment);

void tm__holders_close(tm__holders *holders);

/**
 * Hand on the shares of a block.
 * @param segment  in which it began; TM__NONE: nothing is known of its object
 * @param capped   counts blocks with too many owners
 */
int tm__shares_give(const tm__holders *holders, const tm__scope *scope, uint32_t thread,
                    const tm__interval *block, uint32_t segment, int64_t end_ns,
                    tm__share_fn take, void *payload, uint64_t *capped);

#endif
