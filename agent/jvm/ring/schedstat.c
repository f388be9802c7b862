/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/schedstat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int parse(tm__schedstat *out, char text[96], ssize_t length)
{
    if (length <= 0)
        return -1;
    text[length] = '\0';
    return sscanf(text, "%" SCNd64 " %" SCNd64, &out->ran_ns, &out->waited_ns) == 2
               ? 0
               : -1;
}

int tm__schedstat_read(tm__schedstat *out, uint64_t os_id)
{
    char path[64] = "/proc/thread-self/schedstat", text[96];
    ssize_t length;
    int fd;

    if (os_id)
        snprintf(path, sizeof(path), "/proc/self/task/%" PRIu64 "/schedstat", os_id);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    return parse(out, text, length);
}

void tm__schedstat_open(tm__schedstat_file *file)
{
    file->fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

int tm__schedstat_reread(const tm__schedstat_file *file, tm__schedstat *out)
{
    char text[96];

    return file->fd < 0 ? -1
                        : parse(out, text, pread(file->fd, text, sizeof(text) - 1, 0));
}

void tm__schedstat_close(tm__schedstat_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
