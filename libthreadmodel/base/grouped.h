/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in sentences, which people read: 1234567 is 1,234,567. */
#ifndef TM_BASE_GROUPED_H
#define TM_BASE_GROUPED_H

#include <stdint.h>

enum { TM__GROUPED_BYTES = 28 };

/** A number that printf can take by %s. */
typedef struct tm__grouped {
    char text[TM__GROUPED_BYTES];
} tm__grouped;

/** @return the number with a comma before each three digits */
tm__grouped tm__group_digits(uint64_t number);

#endif
