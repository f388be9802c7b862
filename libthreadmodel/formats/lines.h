/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a text, each with the byte at which it begins. */
#ifndef TM_FORMATS_LINES_H
#define TM_FORMATS_LINES_H

#include "base/input.h"

/** No line of a format that we read is longer. */
#define TM__TEXT_LINE_BYTES (1 << 20)

typedef struct tm__lines {
    tm__input *input;
    uint64_t offset; ///< of the next line

    const char *text; ///< the line, lent until the next; not ended by a zero byte
    size_t length;    ///< without its end, "\n" or "\r\n"
    uint64_t start;   ///< its first byte's offset
    int is_too_long;  ///< then `text` is its beginning
} tm__lines;

/** @return TM_MORE: there is one; TM_OK: the text is over; TM_ENOMEM, TM_EIO */
int tm__lines_next(tm__lines *lines);

/** Pass over what is left of a line that is too long. @return as above */
int tm__lines_skip(tm__lines *lines);

#endif
