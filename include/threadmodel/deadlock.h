/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/deadlock.h: cycles of threads that wait for one another. */
#ifndef THREADMODEL_DEADLOCK_H
#define THREADMODEL_DEADLOCK_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** One thread of a cycle: it wants `object`, which the next member holds. */
typedef struct tm_deadlock_member {
    uint64_t thread; ///< tm_thread.id
    uint64_t object; ///< tm_object.id; 0 for a join whose object is unknown
    uint32_t stack;  ///< tm_stack.id; 0: unknown
    uint16_t kind;   ///< enum tm_state that it was in: BLOCKED, JOINING, PARKED, ...
    uint16_t provenance; ///< enum tm_provenance of "the next member holds it"
} tm_deadlock_member;

/**
 * Called inside ingest when an event has closed a cycle.
 *
 * @param payload   as given to tm_deadlock_watch()
 * @param members   lent for the call; the one that closed the cycle comes first
 * @param count     how many members
 * @param deadlock  its number, as in tm_deadlock_list()
 * @return TM_OK; a negative code ends the ingest that closed the cycle
 */
typedef int (*tm_deadlock_fn)(void *payload, const tm_deadlock_member *members,
                              size_t count, int32_t deadlock);

/**
 * Register a function to call on each new deadlock; it replaces an earlier one.
 *
 * @param model    one callback a model
 * @param found    NULL: none. It may query the model, and must not feed it
 * @param payload  handed to found
 * @since 0.1
 */
TM_API void tm_deadlock_watch(tm_model *model, tm_deadlock_fn found, void *payload);

/**
 * List the deadlocks found so far, one row per member of a cycle.
 *
 * A cycle with an inferred owner is a suspicion: it is listed while it lasts and
 * dropped when a member continues. One whose owners the VM reported stays listed.
 *
 * Columns (table `deadlocks`): deadlock int32 (0, 1, ...), position int32 (0 closed the
 * cycle), time_ns int64 (when it was closed), resolved_ns int64 (when a member
 * continued after all; null: it is not resolved), thread_id uint64, thread string,
 * object string, class string, owner_id uint64, owner string (the next member), kind
 * string (monitor, reenter, synchronizer, join, mutex, rwlock, spin_lock, condition,
 * semaphore, barrier, once, channel), method string, source string, line int32, stack
 * int32, deadline_ns int64 (its wait is timed, and breaks the deadlock then; null: it
 * waits for ever), provenance string (enum tm_provenance; of "owner holds object").
 *
 * @param[out] out  the answer, yours: tm_table_free() it; NULL on failure
 * @param model     may receive more events afterwards; the table does not change
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_deadlock_list(tm_table **out, const tm_model *model);

/**
 * Confirm or withdraw a deadlock, after a live producer asked its VM who owns the
 * objects of the cycle. A confirmed one is reported; the members of a withdrawn one are
 * blocked as before.
 *
 * @param model     changed
 * @param deadlock  its number
 * @param stands    1 confirmed, 0 withdrawn
 * @return TM_OK, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_deadlock_confirm(tm_model *model, int32_t deadlock, int stands);

TM_END_DECLS

#endif
