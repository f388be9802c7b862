/* SPDX-License-Identifier: Apache-2.0 */
/* Eighteen digits of the fraction are kept, as many as 64 bits hold. */
#include "formats/decimal.h"

#include <stddef.h>

#include "base/scale.h"

static const int64_t fraction_unit = INT64_C(1000000000000000000);

static int is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

const char *tm__decimal_read(const char *at, const char *end, int64_t unit,
                             int64_t *value)
{
    int is_negative = at < end && *at == '-';
    int64_t whole = 0, fraction = 0, result;

    at += is_negative;
    if (!is_digit(at, end))
        return NULL;
    for (; is_digit(at, end); at++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, *at - '0', &whole))
            return NULL;
    if (at < end && *at == '.') {
        int64_t scale = fraction_unit;

        for (at++; is_digit(at, end); at++) {
            scale /= 10;
            fraction += scale * (*at - '0');
        }
    }
    fraction = (int64_t)tm__scale((uint64_t)fraction, (uint64_t)unit,
                                  (uint64_t)fraction_unit / 2, (uint64_t)fraction_unit);
    if (__builtin_mul_overflow(whole, unit, &result) ||
        __builtin_add_overflow(result, fraction, &result))
        return NULL;
    *value = is_negative ? -result : result;
    return at;
}
