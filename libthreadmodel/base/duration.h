/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of time in sentences: three digits and the unit, "12.3 ms". */
#ifndef TM_BASE_DURATION_H
#define TM_BASE_DURATION_H

#include <stdint.h>

enum { TM__DURATION_BYTES = 32 };

/** A length of time that printf can take by %s. */
typedef struct tm__duration {
    char text[TM__DURATION_BYTES];
} tm__duration;

tm__duration tm__duration_of(int64_t time_ns);

#endif
