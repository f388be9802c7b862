/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers in texts, exactly: no double has the digits of a time stamp. */
#ifndef TM_FORMATS_DECIMAL_H
#define TM_FORMATS_DECIMAL_H

#include <stdint.h>

/**
 * Read "-12.345" in some unit as a whole number of a smaller one, rounded.
 *
 * @param unit        how many of the smaller one the text's unit has
 * @param[out] value  not set on failure
 * @return what follows the number; NULL: there is none, or it does not fit
 */
const char *tm__decimal_read(const char *at, const char *end, int64_t unit,
                             int64_t *value);

#endif
