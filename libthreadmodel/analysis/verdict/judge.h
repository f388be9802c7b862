/* SPDX-License-Identifier: Apache-2.0 */
/* One verdict with what it rests on, and the words for it. */
#ifndef TM_ANALYSIS_VERDICT_JUDGE_H
#define TM_ANALYSIS_VERDICT_JUDGE_H

#include <threadmodel/verdict.h>

#include "analysis/waits/wait_text.h"

/** How the program's threads spent their lives, in ns of all threads together. */
typedef struct tm__time_spent {
    int64_t lived_ns;
    int64_t ran_ns;    ///< and what was not recorded
    int64_t queued_ns; ///< for locks
    int64_t io_ns;     ///< waited for I/O
    int64_t waited_ns; ///< otherwise
    int64_t slept_ns;
    int64_t idle_ns; ///< waited for work
} tm__time_spent;

/** The lock that bounds the run. */
typedef struct tm__bound {
    uint32_t object; ///< objects[] or TM__NONE: no lock does
    uint32_t stack;  ///< of the longest wait for it
    uint32_t users;  ///< threads that queued for it
    int64_t queued_ns;
    int64_t users_ns; ///< in which they were not idle
} tm__bound;

typedef struct tm__judgement {
    const tm_model *model;
    tm__memory memory;
    tm__wait_graph graph;
    tm__standstill found;
    tm__time_spent spent;
    tm__bound bound;      ///< of a verdict that no thread is stuck
    tm_table *unit_parts; ///< its first row bounds the units of work; NULL: none does
    uint32_t endpoint;    ///< objects[] of most of the I/O there, or TM__NONE
    tm__labels labels;
    uint32_t *order; ///< threads[] of the members, as they wait for one another
    uint32_t count;
    tm__wait_case members; ///< the same, for texts
    int verdict;           ///< enum tm_verdict
    int suspected;
    uint32_t circles; ///< of deadlocked threads
    int64_t since_ns; ///< INT64_MIN: not known
} tm__judgement;

/** @return TM_OK or TM_ENOMEM, and then nothing is to be closed */
int tm__judgement_open(tm__judgement *it, const tm_model *model);
void tm__judgement_close(tm__judgement *it);

/** Whether a thread waits for work in an interval. */
int tm__is_waiting_for_work(const tm__judgement *it, const tm__interval *interval);
/** Whether a thread is queued for a lock in an interval. */
int tm__is_queueing(const tm__judgement *it, const tm__interval *interval);
/** bound.c: find the lock that bounds the run. @return TM_OK or TM_ENOMEM */
int tm__find_bound(tm__judgement *it);

/** bound_units.c: find the place that bounds requests. @return TM_OK or TM_ENOMEM */
int tm__find_bound_of_units(tm__judgement *it);
/** What bounds the run, and what to try, where that is units. */
void tm__write_bound_of_units(tm__words *words, const tm__judgement *it);
void tm__write_advice_of_units(tm__words *words, const tm_table *parts);

/** The columns `title`, `text`, `examined` and `remedy`, which may be left empty. */
void tm__write_title(tm__words *words, tm__judgement *it);
void tm__write_text(tm__words *words, tm__judgement *it);
void tm__write_examined(tm__words *words, const tm__judgement *it);
void tm__write_remedy(tm__words *words, const tm__judgement *it);

#endif
