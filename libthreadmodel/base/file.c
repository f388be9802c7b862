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

typedef int (*open_fn)(const char *path);

static int open_by(tm__file *file, tm__memory *memory, const char *path, open_fn how)
{
    size_t bytes = strlen(path) + 1;
    int rc;

    *file = (tm__file){-1, tm__resize(memory, NULL, 0, bytes)};
    if (!file->path)
        return TM_ENOMEM;
    memcpy(file->path, path, bytes);
    errno = ENOMEM;
    file->descriptor = how(path);
    if (file->descriptor >= 0)
        return TM_OK;
    rc = errno == EWOULDBLOCK
             ? tm__fail(TM_EIO, "%s: another producer is writing it", path)
             : tm__fail_system(path, errno);
    tm__free(memory, file->path, bytes);
    file->path = NULL;
    return rc;
}

static int make_or_empty(const char *path)
{
    /* It may name hosts, and the arguments of a command line. */
    return open_anyway(path, O_CREAT | O_TRUNC, 0600);
}

int tm__file_open(tm__file *file, tm__memory *memory, const char *path)
{
    return open_by(file, memory, path, make_or_empty);
}

#ifdef _WIN32

/* No producer runs there that others would have to leave alone. */
static int lock(int descriptor)
{
    (void)descriptor;
    return 0;
}

static void unlock(int descriptor)
{
    (void)descriptor;
}

static int is_still_called(int descriptor, const char *path)
{
    (void)descriptor;
    (void)path;
    return 1;
}

static int remove_unlocked(const char *path)
{
    return unlink(path);
}

#else

/* Where there are no locks there is no telling, and it goes as without them. */
static int lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK ? -1 : 0;
}

/* A forked child has the file open as well, and must not keep it locked. */
static void unlock(int descriptor)
{
    (void)flock(descriptor, LOCK_UN);
}

static int is_still_called(int descriptor, const char *path)
{
    struct stat status, named;

    return fstat(descriptor, &status) == 0 && lstat(path, &named) == 0 &&
           status.st_ino == named.st_ino && status.st_dev == named.st_dev;
}

/* A process that removes a file has it locked, so that nobody begins to write it
 * meanwhile.
 * @return 0: it is gone, or has been replaced; -1: errno, EWOULDBLOCK: it is written */
static int remove_unlocked(const char *path)
{
    enum { FLAGS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
    int opened = open(path, O_WRONLY | FLAGS);
    int rc, error;

    if (opened < 0 && errno == EACCES)
        opened = open(path, O_RDONLY | FLAGS);
    if (opened < 0)
        return errno == ENOENT ? 0 : -1;
    rc = lock(opened);
    if (rc == 0 && is_still_called(opened, path))
        rc = unlink(path);
    error = errno;
    close(opened);
    errno = error;
    return rc;
}

#endif

/* Create a file in place of one that no process writes. Each step may find that another
 * producer was faster: the one that has the lock on the file of that name wins. */
static int replace(const char *path)
{
    for (int i = 0; i < MOST_TRIES; i++) {
        int opened = open_anyway(path, O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

        if (opened >= 0) {
            if (lock(opened) == 0 && is_still_called(opened, path))
                return opened;
            close(opened);
        } else if (errno != EEXIST || remove_unlocked(path) < 0) {
            return -1;
        }
    }
    errno = EWOULDBLOCK;
    return -1;
}

static int make_private(const char *path)
{
    struct stat status;

    if (lstat(path, &status) < 0 || S_ISREG(status.st_mode))
        return replace(path);
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

    if (file->descriptor >= 0)
        unlock(file->descriptor);
    /* After EINTR the descriptor is gone all the same: never a second close. */
    if (file->descriptor >= 0 && close(file->descriptor) < 0 && errno != EINTR)
        rc = tm__fail_system(file->path, errno);
    if (file->path)
        tm__free(memory, file->path, strlen(file->path) + 1);
    *file = (tm__file){-1, NULL};
    return rc;
}
