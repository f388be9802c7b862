/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/findings.h: what is worth a developer's time, in plain words.
 *
 * Each kind has a threshold, so that a run without trouble has no findings. "Of the
 * run" means of its length. Impact is what threads would gain at most if the
 * trouble were gone: time of all threads added up, so it may exceed the run.
 *
 * - deadlock: a cycle stands or stood.
 * - resource_wait: two or more threads wait at one place, 5 times, for what nobody
 * owns, until they are released at another, see resource.h, and that takes 5 % of the
 * run. 5 or more uses are known; or fewer threads released them than waited, which is
 * only suspected unless the one that released most is seen to be busy itself.
 * - hot_lock: blocks by one lock, 5 or more, take 1 % of the run. Less is noise. Where
 *   several locks of a class blocked threads, those blocked on at one place are one.
 * - lock_convoy: 100 blocks on an object, 10 a thread; in 80 % of the handoffs others
 *   still queue, and a block spans 3 handoffs on average: a queue that never drains.
 * - oversubscribed_lock: in 5 blocks or more, on average 2 threads queue for an object
 *   from the first to the last, 4 or more at once, and that is 10 % of the run. More
 *   processors cannot help.
 * - held_while_sleeping, held_while_waiting, held_while_parked, held_while_blocked:
 *   others are blocked for 1 % of the run by an owner who is blocked itself, and has
 *   not left the method in which it took the lock, as far as stacks tell. Shares
 *   under 10 us are not looked at.
 * - notify_all_herd: 10 calls wake 3 or more each, and half of the woken wait again
 *   within 100 us of having the monitor back. One notify would have done.
 * - lost_notify: a notify met nobody, then a thread began to wait without end and was
 *   not notified: it hangs.
 * - useless_notify: 100 notifies at a place, 90 % of which met nobody. Costs little.
 *   Of the VM's own threads neither is told.
 * - long_wait: one wait of 20 or more at a place lasts 20 times the median, 100 ms and
 *   5 % of the run; or a wait without end that lasts 25 % of the run and 1 s until the
 *   end, by a thread that is no daemon, with no notify since it began.
 * - wait_always_times_out: 5 or more waits at a place, none notified, take 1 % of the
 *   run. Nobody notifies, or it polls.
 * - sleep_on_critical_path: sleeps at one place make up 5 % of the run, on its critical
 *   path. The run is that much longer. Not told where the method was told already, as
 *   what a resource or a lock was held for.
 * - unbalanced_join: of two or more threads that run together and are joined one takes
 *   longer by a quarter of its life, and that makes the joiner wait for 5 % of the run.
 *   Evening out gains as much. Threads that were blocked as often, 16 times or more,
 *   did the same, and are not told.
 * - lock_inversion: a cycle of lock order of the same objects, see lockorder.h. It has
 *   no impact in this run; it may deadlock another time.
 *
 * - sampled_block: of several thread dumps two or more find a thread blocked, or
 *   queueing to re-enter, by the same class at the same line.
 *
 * Waits and sleeps whose caller is the JDK itself, or a worker that waits for work, are
 * left out: a developer cannot change them.
 */
#ifndef THREADMODEL_FINDINGS_H
#define THREADMODEL_FINDINGS_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the findings: deadlocks that stand, then the rest, what is only suspected last;
 * among these the largest impact first, at most five of a kind.
 *
 * Columns (table `findings`): rank int32 (1, 2, ...), kind string (deadlock,
 * resource_wait, hot_lock, lock_convoy, oversubscribed_lock, held_while_sleeping,
 * held_while_waiting, held_while_parked, held_while_blocked, notify_all_herd,
 * lost_notify, useless_notify, long_wait, wait_always_times_out,
 * sleep_on_critical_path, unbalanced_join, lock_inversion, sampled_block), impact_ns
 * int64 (what threads would gain at most, all added up), text string (one or two
 * sentences), class string, method string (where to look), source string, line int32,
 * thread_id uint64 (null: nobody), thread string (whom it names first; null: nobody),
 * suspected bool (it rests on inference; the text says so), evidence_table string
 * (deadlocks, blame, callers, interactions, timeline, lock_order, critical_path,
 * resources; the table that shows it), evidence_where string (which rows of that table:
 * conditions `column = value`, `column = 'text'` and `column is null`, joined as in SQL
 * by `and`; empty: all).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_finding_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
