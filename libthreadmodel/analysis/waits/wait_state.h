/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of waits at an instant. */
#ifndef TM_ANALYSIS_WAITS_WAIT_STATE_H
#define TM_ANALYSIS_WAITS_WAIT_STATE_H

#include <threadmodel/verdict.h>

#include "base/memory.h"
#include "base/triple_map.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/** The state of a thread at the instant. */
enum tm__node_kind {
    TM__NODE_ABSENT,  ///< has not begun, or has ended
    TM__NODE_RUNTIME, ///< belongs to the VM or the recorder: does no work of the
                      ///< program
    TM__NODE_MOVES,   ///< can go on without any other thread
    TM__NODE_IDLE,    ///< a worker that waits for work
    TM__NODE_WAITS    ///< waits without a timeout
};

/** Why a thread can go on by itself. */
enum tm__move {
    TM__MOVE_NONE,
    TM__MOVE_RUNS,
    TM__MOVE_STARTS,
    TM__MOVE_SLEEPS,
    TM__MOVE_TIMED, ///< a wait with a timeout
    TM__MOVE_INPUT, ///< waits for input
    TM__MOVE_WOKEN, ///< the event that it waited for has happened
    TM__MOVE_UNSEEN ///< what it does was not recorded
};

/** The kind of waits by which the servers of a node were found. */
enum tm__likeness {
    TM__LIKE_NONE,
    TM__LIKE_OBJECT, ///< of the same object
    TM__LIKE_PLACE   ///< of the same class, by the same calling method
};

/** The condition that a wait lacks, as the runtime states it. */
enum tm__want {
    TM__WANT_UNKNOWN,
    TM__WANT_LOCK,
    TM__WANT_RECEIVER,
    TM__WANT_ANYTHING,         ///< a value, a signal or the ends of others
    TM__WANT_ANYTHING_OR_TIME, ///< the same, or perhaps a timer
    TM__WANT_INPUT,
    TM__WANT_NOTHING ///< no thread can end the wait
};

typedef struct tm__wait_node {
    int64_t since_ns;  ///< of its blocking interval; INT64_MIN: not known
    uint32_t interval; ///< intervals[] with which that began; TM__NONE
    uint32_t object;   ///< objects[] that it waits for, or TM__NONE
    uint32_t stack;    ///< stacks[] or TM__NONE
    uint32_t on;       ///< threads[] that alone can end the wait, or TM__NONE
    uint32_t server;   ///< head of a list in servers[]; TM__NONE: alternatives unknown
    uint8_t kind;      ///< enum tm__node_kind
    uint8_t move;      ///< enum tm__move
    uint8_t edge;      ///< enum tm_wait_edge
    uint8_t likeness;  ///< enum tm__likeness
    uint8_t want;      ///< enum tm__want
    uint8_t provenance;
    uint8_t is_member;      ///< of the set that standstill.c found
    uint8_t is_lost;        ///< events were lost since
    uint8_t is_signal_lost; ///< its object was signalled before, when nobody waited
    uint8_t is_meeting;     ///< at a barrier or phaser
    uint8_t is_giving;      ///< until another takes what it gives
    uint8_t is_polling;     ///< it waits with a timeout, again and again
    uint8_t is_own_request; ///< it waits for an answer of this program
    uint8_t keeps_others;   ///< nobody started it, or what it started has not ended;
                            ///< found where a wait wants nothing
} tm__wait_node;

/** A thread that ended waits of a place. */
typedef struct tm__wait_server {
    uint32_t thread;
    uint32_t next;   ///< servers[] or TM__NONE
    int64_t last_ns; ///< when it did so last
    uint32_t count;
    uint32_t useless; ///< of these, when nobody waited
} tm__wait_server;

typedef struct tm__wait_graph {
    const tm_model *model;
    tm__memory *memory;
    uint32_t *callers;      ///< frames[] of each stack
    int64_t at_ns;          ///< the instant
    int64_t last_ns;        ///< the last one that could have been chosen
    int64_t moved_ns;       ///< the last time at which any thread changed what it does
    int64_t alive_moved_ns; ///< the same of threads that have not ended
    tm__wait_node *nodes;
    uint32_t counts[TM__NODE_WAITS + 1];
    int64_t busy_since_ns; ///< the least since_ns of nodes that move
    /** No node that moves has had a permit since before, for a wait that began from the
     * first of these on and before the second. */
    int64_t no_permit_from_ns, no_permit_until_ns;
    uint32_t last_runner; ///< threads[] that runs when nobody else can go on
    int may_have_timer;   ///< a node waits that perhaps a timer ends
    int has_polls;        ///< a node is polling
    uint32_t carriers_idle;
    uint32_t carriers_busy; ///< that carry, or are doing something else
    tm__triple_map places;  ///< (object or class, place, likeness): head + 1
    tm__triple_map members; ///< (head, thread, 0): servers[] + 1
    TM__ARRAY(tm__wait_server, servers);
    TM__ARRAY(uint32_t, heads); ///< servers[] or TM__NONE, of each place
} tm__wait_graph;

/** The state of the whole program at the instant. */
enum tm__standstill_kind {
    TM__STANDSTILL_NONE,
    TM__STANDSTILL_WHOLE,  ///< no thread of the program can go on
    TM__STANDSTILL_PART,   ///< some cannot, as far as was recorded
    TM__STANDSTILL_STARVED ///< some wait for a worker or carrier that they occupy
};

typedef struct tm__standstill {
    uint8_t kind;      ///< enum tm__standstill_kind
    uint8_t suspected; ///< it rests on inference
    uint32_t members;
    uint32_t first;   ///< threads[]: the member that waits longest
    int64_t since_ns; ///< INT64_MIN: not known
} tm__standstill;

/** @return strings of the method that calls for a wait, or TM__NONE */
uint32_t tm__wait_place(const tm__wait_graph *graph, uint32_t stack);

/** The thread that ended such a wait last, as servers[]; the waiting thread itself if
 * no other did; TM__NONE: none is known.
 * @param[out] count  threads that did, without the waiting one unless it alone did */
uint32_t tm__wait_last_server(const tm__wait_graph *graph, uint32_t thread,
                              uint32_t *count);
/** Whether other threads ended such waits before, and all of these have ended. */
int tm__wait_servers_have_ended(const tm__wait_graph *graph, uint32_t thread);
/** Whether a thread that waits for itself does so for its own end, and not for a lock.
 */
int tm__wait_is_own_end(const tm__wait_graph *graph, uint32_t thread);

/** Whether a stack has a method whose full name begins with a text. */
int tm__stack_has(const tm_model *model, uint32_t stack, const char *prefix);
/** Whether a stack has a method of a role, an enum tm__role. */
int tm__stack_has_role(const tm_model *model, uint32_t stack, uint16_t role);
/** Whether a stack has a method whose full name contains a text. */
int tm__stack_mentions(const tm_model *model, uint32_t stack, const char *part);

#endif
