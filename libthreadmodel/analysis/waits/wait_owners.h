/* SPDX-License-Identifier: Apache-2.0 */
/* The owners that threads wait for at locks. */
#ifndef TM_ANALYSIS_WAITS_WAIT_OWNERS_H
#define TM_ANALYSIS_WAITS_WAIT_OWNERS_H

#include "analysis/waits/wait_state.h"

/* Where the release of a lock is not reported, the next owner may be on its way for as
 * long as this on a busy machine. */
enum { TM__WAKE_UP_NS = 100000000 };

/** A node's thread can go on. @param move  enum tm__move */
void tm__node_moves(tm__wait_node *node, int move);
/**
 * A node's thread waits for another.
 * @param edge  enum tm_wait_edge
 * @param on  threads[] or TM__NONE
 * @param provenance  of that, enum tm_provenance
 */
void tm__node_waits(tm__wait_node *node, int edge, uint32_t on, int provenance);
/** Whether a thread has ended by the instant. */
int tm__wait_has_ended(const tm__wait_graph *graph, uint32_t thread);
/**
 * Whether nobody owns the lock that a node waits for, nor will: several dumps list what
 * each thread owns. While a lock is being handed over this holds for a moment.
 */
int tm__wait_has_lost_owner(const tm__wait_graph *graph, const tm__wait_node *node);
/** Whether a thread waits for a lock that no thread acquired, though all acquisitions
 * are recorded. */
int tm__wait_was_locked_before(const tm__wait_graph *graph, uint32_t thread);
/** Describe the wait for a lock. @param index  of the thread's interval at the instant
 */
void tm__node_wait_for_owner(tm__wait_graph *graph, uint32_t thread,
                             tm__wait_node *node, uint32_t index);
/**
 * Correct the owners of locks once all nodes are described: a thread that waits for a
 * lock does not own it, and where an owner has ended with the lock, all of its waiters
 * wait for that one.
 */
void tm__wait_correct_owners(tm__wait_graph *graph);

#endif
