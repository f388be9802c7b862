/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are started by another name than their file's. */
#ifndef TM_NATIVE_LAYOUT_ALIAS_H
#define TM_NATIVE_LAYOUT_ALIAS_H

#include <string.h>
#include <sys/stat.h>

/**
 * Whether a path by which a program was started says what it is, as of redis-server,
 * which is a link to redis-check-rdb. A file's name that goes on where the link's ends
 * says more: "python3" is a link to "python3.11".
 * @param given  of the same file, as it can be opened here, or of another one
 * @param file   as it can be opened here
 * @param name   the path of the file
 */
static inline int tm__is_alias(const char *given, const char *file, const char *name)
{
    const char *own = strrchr(name, '/'), *other = strrchr(given, '/');
    struct stat one, two;

    return own && other && strncmp(own, other, strlen(other)) != 0 &&
           stat(given, &one) == 0 && stat(file, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

#endif
