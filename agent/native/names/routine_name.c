/* SPDX-License-Identifier: Apache-2.0 */
#include "names/routine_name.h"

#include <stdio.h>
#include <string.h>

int tm__routine_is_known(const tm__symbol *place)
{
    return *place->function || place->begin;
}

/* Whether a parenthesis is a part of the name: of "(anonymous namespace)::" or of
 * "operator()". */
static int is_in_name(const char *function, const char *at)
{
    static const char call[] = "operator";
    const size_t length = sizeof(call) - 1, before = (size_t)(at - function);

    return before == 0 || at[-1] == ':' ||
           (before >= length && strncmp(at - length, call, length) == 0);
}

/* Up to the parameters of a function. */
static size_t length_of_name(const char *function)
{
    const char *at = function;

    while ((at = strchr(at, '(')) && is_in_name(function, at))
        at++;
    return at ? (size_t)(at - function) : strlen(function);
}

void tm__routine_name(const tm__symbol *routine, char *name, size_t room)
{
    static const char *const runtimes[] = {"libstdc++", "libc++", "rust-std"};

    *name = 0;
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
        if (strncmp(routine->module, runtimes[i], strlen(runtimes[i])) == 0)
            return;
    if (*routine->function)
        snprintf(name, room, "%.*s", (int)length_of_name(routine->function),
                 routine->function);
    else if (*routine->module)
        snprintf(
            name, room, "%.30s+0x%llx", routine->module,
            (unsigned long long)(routine->begin ? routine->begin : routine->offset));
}
