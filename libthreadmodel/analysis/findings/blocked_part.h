/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a thread's life in which it is blocked or waits for work. */
#ifndef TM_ANALYSIS_FINDINGS_BLOCKED_PART_H
#define TM_ANALYSIS_FINDINGS_BLOCKED_PART_H

#include "analysis/findings/finding.h"
#include "model/entities/thread.h"

/** Where and for how long a thread is blocked, or waits for work. */
typedef struct tm__blocked_part {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t place;
    int state;
    int is_idle;
} tm__blocked_part;

/** @return 1: a thread is blocked in an interval, and `it` says where; 0: it runs */
int tm__blocked_part_of_run(const tm__findings *findings, const tm__thread *thread,
                            uint32_t index, tm__blocked_part *it);

/** The same, cut to the part that is asked about. @return 0 also where it lies outside
 * of that, and then it lasts no time */
int tm__blocked_part_at(const tm__findings *findings, const tm__thread *thread,
                        uint32_t index, tm__blocked_part *it);

/** "asleep": what it is meanwhile. */
const char *tm__state_words(uint32_t state);

#endif
