/* SPDX-License-Identifier: Apache-2.0 */
#include "table/distribution.h"

static const double fractions[TM__DISTRIBUTION_QUANTILES] = {0.5, 0.9, 0.99};

tm__distribution tm__distribution_of(const tm__histogram *histogram)
{
    tm__distribution out = {.count = histogram->count,
                            .total_ns = histogram->total,
                            .min_ns = histogram->min,
                            .max_ns = histogram->max};

    for (size_t i = 0; i < TM__DISTRIBUTION_QUANTILES; i++)
        out.quantiles_ns[i] = tm__histogram_quantile(histogram, fractions[i]);
    return out;
}

tm__distribution tm__distribution_of_dense(const tm__dense_histogram *dense)
{
    tm__distribution out = {.count = dense->count,
                            .total_ns = dense->total,
                            .min_ns = dense->min,
                            .max_ns = dense->max};

    tm__dense_histogram_quantiles(dense, fractions, out.quantiles_ns,
                                  TM__DISTRIBUTION_QUANTILES);
    return out;
}

void tm__put_distribution(tm__builder *builder, const tm__distribution *it)
{
    uint64_t mean_ns;

    tm__put_int64(builder, (int64_t)it->count);
    tm__put_int64(builder, it->total_ns);
    if (it->count == 0) {
        for (int i = 2; i < TM__DISTRIBUTION_COLUMNS; i++)
            tm__put_null(builder);
        return;
    }
    mean_ns = ((uint64_t)it->total_ns + it->count / 2) / it->count;
    tm__put_int64(builder, it->min_ns);
    tm__put_int64(builder, it->max_ns);
    tm__put_int64(builder, (int64_t)mean_ns);
    for (size_t i = 0; i < TM__DISTRIBUTION_QUANTILES; i++)
        tm__put_int64(builder, it->quantiles_ns[i]);
}

void tm__distribution_blank(tm__builder *builder, size_t first_column)
{
    for (size_t i = 0; i < TM__DISTRIBUTION_COLUMNS; i++)
        tm__builder_blank(builder, first_column + i, i >= 2);
}
