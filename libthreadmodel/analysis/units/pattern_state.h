/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of threads, and the places where they are blocked. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_STATE_H
#define TM_ANALYSIS_UNITS_PATTERN_STATE_H

#include "analysis/units/unit_state.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/** A blocking interval, with what continues it. */
typedef struct tm__unit_block {
    int64_t start_ns;
    int64_t end_ns; ///< the last event's time where it is open
    uint32_t stack; ///< stacks[] or TM__NONE
    uint32_t first; ///< intervals[] of its thread
    uint32_t after; ///< the one after it
    uint8_t state;
    uint8_t is_open;
    uint8_t is_expired; ///< its time was up, or it was interrupted
    uint8_t is_sampled; ///< the stack is that of another block like it
    uint8_t is_next;    ///< for what its client sends next
} tm__unit_block;

enum tm__separator {
    TM__SEPARATOR_NONE,
    TM__SEPARATOR_IDLE,    ///< waits for work
    TM__SEPARATOR_BETWEEN, ///< blocked as it fetches work
};

enum tm__work {
    TM__WORK_UNKNOWN,
    TM__WORK_TASKS, ///< between idle waits
    TM__WORK_LOOPS, ///< from one wait at the anchor to the next
    TM__WORK_LIVES, ///< each thread is a unit
};

enum { TM__ROUNDS_COUNTED = 16 };

/** A stack at which threads of a group are blocked, in one state. */
typedef struct tm__unit_place {
    uint32_t group;
    uint32_t stack;
    uint32_t next;      ///< places[] of the same group, or TM__NONE
    uint32_t kind_name; ///< strings: of the units in which it occurs, or TM__NONE
    uint32_t task;      ///< tasks[] in which it occurs, or TM__NONE
    uint32_t count;
    uint8_t state;
    uint8_t is_conditional; ///< a lock, which is waited for only if it is taken
    uint8_t is_named;       ///< kind_name was looked for
    uint8_t is_of_pool;     ///< the pool's own code is there, and no task
    uint8_t is_of_library;  ///< no method of the program is there
    int64_t total_ns;
    uint32_t gaps;                        ///< between idle waits in which it occurs
    uint32_t firsts;                      ///< of these, where it is the first block
    uint32_t lasts;                       ///< and where it is the last one
    uint32_t seen;                        ///< rounds in the gap that is counted
    uint32_t gaps_of[TM__ROUNDS_COUNTED]; ///< gaps of so many rounds; 0: of more
    uint64_t rounds;                      ///< in all of them
} tm__unit_place;

typedef struct tm__unit_group {
    uint32_t thread; ///< threads[]: one of them
    uint32_t threads;
    uint32_t ended; ///< of these, those that were seen to begin and to end
    uint32_t idles;
    uint32_t idle_stack; ///< stacks[] or TM__NONE
    uint32_t places;     ///< head of the list
    uint32_t kinds;      ///< tasks[] of it that are kinds of the program
    uint64_t runs;       ///< of all its tasks, as theirs
    uint64_t starts;
    uint64_t ends;
    uint32_t anchor;       ///< places[] or TM__NONE
    uint32_t busy_gaps;    ///< between idle waits, with a block
    int64_t busy_ns;       ///< how long these are
    int64_t life_ns;       ///< of those that ended
    uint8_t work;          ///< enum tm__work
    uint8_t is_dispatched; ///< an event loop calls what it does
} tm__unit_group;

/** A kind of task of a group: of one endpoint of a server. A group without several
 * kinds has one, for all that its threads do. */
typedef struct tm__unit_task {
    uint32_t group;
    uint32_t anchor;      ///< places[] or TM__NONE
    uint32_t each;        ///< so many times in one unit is the anchor; 0: not known
    uint32_t stretches;   ///< of one task, or of several that are to be divided
    uint64_t runs;        ///< blocks of it side by side, between idle waits
    uint64_t starts;      ///< of these, first ones
    uint64_t ends;        ///< and last ones
    uint8_t ends_tasks;   ///< the anchor is rather last than first
    uint8_t is_seen;      ///< in the stretch that is counted
    uint8_t is_beginning; ///< a task of it may follow one of another kind
    uint8_t is_end;       ///< and one of another kind may follow it
} tm__unit_task;

typedef struct tm__patterns {
    tm__units *units;
    uint32_t *group_of;  ///< groups[] of each thread; TM__NONE: not asked about
    uint8_t *separators; ///< enum tm__separator of each stack
    uint8_t *is_stated;  ///< of each thread: its producer states units on it
    tm__triple_map by_name;
    tm__triple_map by_place; ///< (group, node, state): places[] + 1
    tm__triple_map nodes;    ///< (node within, name, line): a node
    uint32_t *nodes_of;      ///< of each stack; 0: not looked for
    TM__ARRAY(tm__unit_group, groups);
    TM__ARRAY(tm__unit_place, places);
    TM__ARRAY(tm__unit_task, tasks);
    tm__triple_map by_kind; ///< (group, kind's name or TM__NONE): tasks[] + 1
} tm__patterns;

#endif
