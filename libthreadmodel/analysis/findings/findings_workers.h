/* SPDX-License-Identifier: Apache-2.0 */
/* What findings about executors and about event loops have in common. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_WORKERS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_WORKERS_H

#include "analysis/findings/findings.h"
#include "model/thread.h"

/** Where and for how long a thread is blocked, other than by waiting for work. */
typedef struct tm__blocked_part {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t place;
    int state;
    int is_idle;
} tm__blocked_part;

/** @return 0: the thread is not blocked in that interval */
int tm__blocked_part_at(const tm__findings *findings, const tm__thread *thread,
                        uint32_t index, tm__blocked_part *it);

/** "asleep", "waiting" and so on. */
const char *tm__blocked_words(uint32_t state);

#endif
