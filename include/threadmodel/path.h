/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/path.h: the critical path, the chain of activities that decided how
 * long a run took.
 *
 * The path is found backward, from the end. While its thread ran, that is the path;
 * where the thread was blocked, the path goes to the thread that woke it, and stays
 * there. Segments lie end to end from the run's beginning, or the time that is asked
 * for, to the path's end, so their lengths add up exactly. Unexplained time stays with
 * the thread that lost it, and column `unexplained` says why.
 */
#ifndef THREADMODEL_PATH_H
#define THREADMODEL_PATH_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** The question that a walk answers. */
enum tm_path_walk {
    /** Which chain decided when the end came? From a blocked thread the walk goes over
     * to its waker and stays with that one's past: had the blocked thread come earlier,
     * it would only have been blocked for longer. */
    TM_PATH_DECIDED = 0,
    /** What did the thread wait for at each moment? The waker counts while the thread
     * was blocked; the time before is the thread's own past. */
    TM_PATH_WAITED_FOR = 1
};

/** Keys to sum a path up by; any combination. */
enum tm_path_key {
    TM_PATH_BY_THREAD = 1, ///< which one the path was in
    TM_PATH_BY_METHOD = 2, ///< the caller
    TM_PATH_BY_CLASS = 4,  ///< of the lock
    TM_PATH_BY_STATE = 8   ///< of that thread
};

/** Choices of a question about a path; zero is the default of each. */
typedef struct tm_path_options {
    size_t size; ///< sizeof(tm_path_options)
    /**
     * tm_thread.id that the path leads to. 0: the one with which the program's own work
     * ended: that in which the runtime's shutdown began, if it is the program's; else
     * the last to end of those that neither the runtime started nor are daemons; where
     * others did more after that, the recording stopped before the program did, and it
     * is one that can go on: the program's first, or the one with the latest event.
     */
    uint64_t thread;
    /** Up to the run's length: where the path ends, since the run began. 0: where the
     * program's work ended, see `thread`, or that thread; else at the last event. */
    int64_t to_ns;
    uint32_t walk;                ///< enum tm_path_walk
    uint32_t keys;                ///< of a sum: bits of enum tm_path_key; 0: by thread
    const char *const *libraries; ///< see tm_statistics_options
    uint32_t library_count;       ///< entries of libraries
    uint32_t reserved;            ///< 0
    int64_t from_ns; ///< since the run began: the path before it is left out
} tm_path_options;

/** A tm_path_options with nothing in it but its size. */
#define TM_PATH_OPTIONS_INIT                                                           \
    {                                                                                  \
        sizeof(tm_path_options), 0, 0, 0, 0, NULL, 0, 0, 0                             \
    }

/**
 * List the segments of the critical path by rising time.
 *
 * Columns (table `critical_path`): start_ns int64, end_ns int64, thread_id uint64,
 * thread string, state string (enum tm_state), method string, source string, line
 * int32, object string, class string, via string (start, handoff, notify, notify_all,
 * join, interrupt, unpark, timeout, post, meanwhile; the interaction by which the path
 * came here from the segment before; null: the same thread continued), unexplained
 * string (why nothing explains this segment, "unparks not recorded" for instance; null:
 * it is explained), provenance string (enum tm_provenance; of the interaction; null:
 * without one), latency bool (wake-up latency: the lock was released, or the thread
 * notified or unparked, and it did not run yet).
 *
 * object, class, method: for a blocking interval as in the timeline; for other segments
 * what the thread handed over, or which thread it notified, at the segment's end. via:
 * "meanwhile" is of TM_PATH_WAITED_FOR alone, where the blocking interval begins during
 * which this thread counts. The caveats of the answer sum up each cause of unexplained
 * time, and name the recording option that would explain it.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: the whole run
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_path_list(tm_table **out, const tm_model *model,
                        const tm_path_options *options);

/**
 * Sum the critical path up, the longest first. By thread alone, every thread has a row.
 *
 * Columns (table `path_rollup`): by TM_PATH_BY_THREAD: thread_id uint64, thread string;
 * by TM_PATH_BY_METHOD: method string; by TM_PATH_BY_CLASS: class string; by
 * TM_PATH_BY_STATE: state string (enum tm_state); always: segments int64 (how many),
 * total_ns int64 (their length), share double (of the path's length), unexplained_ns
 * int64 (of total_ns: not explained), latency_ns int64 (of total_ns: wake-up latency);
 * by TM_PATH_BY_THREAD without TM_PATH_BY_METHOD, TM_PATH_BY_CLASS, TM_PATH_BY_STATE:
 * slack_ns int64 (how much longer the thread could have taken, all else being equal,
 * before the path ended later; null: any time).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: the whole run by thread
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_path_sum(tm_table **out, const tm_model *model,
                       const tm_path_options *options);

TM_END_DECLS

#endif
