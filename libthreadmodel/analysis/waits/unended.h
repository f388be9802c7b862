/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that had begun to wait within their tasks at the instant, all at one place,
 * and for far longer than such a wait has ever taken:
 *
 *     exec-1 .. 4   idle ·[ wwwwwwwwwwwwwwwwwwwww      a pool is used up: each has a
 *                                                    connection and wants one more
 *
 * With a time limit none of them is stuck: it gives up in the end. Nor is it known
 * whether another program answers. Waits without a limit are the graph's own.
 */
#ifndef TM_ANALYSIS_WAITS_UNENDED_H
#define TM_ANALYSIS_WAITS_UNENDED_H

#include "analysis/waits/wait_state.h"

/** Workers that wait at one place for one thing. */
typedef struct tm__unended_group {
    uint32_t method;     ///< strings: the caller of the wait
    uint32_t class_name; ///< strings: of the object waited for, or TM__NONE
    uint32_t object;     ///< objects[]: the endpoint of I/O; TM__NONE: no I/O, but a
                         ///< wait with a time limit
    uint32_t thread;     ///< threads[]: the one that waits longest
    uint32_t stack;      ///< its own
    uint32_t threads;
    int64_t since_ns;   ///< when the last of them began
    int64_t longest_ns; ///< of these, and the sum of all, in the part that is asked for
    int64_t total_ns;
    int64_t usual_ns; ///< the longest of the earlier ones there that ended
    uint64_t ended;   ///< so many of these
} tm__unended_group;

typedef struct tm__unended {
    tm__memory *memory;
    const tm__wait_graph *graph; ///< while they are being found
    int64_t from_ns;             ///< the begin of the part that is asked for
    tm__triple_map map;          ///< (method, class name, object + 1): groups[] + 1
    TM__ARRAY(tm__unended_group, groups);
} tm__unended;

/**
 * Find them: members of a standstill are left out.
 * @param graph    its memory is lent until close
 * @param from_ns  lengths are cut there
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__unended_find(tm__unended *it, const tm__wait_graph *graph, int64_t from_ns);
void tm__unended_close(tm__unended *it);

/** Whether so many wait there for longer than usual that this does not happen by
 * chance. */
int tm__unended_counts(const tm__unended_group *group);

#endif
