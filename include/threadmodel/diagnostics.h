/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/diagnostics.h: inconsistencies of the events, counted by cause. */
#ifndef THREADMODEL_DIAGNOSTICS_H
#define THREADMODEL_DIAGNOSTICS_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Causes. An event may count under several, and is still used where it can be. */
enum tm_diagnostic {
    TM_DIAGNOSTIC_UNKNOWN_KIND = 0,  ///< ignored: an unknown kind
    TM_DIAGNOSTIC_NO_THREAD = 1,     ///< ignored: thread, or peer needed, is 0
    TM_DIAGNOSTIC_BACKWARD_TIME = 2, ///< earlier than its thread's last: moved to it
    TM_DIAGNOSTIC_ENTERED_WITHOUT_ENTER = 3, ///< the begin of the block was not seen
    TM_DIAGNOSTIC_ENTER_WITHOUT_ENTERED = 4, ///< another state began in between
    TM_DIAGNOSTIC_WAITED_WITHOUT_WAIT = 5,   ///< the begin of the wait was not seen
    TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED = 6,   ///< another state began in between
    TM_DIAGNOSTIC_END_WITHOUT_BEGIN = 7,     ///< of a sleep, join or park
    TM_DIAGNOSTIC_BEGIN_WITHOUT_END = 8,     ///< of a sleep, join or park
    TM_DIAGNOSTIC_OTHER_OBJECT = 9,          ///< begin and end name different objects
    TM_DIAGNOSTIC_AFTER_END = 10,            ///< an event of a thread that had ended
    TM_DIAGNOSTIC_STARTED_TWICE = 11,        ///< a thread that had started already
    TM_DIAGNOSTIC_UNDEFINED_THREAD = 12,     ///< threads that never got a name
    TM_DIAGNOSTIC_UNDEFINED_OBJECT = 13, ///< objects with neither a class nor a name
    TM_DIAGNOSTIC_UNDEFINED_STACK = 14,  ///< stacks used and not defined
    TM_DIAGNOSTIC_UNDEFINED_METHOD = 15, ///< methods in frames and not defined
    TM_DIAGNOSTIC_STALE_OWNER = 16,      ///< an inferred owner proved to be wrong
    TM_DIAGNOSTIC_OUT_OF_MEMORY = 17,    ///< ignored: no memory
    TM_DIAGNOSTIC_LOST_BY_PRODUCER = 18, ///< events that the producer dropped
    TM_DIAGNOSTIC_EVICTED = 19, ///< intervals and context in sums alone (memory limit)
    TM_DIAGNOSTIC_UNKNOWN_STATE = 20,       ///< ignored: no such state of a snapshot
    TM_DIAGNOSTIC_OWN_PEER = 21,            ///< the other thread is the thread itself
    TM_DIAGNOSTIC_TIME_RANGE = 22,          ///< beyond 146 years from 0: moved to there
    TM_DIAGNOSTIC_INITIALISATION_WAIT = 23, ///< waits for a class that another thread
                                            ///< initialised: only their end is known
    TM_DIAGNOSTIC_TWO_OWNERS = 24, ///< an owner was named while another was known to
                                   ///< have the lock: the later fact counts
    TM_DIAGNOSTIC_LATE_OWNER = 25, ///< an owner was named after its lock had another
    TM_DIAGNOSTIC_ACQUIRED_TWICE = 26,      ///< by the thread that owns it already
    TM_DIAGNOSTIC_RELEASED_BY_ANOTHER = 27, ///< than the owner that was last named
    TM_DIAGNOSTIC_UNIT_NOT_BEGUN = 28,      ///< a unit of work ends that is not open
    TM_DIAGNOSTIC_UNIT_BEGUN_TWICE = 29, ///< with the id of a unit that is still open
    TM_DIAGNOSTIC_UNIT_LEFT_OUT = 30,    ///< units of work beyond the limit
    TM_DIAGNOSTIC_FORGOTTEN_THREAD = 31, ///< ended threads in one row (memory limit)
    TM_DIAGNOSTIC_FORGOTTEN_OBJECT = 32, ///< objects in sums alone (memory limit)
    TM_DIAGNOSTIC_END = 33
};

/**
 * List how often each cause occurred; causes that did not are left out.
 *
 * Columns (table `diagnostics`): cause string (enum tm_diagnostic), count uint64 (how
 * often).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_diagnostic_list(tm_table **out, const tm_model *model);

/** The name of a cause, "waited_without_wait" for instance; NULL for none. */
TM_API const char *tm_diagnostic_name(int cause);

TM_END_DECLS

#endif
