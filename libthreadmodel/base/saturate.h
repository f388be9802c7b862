/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of durations that stop at the largest number: any input must be answered. */
#ifndef TM_BASE_SATURATE_H
#define TM_BASE_SATURATE_H

#include <stdint.h>

/** @return a + b of numbers from 0 on; INT64_MAX where that is too much */
static inline int64_t tm__sum(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/** @return a - b where a is larger; INT64_MAX where that is too much */
static inline int64_t tm__difference(int64_t a, int64_t b)
{
    int64_t difference;

    return __builtin_sub_overflow(a, b, &difference) ? INT64_MAX : difference;
}

/** @return a * b of numbers from 0 on; INT64_MAX where that is too much */
static inline int64_t tm__product(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/** @return a number from 0 on without its fraction; INT64_MAX where that is too much */
static inline int64_t tm__whole(double number)
{
    return number < 9.2e18 ? (int64_t)number : INT64_MAX;
}

#endif
