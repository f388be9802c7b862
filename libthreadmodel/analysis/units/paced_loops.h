/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose rounds begin when a sleep is over, and the times in which other threads
 * wait for what such a thread does next. */
#ifndef TM_ANALYSIS_UNITS_PACED_LOOPS_H
#define TM_ANALYSIS_UNITS_PACED_LOOPS_H

#include "base/triple_map.h"
#include "model/state/model.h"

/** What a thread does from the end of one sleep to the end of the next. */
typedef struct tm__paced_round {
    int64_t began_ns;
    int64_t slept_ns; ///< when its sleep ended
} tm__paced_round;

/** A thread that sleeps in a method again and again, and waits for no work between. */
typedef struct tm__paced_loop {
    uint32_t thread; ///< threads[]
    uint32_t method; ///< methods[] that called the sleep
    uint32_t rounds;
    int is_timed; ///< it goes on until a given time, however many rounds these are
    tm__paced_round last;
} tm__paced_loop;

/** A stretch of time in which another thread waits for a thread. */
typedef struct tm__awaited {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
} tm__awaited;

typedef struct tm__paced_loops {
    const tm_model *model;
    tm__memory *memory;
    const uint32_t *callers; ///< frames[] of each stack
    tm__triple_map by_place; ///< (thread, method, 0): loops[] + 1
    TM__ARRAY(tm__paced_loop, loops);
    int64_t *until_ns; ///< of each thread: until when waits for it are noted
    TM__ARRAY(tm__awaited, awaited); ///< by thread and time; no two overlap
} tm__paced_loops;

/**
 * Find them all.
 * @param callers  as tm__stack_callers() gives them; lent until close
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__paced_loops_open(tm__paced_loops *paced, const tm_model *model,
                         tm__memory *memory, const uint32_t *callers);

/** The loop that a thread's interval is a sleep of, or NULL. */
const tm__paced_loop *tm__paced_loop_at(const tm__paced_loops *paced, uint32_t thread,
                                        uint32_t interval);

/**
 * The part of a sleep that paces its thread and keeps nobody waiting.
 * @param interval  of the thread
 * @return 0 where it is not a sleep of such a loop
 */
int64_t tm__paced_ns(const tm__paced_loops *paced, uint32_t thread, uint32_t interval,
                     int64_t from_ns, int64_t to_ns);

void tm__paced_loops_close(tm__paced_loops *paced);

#endif
