/* SPDX-License-Identifier: Apache-2.0 */
#include "names/c_library.h"

#include <stddef.h>
#include <string.h>

int tm__is_c_library(const char *file_name)
{
    static const char *const names[] = {"libc.so", "libc-", "libc.musl", "libpthread",
                                        "ld-"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(file_name, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}
