/* SPDX-License-Identifier: Apache-2.0 */
/* Eight numbers a row of statistics: few rows, so nothing here need be quick. */
#include "table/distribution.h"

void tm__put_distribution(tm__builder *builder, const tm__histogram *histogram)
{
    static const double fractions[] = {0.5, 0.9, 0.99};
    uint64_t mean;

    tm__put_int64(builder, (int64_t)histogram->count);
    tm__put_int64(builder, histogram->total);
    if (histogram->count == 0) {
        for (int i = 0; i < 6; i++)
            tm__put_null(builder);
        return;
    }
    mean = ((uint64_t)histogram->total + histogram->count / 2) / histogram->count;
    tm__put_int64(builder, histogram->min);
    tm__put_int64(builder, histogram->max);
    tm__put_int64(builder, (int64_t)mean);
    for (size_t i = 0; i < sizeof(fractions) / sizeof(*fractions); i++)
        tm__put_int64(builder, tm__histogram_quantile(histogram, fractions[i]));
}
