/* SPDX-License-Identifier: Apache-2.0 */
#include "names/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int tm__regular_file_open(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts;

    if (file >= 0 && (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}
