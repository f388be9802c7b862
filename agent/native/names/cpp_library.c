/* SPDX-License-Identifier: Apache-2.0 */
#include "names/cpp_library.h"

#include <stddef.h>
#include <string.h>

static int begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

const char *tm__cpp_library_of(const char *name)
{
    static const char *const spaces[] = {"St", "Sa", "Ss",         "Sb",          "Si",
                                         "So", "Sd", "9__gnu_cxx", "10__cxxabiv1"};

    if (begins_with(name, "std::__1::"))
        return "libc++";
    if (begins_with(name, "__gthread_") || begins_with(name, "std::") ||
        begins_with(name, "__gnu_cxx::"))
        return "libstdc++";
    if (!begins_with(name, "_Z"))
        return NULL;
    name += 2;
    if (*name == 'L') { /* a static function */
        name += 1;
        name += strspn(name, "0123456789");
        return begins_with(name, "__gthread_") ? "libstdc++" : NULL;
    }
    name += strspn(name, "Z"); /* what is local to a function counts as that */
    if (*name == 'N') {
        name += 1;
        name += strspn(name, "rVKRO");
    }
    if (begins_with(name, "St3__1") || begins_with(name, "St6__ndk1"))
        return "libc++";
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
        if (begins_with(name, spaces[i]))
            return "libstdc++";
    return NULL;
}
