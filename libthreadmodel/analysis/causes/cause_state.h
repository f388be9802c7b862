/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of causes; see threadmodel/causes.h.
 *
 * A node whose threads act has windows: stretches of a thread's time, each as often as
 * so many waits end up in it. They are swept thread by thread, so that a thousand waits
 * for one owner read its timeline once. The windows of a node tile its time, and what
 * its threads did in them tiles the windows: the children add up to the node by
 * construction.
 */
#ifndef TM_ANALYSIS_CAUSES_CAUSE_STATE_H
#define TM_ANALYSIS_CAUSES_CAUSE_STATE_H

#include <threadmodel/causes.h>

#include "analysis/listing/listing.h"
#include "base/sort.h"
#include "base/triple_map.h"
#include "model/state/model.h"

enum tm__cause {
    TM__CAUSE_UNITS,
    TM__CAUSE_THREADS,
    TM__CAUSE_KIND,
    TM__CAUSE_LOCK,
    TM__CAUSE_WAIT,
    TM__CAUSE_JOIN,
    TM__CAUSE_OWNER,
    TM__CAUSE_USER,
    TM__CAUSE_WAKER,
    TM__CAUSE_JOINED,
    TM__CAUSE_PROCESSOR,
    TM__CAUSE_NO_PROCESSOR,
    TM__CAUSE_ASLEEP,
    TM__CAUSE_IO,
    TM__CAUSE_NATIVE,
    TM__CAUSE_COLLECTOR,
    TM__CAUSE_IDLE,
    TM__CAUSE_HANDOVER,
    TM__CAUSE_TIMEOUT,
    TM__CAUSE_DEADLOCK,
    TM__CAUSE_UNKNOWN,
    TM__CAUSE_NOT_RECORDED,
    TM__CAUSE_ELSEWHERE,
    TM__CAUSE_NOT_FOLLOWED,
    TM__CAUSE_OTHER,
    TM__CAUSE_END
};

/** A stretch of a thread's time that a node has. */
typedef struct tm__cause_window {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t thread; ///< threads[]
    uint32_t weight; ///< so often it counts
    uint32_t begins; ///< so many of these begin here, and do not go on from before
} tm__cause_window;

/** Nodes of one parent that agree in these are one. */
typedef struct tm__cause_label {
    uint32_t cause; ///< enum tm__cause
    uint32_t what;  ///< strings: class of a lock, name of an endpoint, kind; TM__NONE
    uint32_t where; ///< strings: a method; TM__NONE
} tm__cause_label;

typedef struct tm__cause_node {
    tm__cause_label label;
    uint32_t parent; ///< nodes[]; TM__NONE: the root
    uint32_t depth;
    uint32_t thread;    ///< threads[]: one of them; TM__NONE
    uint32_t object;    ///< objects[]: one of them; TM__NONE
    uint32_t other;     ///< nodes[] that has what is too much of its children; TM__NONE
    uint8_t provenance; ///< enum tm_provenance; TM_PROVENANCE_END: of nothing that is
                        ///< inferred or reported
    int64_t total_ns;
    int64_t count;
    TM__ARRAY(tm__cause_window, windows);
} tm__cause_node;

/** The thread that acted during a part of a wait. */
typedef struct tm__cause_piece {
    int64_t from_ns;
    int64_t to_ns;
    uint32_t thread; ///< whose wait
    uint32_t actor;  ///< threads[] or TM__NONE
    uint32_t stack;  ///< where the actor got what was waited for; TM__NONE
    uint8_t cause;   ///< enum tm__cause: OWNER, USER, HANDOVER, UNKNOWN
    uint8_t provenance;
} tm__cause_piece;

/** The pieces of all waits of a kind. */
typedef struct tm__cause_pieces {
    TM__ARRAY(tm__cause_piece, items);
    tm__sortable *order; ///< items[] by thread, then time
    uint32_t *first_of;  ///< of each thread: order[]; one more than threads
} tm__cause_pieces;

/** The delays that a question is about, as often as they count for the roots. */
typedef struct tm__cause_watch {
    /** The part of a sleep, or of I/O, that counts: of a thread, one of its intervals.
     */
    double (*share_of)(const void *context, uint32_t thread, uint32_t interval);
    const void *context;
    double total_ns;
} tm__cause_watch;

/** CPU samples of a thread, pauses of all threads. */
typedef struct tm__cause_facts {
    tm__sortable *samples; ///< contexts[] by thread, then time
    uint32_t samples_count;
    uint32_t *first_of;                  ///< of each thread: samples[]
    TM__ARRAY(tm__cause_window, pauses); ///< by rising time, apart from one another
} tm__cause_facts;

typedef struct tm__causes {
    const tm_model *model;
    const tm__scope *scope;
    tm__memory *memory;
    const uint32_t *callers; ///< frames[] of each stack
    uint32_t depth;          ///< of a node at most
    uint64_t steps;          ///< parts of intervals that were looked at
    int is_gathered;         ///< the pieces are there
    tm__cause_pieces owners; ///< of locks
    tm__cause_pieces users;  ///< of what nobody owns
    tm__cause_facts facts;
    tm__cause_watch *watch; ///< NULL: nothing is watched
    tm__triple_map labels;  ///< (cause, what, where): number of the label
    tm__triple_map by_key;  ///< (parent, label, 0): nodes[] + 1
    TM__ARRAY(tm__cause_node, nodes);
    TM__ARRAY(uint32_t, pending); ///< nodes[] whose windows are to be swept
} tm__causes;

/** A part of an interval of a thread. */
typedef struct tm__cause_part {
    uint32_t thread;
    uint32_t interval;
    uint32_t weight;
    uint32_t begins; ///< so many begin here
    int64_t from_ns;
    int64_t to_ns;
} tm__cause_part;

/* ---- nodes ---- */

enum { TM__CAUSE_NODES_MAX = 1 << 16 };

/* ---- who acts, and what they do ---- */

/* ---- roots and rows ---- */

enum { TM__CAUSE_TEXT_BYTES = 600 };

#endif
