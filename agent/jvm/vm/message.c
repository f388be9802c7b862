/* SPDX-License-Identifier: Apache-2.0 */
/* One write a line, so that those of several threads do not mix. */
#include "vm/message.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 5000 };

static _Atomic(tm__message_fn) listen_fn;

void tm__message_to(tm__message_fn listener)
{
    atomic_store(&listen_fn, listener);
}

void tm__message_lines(const char *text, size_t length)
{
    tm__message_fn listener = atomic_load(&listen_fn);

    if (!listener || !listener(text, length))
        fwrite(text, 1, length, stderr);
}

void tm__message(const char *format, ...)
{
    static const char NAME[] = "threadmodel: ";
    char line[LINE_BYTES];
    va_list arguments;
    size_t length;

    memcpy(line, NAME, sizeof(NAME));
    va_start(arguments, format);
    vsnprintf(line + sizeof(NAME) - 1, sizeof(line) - sizeof(NAME), format, arguments);
    va_end(arguments);
    length = strlen(line);
    line[length++] = '\n';
    tm__message_lines(line, length);
}
