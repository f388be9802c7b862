/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that every answer about durations has. */
#ifndef TM_TABLE_DISTRIBUTION_H
#define TM_TABLE_DISTRIBUTION_H

#include "base/dense_histogram.h"
#include "table/builder.h"

enum { TM__DISTRIBUTION_QUANTILES = 3, TM__DISTRIBUTION_COLUMNS = 8 };

/** The statistics of durations in the columns of [set] distribution of tables.toml. */
typedef struct tm__distribution {
    uint64_t count;
    int64_t total_ns;
    int64_t min_ns;
    int64_t max_ns;
    int64_t quantiles_ns[TM__DISTRIBUTION_QUANTILES]; ///< p50, p90, p99
} tm__distribution;

tm__distribution tm__distribution_of(const tm__histogram *histogram);
tm__distribution tm__distribution_of_dense(const tm__dense_histogram *dense);

/** Put their values; null, but for count and total, where there is none. */
void tm__put_distribution(tm__builder *builder, const tm__distribution *distribution);

/** The columns, from one on, where no row will have any durations. */
void tm__distribution_blank(tm__builder *builder, size_t first_column);

#endif
