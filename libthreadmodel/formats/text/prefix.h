/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix that a log, a mail or a container puts before each line of a dump. It is
 * learned from one line; others have the same, but for their numbers.
 */
#ifndef TM_FORMATS_TEXT_PREFIX_H
#define TM_FORMATS_TEXT_PREFIX_H

#include "formats/dump/frame_text.h"

enum { TM__PREFIX_BYTES = 2048 };

typedef struct tm__prefix {
    size_t length;
    char bytes[TM__PREFIX_BYTES];
} tm__prefix;

/** Learn it. One that is too long, or nothing but blanks, is dropped. */
void tm__prefix_learn(tm__prefix *prefix, tm__slice text);

/** @return bytes of the line that are such a prefix; line.length + 1: none are */
size_t tm__prefix_match(const tm__prefix *prefix, tm__slice line);

#endif
