/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict that is being reached. */
#ifndef TM_ANALYSIS_VERDICT_JUDGE_STATE_H
#define TM_ANALYSIS_VERDICT_JUDGE_STATE_H

#include <threadmodel/verdict.h>

#include "analysis/listing/selection.h"
#include "analysis/waits/unended.h"
#include "analysis/waits/wait_text.h"
#include "model/ownership/reads_in_turn.h"

/** How the program's threads spent their lives, in ns of all threads together. */
typedef struct tm__time_spent {
    int64_t lived_ns;
    int64_t ran_ns;    ///< and what was not recorded
    int64_t wanted_ns; ///< could run, and had no processor
    int64_t queued_ns; ///< for locks
    int64_t io_ns;     ///< waited for I/O
    int64_t native_ns; ///< off the processor, and it is not known what for
    int64_t waited_ns; ///< otherwise
    int64_t slept_ns;
    int64_t idle_ns; ///< waited for work
} tm__time_spent;

/** The bound of the run: a lock, or the processors. */
typedef struct tm__bound {
    uint32_t object; ///< objects[] or TM__NONE: no lock does
    uint32_t stack;  ///< of the longest wait for it
    uint32_t users;  ///< threads that queued for it, or wanted a processor
    int64_t queued_ns;
    int64_t users_ns; ///< in which they were not idle
    tm__reads reads;  ///< by readers that keep its users out
} tm__bound;

typedef struct tm__judgement {
    const tm_model *model;
    tm__memory memory;
    tm__scope scope; ///< the part of the run that is judged
    int is_part;
    tm__wait_graph graph;
    tm__standstill found;
    tm__time_spent spent;
    tm__bound bound;      ///< of a verdict that no thread is stuck
    tm_table *unit_parts; ///< its first row bounds the units of work; NULL: none does
    uint32_t endpoint;    ///< objects[] that most of the I/O there is with, or TM__NONE
    uint32_t endpoints;   ///< with how many it is; 1: the rest is next to nothing
    tm__unended unended;
    const tm__unended_group
        *most_unended; ///< the one that bounds the run; NULL: none does
    uint32_t in_tasks; ///< threads that are in a task, for such a bound
    tm__labels labels;
    uint32_t *order; ///< threads[] of the members, as they wait for one another
    uint32_t count;
    tm__wait_case members; ///< the same, for texts
    int verdict;           ///< enum tm_verdict
    int suspected;
    uint32_t owed;    ///< threads that wait for a lock or permit, nobody knows whose,
                      ///< or whose owner waits as well
    uint32_t circles; ///< of deadlocked threads
    int64_t since_ns; ///< INT64_MIN: not known
} tm__judgement;

/** Whether a thread waits for work in an interval. */
int tm__is_waiting_for_work(const tm__judgement *it, const tm__interval *interval);

/** How long an interval lasts in the part that is judged, up to the verdict's instant.
 */
int64_t tm__judged_ns(const tm__judgement *it, const tm__thread *thread, uint32_t i);

/** How long the part that is judged is, up to the verdict's instant. */
int64_t tm__judged_span_ns(const tm__judgement *it);

/** Whether a thread is queued for a lock in an interval. */
int tm__is_queueing(const tm__judgement *it, const tm__interval *interval);

#endif
