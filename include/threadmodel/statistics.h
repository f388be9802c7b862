/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/statistics.h: how often and how long threads were blocked.
 *
 * One blocking interval is one interval of a state: a block that ends in a deadlock is
 * one block; a blocking interval that has not ended counts up to the last event.
 * Percentiles come from a log-linear histogram and are within 3 % of the true value.
 */
#ifndef THREADMODEL_STATISTICS_H
#define THREADMODEL_STATISTICS_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Keys to group by; any combination. */
enum tm_statistics_key {
    TM_STATISTICS_BY_CLASS = 1,    ///< of the lock or joined thread
    TM_STATISTICS_BY_CALLER = 2,   ///< where it was called: method and line
    TM_STATISTICS_BY_OBJECT = 4,   ///< the single lock
    TM_STATISTICS_BY_THREAD = 8,   ///< the blocked thread
    TM_STATISTICS_BY_GROUP = 16,   ///< its thread group or container
    TM_STATISTICS_BY_STACK = 32,   ///< the whole of it
    TM_STATISTICS_BY_METHOD = 64,  ///< where it was called, without the line
    TM_STATISTICS_BY_LINE = 128,   ///< the line, whatever the method
    TM_STATISTICS_BY_LATENCY = 256 ///< no further groups: how much of the time nobody
                                   ///< had the lock, as in table `blame`
};

/** Choices of a statistics question; zero is the default of each. */
typedef struct tm_statistics_options {
    size_t size;                   ///< sizeof(tm_statistics_options)
    uint32_t keys;                 ///< bits of enum tm_statistics_key
    uint32_t library_count;        ///< entries of libraries
    const tm_selection *selection; ///< NULL: all
    /**
     * Frames of these classes are skipped when the caller is determined,
     * unless all frames are: name prefixes, "java.". NULL: java., javax., jdk.,
     * sun., what of com.sun. belongs to the JDK, and the libraries of C, C++ and
     * Rust (docs/analysis.md lists them).
     * When all frames match, the caller is the innermost frame outside
     * java.lang.Object, java.lang.Thread and java.util.concurrent.locks.
     *
     * The caller of a worker that waits for work is the frame that waits, for instance
     * java.util.concurrent.ThreadPoolExecutor.getTask, and column `idle` is true: that
     * wait is as long as there was nothing to do. The same page lists these methods;
     * those that this choice makes no library are not looked for.
     */
    const char *const *libraries;
} tm_statistics_options;

/** A tm_statistics_options with nothing in it but its size. */
#define TM_STATISTICS_OPTIONS_INIT                                                     \
    {                                                                                  \
        sizeof(tm_statistics_options), 0, 0, NULL, NULL                                \
    }

/**
 * One row a thread, whether it was ever blocked or not, in the order of first sight.
 * Time runnable is 0 where the producer does not report processors.
 *
 * Columns (table `threads`): thread_id uint64, name string (the thread's), group string
 * (thread group or container), virtual bool, daemon bool, state string (enum tm_state;
 * at the end), start_ns int64 (null: not seen to start), end_ns int64 (null: not seen
 * to end); for each of blocked, waiting, reentering, joining, sleeping, parked,
 * runnable, io, native: <state>_count int64 (how often), <state>_total_ns int64 (for
 * how long in all); carrier_id uint64 (of a virtual thread that is mounted, as far as
 * is reported; null: none), cpu_samples uint64 (how often it was seen on a processor),
 * cpu_time_ns int64 (for how long it was on processors, as the scheduler counts; null:
 * not reported), cpu_wait_ns int64 (for how long it could run and had no processor, as
 * the scheduler counts; null: not reported), pid uint64 (process that it is of, in a
 * run of several; null: the run's).
 *
 * @param[out] out   the answer, yours; NULL on failure
 * @param model      asked
 * @param selection  NULL: all
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_thread_list(tm_table **out, const tm_model *model,
                          const tm_selection *selection);

/**
 * One row a group, the longest total blocked time first.
 *
 * Columns (table `groups`): by TM_STATISTICS_BY_CLASS: class string (of the monitor,
 * blocker or joined thread); by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_METHOD:
 * method string; by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_LINE: source string,
 * line int32; by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_METHOD: idle bool; by
 * TM_STATISTICS_BY_OBJECT: object string; by TM_STATISTICS_BY_OBJECT without
 * TM_STATISTICS_BY_CLASS: class string; by TM_STATISTICS_BY_THREAD: thread_id uint64,
 * thread string; by TM_STATISTICS_BY_GROUP: group string (thread group or container);
 * by TM_STATISTICS_BY_STACK: stack int32; always: objects int64 and threads int64
 * (distinct); for each of blocked, waiting, reentering, joining, parked, io:
 * <state>_count int64 (how often), <state>_total_ns int64 (all of them), <state>_min_ns
 * int64, <state>_max_ns int64, <state>_mean_ns int64, <state>_p50_ns int64,
 * <state>_p90_ns int64 and <state>_p99_ns int64 (null: the count is 0); for each of
 * blocked, waiting, reentering, joining, parked, io: <state>_share double (the total,
 * of the length of the run or of the window; above 1 where threads were blocked side by
 * side); by TM_STATISTICS_BY_LATENCY, for each of blocked, waiting, reentering, parked:
 * <state>_latency_ns int64 (of the total: nobody had the lock or permit, and the next
 * owner was being woken).
 *
 * @param[out] out  the answer, yours; NULL on failure. It is named after its keys:
 *                  locks (class), callers (class, caller), objects (object), groups
 * @param model     asked
 * @param options   NULL: by class
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_statistics_list(tm_table **out, const tm_model *model,
                              const tm_statistics_options *options);

/**
 * The same as one row over all that is selected, in which every object and every
 * thread counts once; no row where nothing was blocked.
 *
 * Columns (table `total`): those of table `groups` that are always there.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: all; keys must be 0
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_statistics_sum(tm_table **out, const tm_model *model,
                             const tm_statistics_options *options);

/**
 * How long blocking intervals of one state lasted: a row for each bucket that is not
 * empty, by rising duration, group by group in the order of tm_statistics_list().
 *
 * Columns (table `histogram`): by TM_STATISTICS_BY_CLASS: class string (of the monitor,
 * blocker or joined thread); by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_METHOD:
 * method string; by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_LINE: source string,
 * line int32; by TM_STATISTICS_BY_CALLER or TM_STATISTICS_BY_METHOD: idle bool; by
 * TM_STATISTICS_BY_OBJECT: object string; by TM_STATISTICS_BY_OBJECT without
 * TM_STATISTICS_BY_CLASS: class string; by TM_STATISTICS_BY_THREAD: thread_id uint64,
 * thread string; by TM_STATISTICS_BY_GROUP: group string (thread group or container);
 * by TM_STATISTICS_BY_STACK: stack int32; always: low_ns int64 (the shortest that is
 * counted here), high_ns int64 (not included; less than 4 % above low_ns, or 1), count
 * int64 (blocking intervals).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL, or keys 0: all in one
 * @param state     enum tm_state: BLOCKED, WAITING, REENTERING, JOINING, PARKED, IO
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_histogram_list(tm_table **out, const tm_model *model,
                             const tm_statistics_options *options, int state);

TM_END_DECLS

#endif
