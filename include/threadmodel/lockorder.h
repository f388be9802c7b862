/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/lockorder.h: in which order locks are taken, and where orders clash.
 *
 * Each time that a thread wants a lock while it holds another is an edge, held ->
 * wanted: of blocks, and of acquisitions that a producer states (TM_EVENT_NESTED).
 * Edges that form a cycle can deadlock, even if they did not in this run. The list has
 * the orders that were observed; others may exist.
 *
 * A held lock is `exact` where the producer states it, `reported` where the VM was
 * asked during the block, and `inferred` where the thread was seen to acquire it and
 * its stack shows that it still holds it. Without a stack there is no edge; a caveat
 * counts such blocks.
 */
#ifndef THREADMODEL_LOCKORDER_H
#define THREADMODEL_LOCKORDER_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the cycles, smallest first: a row an edge, in the order in which they close.
 *
 * Cycles that cannot deadlock are left out: one thread has all edges; two edges hold a
 * gate lock in common; one edge ended before the thread of the other was started, or
 * after that thread was joined; at one lock both threads are readers. So are cycles
 * with a held lock that is inferred, where the place of its acquisition is not known.
 *
 * Columns (table `lock_order`): cycle int32 (0, 1, ...), position int32, level string
 * (object, class; object: the same locks; class: locks of the same classes, but not the
 * same ones, which is weaker evidence), suspected bool (a lock held is inferred, only
 * classes are known, or one edge was over in this run when a notify, unpark or post let
 * the thread of another go on), held_class string, wanted_class string, held_object
 * string and wanted_object string (null: only classes are known), thread_id uint64,
 * thread string, method string (where it wanted the other lock), source string, line
 * int32, held_method string (where it acquired the held lock), held_source string,
 * held_line int32, time_ns int64 (of the first such block or acquisition), count int64
 * (of such blocks, and of acquisitions that were reported), stack int32 (where it
 * wanted the other lock), held_stack int32 (where it acquired the held lock),
 * provenance string (enum tm_provenance; that the lock was held).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_lock_order_list(tm_table **out, const tm_model *model);

/**
 * List all edges, the most frequent first, whether they are part of a cycle or not.
 *
 * Columns (table `lock_edges`): held_class string, wanted_class string, held_object
 * string and wanted_object string (null: only classes are known), thread_id uint64,
 * thread string, method string (where it wanted the other lock), source string, line
 * int32, held_method string (where it acquired the held lock), held_source string,
 * held_line int32, time_ns int64 (of the first such block or acquisition), count int64
 * (of such blocks, and of acquisitions that were reported), stack int32 (where it
 * wanted the other lock), held_stack int32 (where it acquired the held lock),
 * provenance string (enum tm_provenance; that the lock was held).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_lock_edge_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
