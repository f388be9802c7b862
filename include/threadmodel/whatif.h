/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/whatif.h: how long the run would have taken with a lock held shorter.
 *
 * The run is replayed: each thread's own work takes as long as it took, each hold-up
 * ends when what ended it has happened, and holds of the chosen monitors take
 * `factor` times their length. What is gained is an upper bound: threads keep the
 * order in which they got each lock, and a hold is counted from when its thread is
 * known to have got the monitor. Holds that nobody waited for are seen by no
 * producer and stay as they were.
 */
#ifndef THREADMODEL_WHATIF_H
#define THREADMODEL_WHATIF_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Which holds to scale: those that match all that is not NULL, one at least. */
typedef struct tm_whatif_options {
    size_t size;            ///< sizeof(tm_whatif_options)
    const char *class_name; ///< of the monitor; NULL: any
    const char *method;     ///< that got it, package.Class.method; NULL: any
    const char *object; ///< the monitor, as column object of other tables; NULL: any
    double factor;      ///< 0: as if held for no time; 0.5: half as long; 2: twice
    const char *const *libraries; ///< see tm_statistics_options
    uint32_t library_count;       ///< entries of libraries
    uint32_t count;               ///< of a ranking: how many candidates; 0: 20
} tm_whatif_options;

/** A tm_whatif_options with nothing in it but its size. */
#define TM_WHATIF_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(tm_whatif_options), NULL, NULL, NULL, 0, NULL, 0, 0                     \
    }

/**
 * Predict the length of the run with some holds scaled: one row, none for a run
 * without events.
 *
 * Columns (table `whatif`): class string, method string and object string (as asked;
 * null: any), factor double (0.5: held for half as long), length_ns int64 (of the run,
 * as predicted), gain_ns int64 (negative: longer than it was), holds int64 (how many
 * were scaled), hold_ns int64 (their length as it was), note string (what is odd about
 * this row; null: nothing).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   what to scale; `count` is not used
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (a factor that is negative or no number; nothing
 *         chosen), TM_ENOTFOUND (no such class, method or object)
 * @since 0.1
 */
TM_API int tm_whatif_predict(tm_table **out, const tm_model *model,
                             const tm_whatif_options *options);

/**
 * The same for each class, and each class and method, whose monitors the critical
 * path goes through, the largest gain first.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: 20 candidates, factor 0. class_name, method and object NULL
 * @return TM_OK, TM_ENOMEM, TM_EINVAL
 * @since 0.1
 */
TM_API int tm_whatif_rank(tm_table **out, const tm_model *model,
                          const tm_whatif_options *options);

TM_END_DECLS

#endif
