/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/path.h: the critical path, the chain of activities that decided how
 * long a run took.
 *
 * The path is found backward, from the end. While the thread it stands on was doing
 * something, so was the path; where that thread was held up, the path goes over to
 * the thread that let it go on. Segments lie end to end from the run's beginning to
 * the path's end, so their lengths add up exactly. Time that nothing explains stays
 * with the thread that lost it and is called unexplained.
 */
#ifndef THREADMODEL_PATH_H
#define THREADMODEL_PATH_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** What of another thread's past lies on the path. */
enum tm_path_walk {
    /** What it did during the hold-up; before that the waiting thread's own past. */
    TM_PATH_BOUNDED = 0,
    /** All, back to its start: the waiting thread would have had time to spare. */
    TM_PATH_UNBOUNDED = 1
};

/** Keys to sum a path up by; any combination. */
enum tm_path_key {
    TM_PATH_BY_THREAD = 1, ///< columns thread_id, thread
    TM_PATH_BY_METHOD = 2, ///< column method
    TM_PATH_BY_CLASS = 4,  ///< column class
    TM_PATH_BY_STATE = 8   ///< column state
};

/** Choices of a question about a path; zero is the default of each. */
typedef struct tm_path_options {
    size_t size; ///< sizeof(tm_path_options)
    /**
     * tm_thread.id that the path leads to. 0: the one that ended the run, which is
     * the thread with the latest event of those that are neither daemons nor agent's,
     * or of all where there are no others; of several, one that is not held up.
     */
    uint64_t thread;
    /** Up to the run's length: where the path ends, since the run began. 0: where that
     * thread ended, or at the last event where it has not or no thread is named. */
    int64_t to_ns;
    uint32_t walk;                ///< enum tm_path_walk
    uint32_t keys;                ///< of a sum: bits of enum tm_path_key; 0: by thread
    const char *const *libraries; ///< see tm_statistics_options
    uint32_t library_count;       ///< entries of libraries
    uint32_t reserved;            ///< 0
} tm_path_options;

/** A tm_path_options with nothing in it but its size. */
#define TM_PATH_OPTIONS_INIT                                                           \
    {                                                                                  \
        sizeof(tm_path_options), 0, 0, 0, 0, NULL, 0, 0                                \
    }

/**
 * List the segments of the critical path by rising time.
 *
 * Columns: start_ns int64, end_ns int64, thread_id uint64, thread string, state string,
 * method string, source string, line int32, object string, class string,
 * via string, unexplained bool, provenance string.
 *
 * object, class, method: for a hold-up as in the timeline; for other segments what the
 * thread handed over, or whom it notified, at the segment's end, and null where that
 * is not known. via: the interaction by which the path came here from the segment
 * before (start, handoff, notify, notify_all, join, interrupt, unpark, timeout);
 * "meanwhile" where a hold-up of that one begins, during which this one counts;
 * "unexplained" where that is true; null where the same thread just went on.
 * provenance: how sure the interaction is; null without one.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: the whole run
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_path_critical(tm_table **out, const tm_model *model,
                            const tm_path_options *options);

/**
 * Sum the critical path up, the longest first.
 *
 * Columns: those of the keys, in the order of their bits; segments int64,
 * total_ns int64, share double (of the path's length), unexplained_ns int64. By thread
 * alone, every thread has a row, and slack_ns int64 more: how much longer anything
 * that the thread did might have taken before the path's end came later, if all the
 * rest stayed as it was; null: any time.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: the whole run by thread
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_path_rollup(tm_table **out, const tm_model *model,
                          const tm_path_options *options);

TM_END_DECLS

#endif
