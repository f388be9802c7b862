/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that every answer about durations has, out of a histogram. */
#ifndef TM_TABLE_DISTRIBUTION_H
#define TM_TABLE_DISTRIBUTION_H

#include "base/histogram.h"
#include "table/builder.h"

/** The columns of a distribution, their names beginning with `prefix`. */
#define TM__DISTRIBUTION(prefix)                                                       \
    {prefix "count", TM_TYPE_INT64}, {prefix "total_ns", TM_TYPE_INT64},               \
        {prefix "min_ns", TM_TYPE_INT64}, {prefix "max_ns", TM_TYPE_INT64},            \
        {prefix "mean_ns", TM_TYPE_INT64}, {prefix "p50_ns", TM_TYPE_INT64},           \
        {prefix "p90_ns", TM_TYPE_INT64},                                              \
    {                                                                                  \
        prefix "p99_ns", TM_TYPE_INT64                                                 \
    }

/** Put their values; null, but for count and total, where there is none. */
void tm__put_distribution(tm__builder *builder, const tm__histogram *histogram);

#endif
