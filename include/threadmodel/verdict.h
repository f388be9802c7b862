/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/verdict.h: whether a program could go on, and if not, since when and why.
 *
 *     main    waits for a task            and no worker is left to run it
 *     mill-1  waits for a task, too       stuck since 131 ms: nobody can go on
 *     mill-2  waits for a task, too
 */
#ifndef THREADMODEL_VERDICT_H
#define THREADMODEL_VERDICT_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Verdicts on a run, a dump or a recording, the worst first. */
enum tm_verdict {
    TM_VERDICT_CANNOT_TELL = 0,  ///< the data does not show it
    TM_VERDICT_DEADLOCKED = 1,   ///< threads wait for one another in a circle of owners
    TM_VERDICT_STUCK = 2,        ///< no thread of the program can go on by itself
    TM_VERDICT_PARTLY_STUCK = 3, ///< some threads cannot, as far as was recorded
    TM_VERDICT_STARVED = 4, ///< workers or carriers wait for what is queued behind them
    TM_VERDICT_BOUND = 5,   ///< threads queue for one lock, or requests wait at one
                            ///< place, most of the time
    TM_VERDICT_IDLE = 6,    ///< the threads had nearly nothing to do
    TM_VERDICT_HEALTHY = 7, ///< none of these
    TM_VERDICT_END = 8      ///< one more than the last
};

/** Edges from a thread that cannot go on to the one that could end its wait. */
enum tm_wait_edge {
    TM_WAIT_EDGE_UNKNOWN = 0,    ///< no event shows such a thread
    TM_WAIT_EDGE_OWNER = 1,      ///< the owner of a lock
    TM_WAIT_EDGE_DEAD_OWNER = 2, ///< the owner of a lock, which has ended
    TM_WAIT_EDGE_SELF = 3,       ///< the thread itself
    TM_WAIT_EDGE_JOIN = 4,       ///< the thread whose end it waits for
    TM_WAIT_EDGE_CLASS = 5,      ///< the thread that initialises a class, or does other
                                 ///< work once for all
    TM_WAIT_EDGE_SERVED = 6,     ///< a thread that ended such waits before
    TM_WAIT_EDGE_TASK = 7,       ///< a worker that would run the task
    TM_WAIT_EDGE_CARRIER = 8,    ///< a free carrier: the thread has been woken
    TM_WAIT_EDGE_END = 9         ///< one more than the last
};

/**
 * Give the verdict: one row.
 *
 * Stuck is certain where, from an instant on, no thread runs, sleeps, waits with a
 * timeout or waits for input: whatever the others wait for, nobody is left to end it.
 * It needs no owner. Workers that wait for work are not part of it, nor are the VM's
 * own threads; where only these are left, the run is idle. Daemons that wait when a
 * runtime ends by itself are not stuck. Partly stuck is a suspicion: each thread of a
 * set waits without a timeout for what, as far as was recorded, only the set or threads
 * that have ended ever provided, and for longer than such waits last. The title of a
 * run without such threads names those that have waited for a second or more for a lock
 * or permit, where no event shows which thread has it. Workers whose requests to the
 * program itself leave no worker to answer are starved. Where no thread is stuck, a run
 * is bound, since an instant, by what half of the threads in a task, two at least, wait
 * for at its end, with a time limit or in I/O, for a second at least and three times as
 * long as such waits took; or else by a lock, where two threads or more that use it
 * queue for it for half of the time in which they are not idle, a quarter of that of
 * all threads; or else by a place where its main kind of units of work waits, sleeps or
 * is in I/O for half of its time, and a quarter of that of all threads; or else by
 * processors, where threads could run and had none for a quarter of the time in which
 * they are not idle.
 *
 * Columns (table `verdict`): kind string (enum tm_verdict), title string (the same in
 * one sentence), since_ns int64 (no thread in question has gone on since, since the run
 * began; null: not known, or no such thread), suspected bool (it rests on inference),
 * threads int32 (that cannot go on; table `verdict_members` lists them), thread_id
 * uint64 (null: no such thread), thread string (that of them which waits longest),
 * object string, class string (of that object), method string (where it waits), source
 * string, line int32, text string (why, in some sentences), advice string (what to try;
 * null: nothing), examined string (what the verdict rests on, and what was not
 * recorded), remedy string (what would make it more certain; null: nothing has to).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked; it may receive more events afterwards
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_verdict_list(tm_table **out, const tm_model *model);

/**
 * Give the verdict on a part of a run: whether a thread could go on when the part
 * ended, and else what bounds the time in it. A thread whose wait ended after the part
 * was not stuck. Columns are those of tm_verdict_list(), whose answer it is for a
 * window over the whole run; a caveat states the part.
 *
 * @param[out] out   the answer, yours; NULL on failure
 * @param model      asked
 * @param selection  a window; NULL: the whole run. No threads, no classes
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (an empty window, threads or classes)
 * @since 0.1
 */
TM_API int tm_verdict_list_part(tm_table **out, const tm_model *model,
                                const tm_selection *selection);

/**
 * List the threads that cannot go on, and what each waits for; no row for a verdict
 * without such threads.
 *
 * Columns (table `verdict_members`): position int32 (0, 1, ...; what a thread waits for
 * follows it where it can), thread_id uint64, thread string, state string (enum
 * tm_state), start_ns int64 (of its wait, since the run began), object string, class
 * string, method string, source string, line int32, edge string (enum tm_wait_edge;
 * what could end the wait), by_id uint64 (the thread that could, or the first of them),
 * by string (its name), alternatives int32 (threads that could, any of them; 0: not
 * known), provenance string (enum tm_provenance; of that), why string (why none of them
 * does, in a sentence).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_verdict_member_list(tm_table **out, const tm_model *model);

/**
 * List the threads that could not go on when a part of a run ended, as
 * tm_verdict_member_list() does for all of it.
 *
 * @param[out] out   the answer, yours; NULL on failure
 * @param model      asked
 * @param selection  as for tm_verdict_list_part()
 * @return TM_OK, TM_ENOMEM, TM_EINVAL
 * @since 0.1
 */
TM_API int tm_verdict_member_list_part(tm_table **out, const tm_model *model,
                                       const tm_selection *selection);

/**
 * The name of a verdict, "partly_stuck" for instance.
 *
 * @param verdict  a value of enum tm_verdict
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_verdict_name(int verdict);

/**
 * The name of what leads to who could end a wait, "dead_owner" for instance.
 *
 * @param edge  a value of enum tm_wait_edge
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_wait_edge_name(int edge);

TM_END_DECLS

#endif
