/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/findings.h: problems that are worth a developer's time, in plain words.
 *
 * One finding is one cause: a lock, the sleep inside its holds and the queue for it are
 * one. Each kind has a threshold, so that a run without trouble has no findings. "Of
 * the run" means of its length. Impact is the time lost, summed over all threads, so it
 * may exceed the run; the bound is the time lost by the thread that lost most.
 * The gain is the answer of what-if, see whatif.h, for the twelve findings with the
 * largest bounds: if no thread had to wait for a lock or a resource, or if sleeps took
 * no time. It is unknown for other kinds, where the replay does not show the run, and
 * where one wait of the thread that the run ends with makes up half of the run. A run
 * of more than twelve million intervals has no gains, one of more than a million has
 * fewer.
 *
 * - deadlock: a cycle, resolved since or not.
 * - stuck, partly_stuck, starved: threads that cannot go on at the end of the run, one
 *   card for all of them, as verdict.h describes them.
 * - class_initialisation: a thread in a static initialiser sleeps, waits or is blocked
 *   for 5 % of the run. Threads that need the class wait, which JVMs do not report.
 * - class_loading: a thread is blocked for 5 % of the run by classes that others load
 *   or initialise. Such locks are in no other finding.
 * - resource_wait: two or more threads wait at one place, 5 times, for what nobody
 *   owns, until they are released (resource.h), and that takes 5 % of the run. Either 5
 *   or more uses are known, or fewer threads released than waited; the latter is only
 *   suspected unless the thread that released most was busy itself. For a pool the
 *   sentences name the class that keeps the queue, and `method` is the queue's.
 * - executor_too_small: all workers of an executor, identified by where they wait for
 *   work and by names that differ only in numbers, are idle for at most an eighth of
 *   their time, and asleep, waiting or parked at one place for at least a quarter: 20
 *   times or more, for 10 % of the run each. Its threads that are hardly idle and never
 *   at that place, as a server's acceptors, are not workers.
 * - event_loop_blocked: a thread is asleep, blocked or waits below an event loop of
 *   Netty, 5 times or more, for 10 % of the run.
 * - virtual_threads_pinned: two or more virtual threads were started and did not begin
 *   for 5 % of the run, while others that kept their carriers were blocked for at least
 *   half of that time.
 * - Locks: blocks by one lock, 5 or more, take 1 % of the run; fewer than 5 count if
 * its owners are blocked themselves. Locks whose classes are nested in one, and at
 * which threads block at one place, are one. The kind decides what to do:
 *   held_while_sleeping, held_while_waiting, held_while_parked, held_while_blocked: for
 *   half of the blocked time the owner is blocked itself, and as far as stacks show has
 *   not left the method in which it acquired the lock. Time without a known owner, half
 *   of it at most, is left out, and shares under 10 us are ignored.
 *   lock_convoy: 100 blocks, 10 a thread; in 80 % of the handoffs others still queue,
 *   and a block spans 3 handoffs on average: a queue that is seldom empty.
 *   oversubscribed_lock: on average 2 threads queue from the first block to the last, 4
 *   or more at once, and that is 10 % of the run.
 *   wake_up_latency: for half of the blocked time nobody owns it, and the next owner is
 *   being woken.
 *   hot_lock: none of these; or two readers at least had the lock 10 times in turn, and
 *   a wait lasts 10 times as long as the longest of these holds.
 * - notify_all_herd: 10 calls wake 3 or more threads each, and half of the woken wait
 *   again within 100 us of having the monitor back. One notify would have done.
 * - useless_notify: 100 notifies at a place, and 90 % of them found no waiter. Costs
 *   little. The VM's own threads are in neither, nor are signals of conditions in it.
 * - long_wait: one wait of 20 or more at a place lasts 20 times the median, and 20
 *   times most others with the same calls, 100 ms and 5 % of the run. It is minor if
 *   the notifying thread was not blocked for half of it: then it worked.
 * - unended_wait: two or more workers wait within their tasks when the recording ends,
 *   at one place and with a time limit, or for one endpoint, for 1 s and three times
 *   the longest wait there that has ended.
 * - wait_always_times_out: 5 or more waits at a place, none notified, take 1 % of the
 *   run. No thread notifies, or it polls.
 * - sleep_on_critical_path: sleeps at one place make up 5 % of the run, on its critical
 *   path, and no other finding is about that method. One sleep of half the run, by the
 *   thread that it ends with, does not count: the length of the run was given. It is
 *   minor where the sleeps pace a loop that does no tasks, and nobody waits for that
 *   thread meanwhile.
 * - unbalanced_join, straggler: of two or more threads that run together, and are
 *   joined by one or were started by one at one place, one takes longer by a quarter of
 *   its life, and another thread waits for it alone for 5 % of the run. Threads that
 *   were blocked as often, 16 times or more, did the same and are left out; so is the
 *   time for which the last one had no processor, and the other had one.
 * - io_wait: threads wait for one endpoint (a socket, file, name or process) for 5 % of
 *   the run together, and one of them alone for 5 % or all for half of it. Where the
 *   program does units of work, these wait for it for 5 % of their time, or the thread
 *   that submits them waits most. Idle I/O does not count: a client's next request, an
 *   accept, a poll.
 * - too_few_processors: threads could run and had no processor, one of them for 10 % of
 *   the run, and all together for half of its length, as the scheduler counts, or
 *   switches or runnable report. It is minor if the program had less than half of the
 *   processors, or less than one where their number is unknown: then others had them.
 * - lock_inversion: a cycle of lock order of the same objects, see lockorder.h; one
 *   finding for all cycles at the same places. It costs nothing in this run; it may
 *   deadlock another time.
 * - long_park: two or more threads parked eight times or more at one place of the
 *   program, one of them for 10 % of the run, where no owner and no unpark is recorded.
 *   Suspected.
 * - sampled_block: in two or more of several thread dumps a thread is blocked, queues
 *   to re-enter, or is parked behind an owner that the dump names, by the same class at
 *   the same line. The owner is the one of the last dump.
 * - sampled_wait: two or more threads wait at one place of the program, where no worker
 *   waits for work and no owner is known, in all of several thread dumps or all but the
 *   first; and at least in two. Suspected.
 * - sampled_io: the same of threads whose innermost method reads or writes a socket or
 *   file. One thread is enough. Suspected.
 * - sampled_processor: a thread was on a processor for 80 % of the time between the
 *   first and the last of several thread dumps.
 * - blocking_thread: in the only thread dump, other threads wait for locks of a thread,
 *   or for those of threads that wait for it. It waits for no owner itself.
 * - pool_starved: all threads of a pool, by their names, wait for the result of a task
 *   within a task, and the verdict does not say so. Suspected.
 * - carriers_taken: each of two or more carriers carries a virtual thread. It is
 *   suspected where the dump does not show that these do not run.
 *
 * Minor findings are those that gain less than 1 % of the run, and 5 % at most, if they
 * cost no thread a quarter of it and threads would not wait longer for what is not
 * recorded instead; of a load, what takes less than a quarter of its requests' time by
 * queueing, or less than half of it by sleeps of others and by I/O, and what requests
 * need for themselves, and classes that are loaded before the rate is steady; useless
 * notifies; a lock or resource for which all threads together lost at most 5 % of the
 * run, or each thread did and all together less than half of it; and a lock that
 * blocked each thread once, or one thread at a time for less than 1 ms on average, for
 * less than a fifth of the run. Waits and sleeps whose caller is the JDK itself, or a
 * worker that waits for work, are left out: a developer cannot change them.
 */
#ifndef THREADMODEL_FINDINGS_H
#define THREADMODEL_FINDINGS_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the findings: unresolved deadlocks, then what is known, what is only suspected,
 * and what is minor; of each the largest gain first, or bound where the gain is
 * unknown, at most five of a kind.
 *
 * Columns (table `findings`): rank int32 (1, 2, ...), kind string (deadlock, stuck,
 * partly_stuck, starved, resource_wait, executor_too_small, event_loop_blocked,
 * virtual_threads_pinned, hot_lock, lock_convoy, oversubscribed_lock, wake_up_latency,
 * held_while_sleeping, held_while_io, held_while_waiting, held_while_parked,
 * held_while_blocked, notify_all_herd, useless_notify, class_initialisation,
 * class_loading, long_wait, unended_wait, long_park, wait_always_times_out,
 * sleep_on_critical_path, unbalanced_join, straggler, io_wait, too_few_processors,
 * lock_inversion, sampled_block, sampled_wait, sampled_io, sampled_processor,
 * blocking_thread, pool_starved, carriers_taken), title string (at most twelve words),
 * impact_ns int64 (time lost, of all threads added up), bound_ns int64 (the most that
 * one thread lost: no thread can gain more), gain_ns int64 (by so much the run would be
 * shorter if no thread had to wait for it, or if these sleeps, or this I/O, took no
 * time; of a service, whose run is as long as its load, by so much the time in which
 * the same requests would be served; null: unknown), gain_low_ns int64 (the least that
 * the gain may be; null: unknown), gain_high_ns int64 (the most; null: unknown), minor
 * bool (little or nothing is gained from it), suspected bool (it rests on inference;
 * caveat says what would confirm it), waits string (which threads wait where, how
 * often, for how long; null: nobody), holds string (which thread holds or uses it
 * where, for how long; null: not known, or nobody), gain string (what would be gained,
 * or the bound of it; null: nothing is known), advice string (what to try; null:
 * nothing), caveat string (what the data cannot show; null: nothing is in doubt), text
 * string (waits, holds, gain, advice and caveat, one after the other), class string,
 * method string (where to look), source string, line int32, thread_id uint64 (null:
 * nobody), thread string (the first that it names; null: nobody), object string (the
 * endpoint of I/O that it is about; null: it is about none), evidence_table string
 * (deadlocks, blame, callers, interactions, timeline, lock_order, critical_path,
 * resources, threads; the table that shows it), evidence_where string (which rows of
 * that table: conditions `column = value`, `column = 'text'`, `column in ('text',
 * ...)`, `column in (1, ...)` and `column is null`, joined as in SQL by `and`; empty:
 * no row, for names are too long).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_finding_list(tm_table **out, const tm_model *model);

/**
 * List the findings of a part of the run. Times are cut to that part, and thresholds
 * are shares of its length. The kinds stuck, partly_stuck, starved,
 * virtual_threads_pinned, straggler, unbalanced_join, lock_inversion,
 * too_few_processors and those of dumps are not looked for, and gains are unknown; a
 * caveat states that. For a window over the whole run the answer is that of
 * tm_finding_list().
 *
 * @param[out] out   the answer, yours; NULL on failure
 * @param model      asked
 * @param selection  a window; NULL: the whole run. No threads, no classes
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (an empty window, threads or classes)
 * @since 0.1
 */
TM_API int tm_finding_list_part(tm_table **out, const tm_model *model,
                                const tm_selection *selection);

/**
 * List the kinds of findings, and which of them the run's data supports. A kind that it
 * does not support is not looked for, and is not a finding: without notifies every wait
 * looks as if it timed out, and under a threshold every worker looks busy.
 *
 * Columns (table `finding_kinds`): kind string (as in `findings`), looked_for bool (the
 * data supports it), why string (what the data lacks; null: it is looked for), remedy
 * string (what would allow it; null: nothing has to).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_finding_kind_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
