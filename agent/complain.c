/* SPDX-License-Identifier: Apache-2.0 */
/* One write a line, so that those of several threads do not mix. */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 5000 };

void tm__complain(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "threadmodel: %s\n", line);
}
