/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/hold.h: which thread held which lock, from when to when. */
#ifndef THREADMODEL_HOLD_H
#define THREADMODEL_HOLD_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Keys to group holds by; any combination. */
enum tm_hold_key {
    TM_HOLD_BY_CLASS = 1,  ///< of the lock
    TM_HOLD_BY_CALLER = 2, ///< where the owner acquired it
    TM_HOLD_BY_OBJECT = 4, ///< the single lock
    TM_HOLD_BY_OWNER = 8   ///< who owned it
};

/** Choices of a question of hold times; zero is the default of each. */
typedef struct tm_hold_options {
    size_t size;                   ///< sizeof(tm_hold_options)
    uint32_t keys;                 ///< bits of enum tm_hold_key; 0: class and caller
    uint32_t library_count;        ///< entries of libraries
    const tm_selection *selection; ///< as tm_hold_list() has it
    const char *const *libraries;  ///< as in tm_statistics_options
} tm_hold_options;

/** A tm_hold_options with nothing in it but its size. */
#define TM_HOLD_OPTIONS_INIT                                                           \
    {                                                                                  \
        sizeof(tm_hold_options), 0, 0, NULL, NULL                                      \
    }

/**
 * List which thread held a lock, by rising start. A producer that reports acquired and
 * released makes both ends exact; of an uncontended lock only the last hold is kept.
 * Most producers report a lock only when threads queue for it: then a row states when
 * its owner is known to have held it, and between which instants it acquired and
 * released it.
 *
 * Columns (table `holds`): object string, class string, kind string (enum
 * tm_object_kind), thread_id uint64, thread string, start_ns int64 (as far as is
 * known), end_ns int64 (as far as is known; null: it is held still, or nothing shows
 * when it was released), start_earliest_ns int64 (it was acquired no earlier),
 * start_latest_ns int64 (and no later), end_earliest_ns int64 (it was released no
 * earlier), end_latest_ns int64 (and no later; null: as end_ns is), start_provenance
 * string and end_provenance string (enum tm_provenance), to_thread_id uint64 (null:
 * nobody, or not known), to_thread string (who was blocked by it and acquired the lock
 * next; null: nobody, or not known), to_provenance string (enum tm_provenance; that
 * nobody had it between; null: as to_thread_id is), method string (where it was
 * acquired), source string, line int32, shared bool (one of several owners), contested
 * bool (another owner was reported while this one cannot have released it: the producer
 * contradicts itself, and where this hold ends is in doubt), not_running_ns int64 (of
 * the hold: its owner was blocked, waited, slept, was parked or had no processor),
 * not_running_state string (enum tm_state; what most of that was; null: it ran).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; holds by the threads, of the classes, that touch the
 *                    window, uncut
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_hold_list(tm_table **out, const tm_model *model,
                        const tm_selection *selection);

/**
 * List how long locks were held: a row a group, the longest total first. It counts
 * holds whose start and end are known or inferred, and those that tm_hold_list() lists
 * no more, whose owner and object are not known.
 *
 * Columns (table `hold_times`): by TM_HOLD_BY_CLASS without TM_HOLD_BY_OBJECT: class
 * string (of the lock); by TM_HOLD_BY_CALLER: method string (where the owner acquired
 * it), source string, line int32; by TM_HOLD_BY_OBJECT: object string, class string; by
 * TM_HOLD_BY_OWNER: thread_id uint64, thread string; always: count int64 (how often),
 * total_ns int64 (all of them), min_ns int64, max_ns int64, mean_ns int64, p50_ns
 * int64, p90_ns int64 and p99_ns int64 (null: the count is 0), not_running_ns int64 (of
 * total_ns: the owner did not run), exact int64 (of count: the producer reported both
 * ends), unmeasured int64 (holds besides count whose start or end is not known).
 *
 * A JVM reports a hold only when threads are blocked by it, or when its owner waits or
 * notifies: there these are the times of contended holds, not of all.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: all, by class and caller
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_hold_group(tm_table **out, const tm_model *model,
                         const tm_hold_options *options);

TM_END_DECLS

#endif
