/* SPDX-License-Identifier: Apache-2.0 */
/* The loops whose rounds begin when a sleep is over. */
#ifndef TM_ANALYSIS_UNITS_PACED_STATE_H
#define TM_ANALYSIS_UNITS_PACED_STATE_H

#include "base/triple_map.h"
#include "model/state/model.h"

/** Fewer rounds are not a loop. */
enum { TM__PACED_ROUNDS = 20 };

/** What a thread does from the end of one sleep to the end of the next. */
typedef struct tm__paced_round {
    int64_t began_ns;
    int64_t slept_ns; ///< when its sleep ended
} tm__paced_round;

/** A thread that sleeps in a method again and again, and never waits for work. */
typedef struct tm__paced_loop {
    uint32_t thread; ///< threads[]
    uint32_t method; ///< methods[] that called the sleep
    uint32_t rounds;
    int is_timed;  ///< it goes on until a given time, however many rounds these are
    int is_joined; ///< another waits for its end, or for one that sleeps in the method
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
    TM__ARRAY(tm__awaited, awaited); ///< by thread and time; no two overlap
} tm__paced_loops;

#endif
