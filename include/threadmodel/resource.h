/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/resource.h: waits for what no thread owns, and who uses it meanwhile. */
#ifndef THREADMODEL_RESOURCE_H
#define THREADMODEL_RESOURCE_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the resources that threads waited for: semaphores, latches, queues, conditions,
 * pools. Nobody owns one. Threads wait at one place, and are released at another:
 *
 *     waiter    ──wwwwwwwww──────use──────────release──
 *     another   ─────────release
 *
 * Waits are Object.wait, await, and parks on an object without a known owner. A row is
 * a class, a waiting place and a releasing place, the longest wait_total_ns first. A
 * woken thread that merely wakes the next one has released nothing: its own waker has.
 *
 * A use begins when a thread stops waiting, and ends when the same thread releases at
 * the row's releasing place, for the same object or for one that was waited for once
 * only. An unpark is reported only if a thread waits, so a use that ends by one counts
 * only if some thread waited from its begin to its end. One unpark may stand for
 * several releases at the same instant: then a use is not seen, or is as long as two.
 *
 * Columns (table `resources`): class string (of what was waited for), waiting_method
 * string, releasing_method string (null: not known, timed out, interrupted, or still
 * waiting), objects int32 (distinct), threads int32 (that waited), waits int32 (how
 * many), wait_total_ns int64 (all of them), wait_max_ns int64 (the longest), permits
 * int32 (most uses of one object at once, so it has that many at least; null: no uses),
 * uses int32 (how many were seen), use_p50_ns int64 (the median; null: no uses),
 * use_max_ns int64 (the longest; null: no uses), use_total_ns int64 (all of them),
 * use_method string (where uses spent most of the time in which they did not run; null:
 * no uses, or not known), use_method_ns int64 (for how long; null: no uses), releasers
 * int32 (threads), releaser_id uint64, releaser string (who ended most of the time
 * waited), idle bool, provenance string (enum tm_provenance; the weakest, of who
 * released).
 *
 * Waits that a memory limit has evicted into sums are not in it.
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; waits by the threads, for the classes, that begin in
 *                    the window, uncut
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_resource_list(tm_table **out, const tm_model *model,
                            const tm_selection *selection);

/**
 * List the uses, by rising start.
 *
 * Columns (table `resource_uses`): class string (of what was waited for),
 * waiting_method string (where the thread waited before), releasing_method string,
 * object string (name of one object, or its class and number; null: not known, or a
 * chain of objects stands for one permit), thread_id uint64, thread string, start_ns
 * int64, end_ns int64, waited_ns int64 (how long it had waited for it), in_use int32
 * (uses of the object at once as it begins, itself included; null: it took no time),
 * not_running_ns int64 (of the use: the thread was blocked, waited, slept, was parked
 * or had no processor), not_running_state string (enum tm_state; what most of that was;
 * null: it ran), not_running_method string (where the longest of these was; null: it
 * ran, or not known).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; uses by the threads, of the classes, that begin in the
 *                    window, uncut. `in_use` counts those of all threads
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_resource_use_list(tm_table **out, const tm_model *model,
                                const tm_selection *selection);

TM_END_DECLS

#endif
