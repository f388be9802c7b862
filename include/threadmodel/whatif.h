/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/whatif.h: how long the run would have taken with one thing changed.
 *
 * The run is replayed as a discrete-event simulation. Each thread's own work takes as
 * long as it took, a wait ends when what ended it has happened, and threads contend for
 * locks anew. The gain is the difference between two replays, with and without the
 * change. It is an interval: the replay uses both bounds of what is uncertain, such as
 * the release of a monitor, and adds the error that was measured on programs really
 * changed. Where nothing is known no gain is predicted.
 */
#ifndef THREADMODEL_WHATIF_H
#define THREADMODEL_WHATIF_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** The changes that a what-if can predict. */
enum tm_whatif_change {
    TM_WHATIF_HOLDS = 0,   ///< holds of locks take `factor` times as long
    TM_WHATIF_METHOD = 1,  ///< sleeps, I/O and running in `method` and what it calls do
    TM_WHATIF_USES = 2,    ///< uses of what threads wait for in `method` do
    TM_WHATIF_PERMITS = 3, ///< there is more of what threads wait for in `method`; or,
                           ///< without a method, locks of `class_name` have more owners
    TM_WHATIF_IO = 4,      ///< I/O with the endpoint `object` does, but not idle I/O
    TM_WHATIF_PROCESSORS = 5, ///< there are more processors
    TM_WHATIF_END = 6         ///< one more than the last
};

/** The part of the run to change: all that matches every member that is not NULL. At
 * least one is set; none for processors. */
typedef struct tm_whatif_options {
    size_t size;            ///< sizeof(tm_whatif_options)
    const char *class_name; ///< of the lock or what is waited for; NULL: any
    const char *method;     ///< that acquired the lock, package.Class.method; NULL:
                            ///< any; for other changes see enum tm_whatif_change
    const char *object;     ///< holds: the lock; io: the endpoint, and nothing else; as
                            ///< column object of other tables; NULL: any
    double factor;          ///< 0: for no time; 0.5: half as long; 2: twice
    const char *const *libraries; ///< see tm_statistics_options
    uint32_t library_count;       ///< entries of libraries
    uint32_t count;   ///< for a ranking: locks to try, and rows at most; 0: 20
    uint32_t change;  ///< enum tm_whatif_change
    uint32_t permits; ///< how many more of them: connections of a pool, workers,
                      ///< owners that a lock may have at once, processors; 0: 1
    int64_t from_ns;  ///< since the run began: only what begins from then on changes
    int64_t to_ns;    ///< since the run began: and before then; 0: the run's end
} tm_whatif_options;

/** A tm_whatif_options with nothing in it but its size. */
#define TM_WHATIF_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(tm_whatif_options), NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0         \
    }

/**
 * The name of a change, "holds" for instance.
 *
 * @param change  a value of enum tm_whatif_change
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_whatif_change_name(int change);

/**
 * Predict the length of the run with one change: one row, none for a run without
 * events. For a part of the run, only intervals that begin in the part change: the
 * length is that of the run, requests are those that end in the part. For a part, more
 * permits are predicted for requests alone.
 *
 * Columns (table `whatif`): change string (enum tm_whatif_change), class string, method
 * string and object string (as asked; null: any), factor double (0.5: for half as long;
 * null: more permits), permits int32 (how many more; null: another change), length_ns
 * int64 (predicted, of the run; of a service, whose run is as long as its load, of the
 * time in which the requests of its steady time would be served; null: it cannot be
 * predicted), gain_ns int64 (negative: longer than it was; null: it cannot be
 * predicted), gain_low_ns int64 (the least that the gain may be; null: it cannot be
 * predicted), gain_high_ns int64 (the most; null: it cannot be predicted), scaled int64
 * (how many holds, sleeps, waits in I/O, stretches of running, uses or waits change),
 * scaled_ns int64 (their length as it was), note string (why it cannot be predicted, or
 * what is unusual; null: nothing), unit_kind string (of the requests that the next
 * columns are about; null: there are several kinds and none has nine of ten, or as
 * throughput_now), throughput_now double (requests, as recorded; null: there are no
 * requests, or it cannot be predicted for them), throughput double (predicted; null: as
 * throughput_now), throughput_low double (the least; null: as throughput_now),
 * throughput_high double (the most; null: as throughput_now), latency_now_ns int64
 * (mean duration of a request; null: as throughput_now), latency_ns int64 (predicted;
 * null: as throughput_now), latency_low_ns int64 (the least; null: as throughput_now),
 * latency_high_ns int64 (the most; null: as throughput_now), latency_p99_now_ns int64
 * (99th percentile of the duration; null: as throughput_now), latency_p99_ns int64
 * (predicted; null: as throughput_now), next_bottleneck string (what decides next: the
 * class of a lock, the method that waits for a pool, *processors*, or a method in which
 * requests sleep or wait; null: nothing that they share, or as throughput_now),
 * next_kind string (lock, pool, processors, place; place: how many requests at once it
 * admits is not known; null: as next_bottleneck), next_in_use double (of it are in use
 * then, on average; null: as next_bottleneck), next_at_once int32 (so many there are;
 * of a place, as many requests were seen there at once; null: as next_bottleneck).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   what to change; `count` is not used
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (a factor that is negative or no number; nothing
 *         chosen; no such change; an empty part), TM_ENOTFOUND (no such class, method
 * or object)
 * @since 0.1
 */
TM_API int tm_whatif_predict(tm_table **out, const tm_model *model,
                             const tm_whatif_options *options);

/**
 * The same for all candidates that may be worth a change, the largest gain first: the
 * gain of requests where a run is as long as its load, else of the run. Candidates are
 * the holds of each class, and each class and method, whose locks the critical path
 * goes through or requests wait for; the pools, sleeps and endpoints that findings are
 * about, with as many more permits of a pool as there are threads; and the methods that
 * most CPU samples are in.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: 20 candidates, factor 0. class_name, method and object NULL,
 *                  change TM_WHATIF_HOLDS
 * @return TM_OK, TM_ENOMEM, TM_EINVAL
 * @since 0.1
 */
TM_API int tm_whatif_rank(tm_table **out, const tm_model *model,
                          const tm_whatif_options *options);

TM_END_DECLS

#endif
