/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straight to the operating system, without a buffer of our own: what a program
 * handed over survives its being killed.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int tm__file_open(tm__file *file, tm__memory *memory, const char *path)
{
    size_t bytes = strlen(path) + 1;
    int rc;

    *file = (tm__file){-1, tm__resize(memory, NULL, 0, bytes)};
    if (!file->path)
        return TM_ENOMEM;
    memcpy(file->path, path, bytes);
    do
        file->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    while (file->descriptor < 0 && errno == EINTR);
    if (file->descriptor >= 0)
        return TM_OK;
    rc = tm__fail_system(path, errno);
    tm__free(memory, file->path, bytes);
    file->path = NULL;
    return rc;
}

int tm__file_write(void *payload, const char *bytes, size_t count)
{
    const tm__file *file = payload;

    while (count > 0) {
        ssize_t written = write(file->descriptor, bytes, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return tm__fail_system(file->path, written < 0 ? errno : ENOSPC);
        bytes += written;
        count -= (size_t)written;
    }
    return TM_OK;
}

int tm__write(tm_write_fn write, void *payload, const char *bytes, size_t count)
{
    int rc = write(payload, bytes, count);

    if (rc >= 0)
        return TM_OK;
    return write == tm__file_write ? rc
                                   : tm__fail(rc, "the write function failed: %d (%s)",
                                              rc, tm_error_name(rc));
}

int tm__file_close(tm__file *file, tm__memory *memory)
{
    int rc = TM_OK;

    /* After EINTR the descriptor is gone all the same: never a second close. */
    if (file->descriptor >= 0 && close(file->descriptor) < 0 && errno != EINTR)
        rc = tm__fail_system(file->path, errno);
    if (file->path)
        tm__free(memory, file->path, strlen(file->path) + 1);
    *file = (tm__file){-1, NULL};
    return rc;
}
