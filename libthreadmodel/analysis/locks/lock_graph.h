/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, and the edges between them: held while another was wanted. */
#ifndef TM_ANALYSIS_LOCKS_LOCK_GRAPH_H
#define TM_ANALYSIS_LOCKS_LOCK_GRAPH_H

#include "base/triple_map.h"
#include "model/ownership/lock_nesting.h"
#include "model/state/model.h"

/** As many locks in a ring; longer cycles are not looked for. */
enum { TM__CYCLE_EDGES = 16, TM__CYCLES_MAX = 256 };

/** One lock that was held in one nesting. */
typedef struct tm__use {
    uint32_t nesting; ///< nestings[]
    uint32_t held;    ///< helds[]
    uint32_t from;    ///< nodes[]
    uint32_t to;      ///< nodes[]
} tm__use;

/** Uses of the same two nodes. */
typedef struct tm__edge {
    uint32_t from;
    uint32_t to;
    uint32_t use_first; ///< uses[]
    uint32_t use_count;
} tm__edge;

typedef struct tm__cycle {
    uint32_t length;
    uint32_t uses[TM__CYCLE_EDGES]; ///< uses[]: one for each edge, that go together
    int by_class;
    int is_suspected; ///< in this run one edge was over when another was woken to
                      ///< begin, or a lock may have become another by then
} tm__cycle;

typedef struct tm__lock_graph {
    const tm_model *model;
    tm__memory *memory;
    int by_class;         ///< nodes are class names, not objects
    uint64_t unproven;    ///< blocks, open ones as well, that may have been an edge
    tm__triple_map nodes; ///< (object or class name, 0, 0): node + 1
    uint32_t node_count;
    uint32_t *edge_first;             ///< edges[] of each node, node_count + 1 of them
    TM__ARRAY(tm__nesting, nestings); ///< the model's, and blocks that go on
    TM__ARRAY(tm__held, helds);
    TM__ARRAY(tm__use, uses); ///< by from, to, the best evidence first
    TM__ARRAY(tm__edge, edges);
} tm__lock_graph;

/**
 * Gather the edges of a model.
 * @param graph     to be freed, whatever is returned
 * @param by_class  join objects of one class
 * @return TM_OK or TM_ENOMEM
 */
int tm__lock_graph_open(tm__lock_graph *graph, const tm_model *model,
                        tm__memory *memory, int by_class);

/** @return objects[] of a use's ends, TM__NONE where only the class is known */
uint32_t tm__use_held_object(const tm__lock_graph *graph, const tm__use *use);
uint32_t tm__use_wanted_object(const tm__lock_graph *graph, const tm__use *use);
/** @return class names as strings, or TM__NONE */
uint32_t tm__use_held_class(const tm__lock_graph *graph, const tm__use *use);
uint32_t tm__use_wanted_class(const tm__lock_graph *graph, const tm__use *use);

void tm__lock_graph_close(tm__lock_graph *graph);

/** The activity of one thread until from_ns is over when the other goes on at to_ns. */
typedef struct tm__lineage_edge {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t from; ///< threads[]
    uint32_t to;
} tm__lineage_edge;

/** The activities of threads that are over before others begin: always, by start and
 * join, or in this run, by wake-ups as well. */
typedef struct tm__lineage {
    const tm_model *model;
    tm__memory *memory;
    TM__ARRAY(tm__lineage_edge, edges);   ///< by from_ns: starts and joins
    TM__ARRAY(tm__lineage_edge, wakings); ///< by from_ns: these, and wake-ups
    int64_t *reached_ns;                  ///< of each thread, for one asked edge
} tm__lineage;

#endif
