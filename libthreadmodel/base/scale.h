/* SPDX-License-Identifier: Apache-2.0 */
/* a * b / c where the product needs 128 bits. */
#ifndef TM_BASE_SCALE_H
#define TM_BASE_SCALE_H

#include <stdint.h>

/** tm__scale() by 64 bits alone, for processors on which C has no more. */
static inline uint64_t tm__scale_by_bits(uint64_t a, uint64_t b, uint64_t plus,
                                         uint64_t c)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);

    low = other << 32 | (low & UINT32_MAX);
    low += plus;
    high += low < plus;
    /* Long division: `high` is the rest so far, and the quotient moves into `low`. */
    for (int bit = 0; bit < 64; bit++) {
        int carry = high >> 63 != 0;

        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= c) {
            high -= c;
            low |= 1;
        }
    }
    return low;
}

/** @return (a * b + plus) / c, which must fit */
static inline uint64_t tm__scale(uint64_t a, uint64_t b, uint64_t plus, uint64_t c)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)(((wide)a * b + plus) / c);
#else
    return tm__scale_by_bits(a, b, plus, c);
#endif
}

#endif
