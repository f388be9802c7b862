/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Straight to the operating system, without a buffer of our own: what a program
 * handed over survives its being killed.
 */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"

enum { MOST_TRIES = 100 };

static int open_anyway(const char *path, int flags, mode_t mode)
{
    int opened;

    do
        opened = open(path, O_WRONLY | O_CLOEXEC | flags, mode);
    while (opened < 0 && errno == EINTR);
    return opened;
}

typedef int (*open_fn)(const char *path, tm__memory *memory);

static int open_by(tm__file *file, tm__memory *memory, const char *path, open_fn how)
{
    size_t bytes = strlen(path) + 1;
    int rc;

    *file = (tm__file){-1, tm__resize(memory, NULL, 0, bytes)};
    if (!file->path)
        return TM_ENOMEM;
    memcpy(file->path, path, bytes);
    errno = ENOMEM;
    file->descriptor = how(path, memory);
    if (file->descriptor >= 0)
        return TM_OK;
    rc = tm__fail_system(path, errno);
    tm__free(memory, file->path, bytes);
    file->path = NULL;
    return rc;
}

static int make_or_empty(const char *path, tm__memory *memory)
{
    (void)memory;
    return open_anyway(path, O_CREAT | O_TRUNC, 0666);
}

int tm__file_open(tm__file *file, tm__memory *memory, const char *path)
{
    return open_by(file, memory, path, make_or_empty);
}

/* A new file under a name that nobody has, which then takes that of the old one. */
static int make_and_rename(const char *path, tm__memory *memory)
{
    size_t bytes = strlen(path) + 40;
    char *made = tm__resize(memory, NULL, 0, bytes);
    int opened = -1, error = ENOMEM;

    for (int i = 0; made && i < MOST_TRIES; i++) {
        snprintf(made, bytes, "%s.%ld-%d.new", path, (long)getpid(), i);
        opened = open_anyway(made, O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        error = errno;
        if (opened >= 0 || error != EEXIST)
            break;
    }
    if (opened >= 0 && tm__rename(made, path) < 0) {
        error = errno;
        unlink(made);
        close(opened);
        opened = -1;
    }
    tm__free(memory, made, bytes);
    errno = error;
    return opened;
}

static int make_private(const char *path, tm__memory *memory)
{
    struct stat status;

    if (lstat(path, &status) < 0 || S_ISREG(status.st_mode))
        return make_and_rename(path, memory);
    /* "/dev/stdout" is a link to what is open already. */
    if (S_ISLNK(status.st_mode) && strncmp(path, "/dev/", 5) != 0 &&
        strncmp(path, "/proc/", 6) != 0) {
        errno = ELOOP;
        return -1;
    }
    return open_anyway(path, 0, 0);
}

int tm__file_open_private(tm__file *file, tm__memory *memory, const char *path)
{
    return open_by(file, memory, path, make_private);
}

int tm__file_write(void *payload, const char *bytes, size_t count)
{
    const tm__file *file = payload;

    while (count > 0) {
        ssize_t written = tm__write_some(file->descriptor, bytes, count);

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
