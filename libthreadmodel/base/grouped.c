/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grouped.h"

#include <inttypes.h>
#include <stdio.h>

tm__grouped tm__group_digits(uint64_t number)
{
    tm__grouped out;
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    char *to = out.text;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}
