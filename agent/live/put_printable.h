/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the program on a terminal, where they may do no harm. */
#ifndef TM_LIVE_PUT_PRINTABLE_H
#define TM_LIVE_PUT_PRINTABLE_H

#include <stdio.h>

#include "base/printable.h"

static inline void tm__put_printable(FILE *out, const char *text)
{
    while (*text) {
        size_t bytes = tm__unprintable_bytes(text);

        fputc(bytes ? '?' : *text, out);
        text += bytes ? bytes : 1;
    }
}

#endif
