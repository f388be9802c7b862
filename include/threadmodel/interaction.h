/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/interaction.h: the actions of threads that unblocked others. */
#ifndef THREADMODEL_INTERACTION_H
#define THREADMODEL_INTERACTION_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Kinds of interaction. */
enum tm_interaction_kind {
    TM_INTERACTION_START = 1,      ///< Thread.start -> the new thread runs
    TM_INTERACTION_HANDOFF = 2,    ///< a lock is released -> the next owner
    TM_INTERACTION_NOTIFY = 3,     ///< notify -> the waiter leaves the wait set
    TM_INTERACTION_NOTIFY_ALL = 4, ///< notifyAll -> one row for each waiter woken
    TM_INTERACTION_JOIN = 5,       ///< a thread ends -> one that joined it continues
    TM_INTERACTION_INTERRUPT = 6,  ///< interrupt -> a wait, sleep, join or park ends
    TM_INTERACTION_UNPARK = 7,     ///< unpark -> the parked thread continues
    TM_INTERACTION_TIMEOUT = 8,    ///< time was up; there is no from-thread
    TM_INTERACTION_POST = 9        ///< post -> one that awaited the object continues
};

/**
 * List the interactions in the order of their from-side. One that woke nobody
 * has null on its to-side; `effect` says why.
 *
 * Columns (table `interactions`): kind string (enum tm_interaction_kind), time_ns int64
 * (of the from-side; of the to-side when that is unknown), woken_ns int64 (when the
 * to-thread continued; null: not yet, or never), from_thread_id uint64 and from_thread
 * string (null: not known, or nobody), to_thread_id uint64 (null: nobody), to_thread
 * string (null: not known, or nobody), object string, class string, from_method string,
 * to_method string, provenance string (enum tm_provenance), effect string (woke,
 * permit, useless, pending, lost; permit: of an unpark whose thread had not parked yet;
 * useless: nobody waited; pending: nobody continued yet; lost: nobody was there, and a
 * later waiter waits in vain), candidates int32 (how many could have done it; 1 where
 * it is certain), group int32 (rows of one notifyAll, one post or one thread's end
 * share it; null: others).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; rows that touch the threads in the window
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_interaction_list(tm_table **out, const tm_model *model,
                               const tm_selection *selection);

/** The name of a kind, "notify_all" for instance; NULL for any other number. */
TM_API const char *tm_interaction_kind_name(int kind);

TM_END_DECLS

#endif
