/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of a trace, and sentences that report them. */
#ifndef TM_TRACE_RECOVERY_H
#define TM_TRACE_RECOVERY_H

#include "trace/trace_frame.h"
#include "trace/leftover.h"

/** Bytes that could not be read, until the next block that can. */
typedef struct tm__gap {
    int is_open;
    int is_oversized; ///< a block in it asks for more memory than it may
    uint64_t from;
    uint64_t reach;   ///< the farthest end that a header in it claimed
    uint32_t tries;   ///< headers in it whose block was bad
    uint32_t blocks;  ///< whose header survived
    uint64_t events;  ///< of those
    int64_t first_ns; ///< of those, while there are events
    int64_t last_ns;
} tm__gap;

/** A loss that is known. */
typedef struct tm__trace_loss {
    uint64_t from; ///< bytes [from, to)
    uint64_t to;
    uint32_t blocks;  ///< 0: not known
    uint64_t events;  ///< 0: none, or not known
    int is_counted;   ///< `events` is known
    int is_oversized; ///< not all of it is damaged: it asks for too much memory
    int is_end;       ///< there is nothing after it, and no end marker
    int is_tail;      ///< it is after the end marker
    int64_t first_ns; ///< in which time, while there are events
    int64_t last_ns;
    int64_t origin_ns;            ///< times count from here
    const tm__leftover *leftover; ///< of an end: what lay beside it; NULL: not looked
} tm__trace_loss;

/** Note a bad place; header NULL: it has none. @return where to look on */
uint64_t tm__gap_add(tm__gap *gap, uint64_t offset, const tm__block_header *header);

/** Whether all was recovered: a recording was killed, and nothing is missing. */
int tm__loss_is_none(const tm__trace_loss *loss);

/** One sentence for people. */
void tm__loss_sentence(const tm__trace_loss *loss, char *text, size_t bytes);

/** The report of a loss that is still due: a sentence, and an event for the model. */
typedef struct tm__loss_report {
    tm__trace_loss loss;
    enum { TM__LOSS_NOTHING, TM__LOSS_SENTENCE, TM__LOSS_EVENT } due;
    uint32_t count;  ///< losses that were reported
    char first[400]; ///< sentence of them
} tm__loss_report;

/** Have a loss reported by the next call of tm__loss_report_emit(). */
void tm__loss_owe(tm__loss_report *report, const tm__trace_loss *loss,
                  int64_t origin_ns);

/** Report what is owed, before what comes after it is emitted.
 * @return TM_OK or what the sink returned */
int tm__loss_report_emit(tm__loss_report *report, const tm_sink *sink);

/**
 * Look for a block header.
 * @return its offset in `bytes`, or the first place that has to be looked at again
 *         with more bytes behind it
 */
size_t tm__header_find(const uint8_t *bytes, size_t length, int *found);

#endif
